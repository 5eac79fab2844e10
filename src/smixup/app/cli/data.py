"""`smixup data`: import, list, describe and pack datasets."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options
from smixup.app.cli.output import print_json

if TYPE_CHECKING:
    from smixup.datasets import Dataset

app = typer.Typer(help="Import, list, describe and pack datasets.", no_args_is_help=True)


@app.command("import")
def import_(
    path: options.Archive,
    root: options.Root = None,
    large: options.Large = False,
    as_json: options.AsJson = False,
) -> None:
    """Check a downloaded dataset and keep it; one of its name goes."""
    from smixup.app.words import node_attributes
    from smixup.datasets import data_root, import_archive
    from smixup.datasets.sources import layout_of
    from smixup.datasets.tu import count_attributes, unused_files

    name = import_archive(path, root, large)
    folder, files = data_root(root) / name, layout_of(name, data_root(root))
    number = count_attributes(files)
    if as_json:
        print_json({"name": name, "path": str(folder), "node_attributes": number})
        return
    notes = [node_attributes(number, used=not files.has("node_labels"))] if number else []
    for line in (f"{name} is now in {folder}", *notes, *unused_files(files)):
        typer.echo(line)


@app.command("list")
def list_(
    root: options.Root = None, formats: options.Formats = False, as_json: options.AsJson = False
) -> None:
    """List datasets by name, or with --formats kinds of files.

    Other names of the TU collection work too.
    """
    from smixup.datasets.catalogue import available_datasets
    from smixup.datasets.catalogue import formats as all_formats

    kinds = all_formats() if formats else []
    datasets = {} if formats else available_datasets(root)
    if as_json:
        listed = [asdict(entry) | {"present": here} for entry, here in datasets.items()]
        print_json([*map(asdict, kinds), *listed])
        return
    for kind in kinds:
        typer.echo(f"{kind.name}: {kind.reads}\n  example  {kind.example}")
        typer.echo(f"  options  {', '.join(kind.options) or 'none'}  (--data NAME=VALUE)\n")
    for entry, here in datasets.items():
        typer.echo(f"{entry.name:<16}  {'at hand' if here else '-':<7}  {entry.source}")


@app.command("stats")
def stats(
    source: options.Source,
    data: options.Data = None,
    target: options.Target = None,
    task: options.Task = None,
    smiles: options.Smiles = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Show graphs, classes, sizes and features of a dataset."""
    from smixup.datasets.catalogue import open_or_load

    settings = dataset_options(data, target=target, task=task, smiles=smiles)
    dataset = open_or_load(source, root, **settings)
    from smixup.app.words import node_attributes
    from smixup.datasets.catalogue import statistics  # needs torch, a missing dataset does not

    figures = {"name": dataset.name} | asdict(statistics(dataset))
    if as_json:
        print_json(figures | {"notes": dataset.notes})
        return
    unused = figures.pop("unused_attributes")
    if not dataset.graphs.has_classes:
        figures = {"targets" if name == "classes" else name: figures[name] for name in figures}
    for name, value in figures.items():
        shown = f"{value:.2f}" if isinstance(value, float) else value
        typer.echo(f"{name.replace('_', ' '):<14} {shown}")
    for note in [*([node_attributes(unused)] if unused else []), *dataset.notes]:
        typer.echo(note)


@app.command("pack")
def pack(
    source: options.Source,
    out: options.PackFolder,
    data: options.Data = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a dataset as columns that need not be loaded to train."""
    dataset = _load(source, root, dataset_options(data))
    from smixup.datasets.packed_set import pack_dataset

    packed = pack_dataset(dataset, out)
    size = sum(file.stat().st_size for file in packed.graphs.folder.iterdir())
    if as_json:
        graphs = len(packed.graphs)
        print_json({"name": packed.name, "path": str(out), "graphs": graphs, "bytes": size})
        return
    typer.echo(f"{packed.name} is now in {out}: {len(packed.graphs):,} graphs, {size / 1e6:.1f} MB")
    place = str(out) if len(out.parts) > 1 else f"./{out}"  # else it could be a dataset's name
    typer.echo(f"Train from there: smixup train {shlex.quote(place)}")


def _load(source: str, root: Path | None, settings: dict[str, Any]) -> Dataset:
    """Load a dataset by name, or from an archive that is not imported."""
    from smixup.datasets import import_archive
    from smixup.datasets.catalogue import canonical_name, is_path, load_dataset

    path = Path(source).expanduser()
    archive = path.exists() and (is_path(source) or path.is_file())
    if not archive or canonical_name(source, root) is not None:
        return load_dataset(source, root, **settings)
    with TemporaryDirectory(prefix="smixup-pack-") as folder:
        return load_dataset(import_archive(path, Path(folder)), Path(folder), **settings)
