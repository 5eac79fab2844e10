"""`smixup data`: import, list, describe and pack datasets."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smixup.app.cli import options

if TYPE_CHECKING:
    from smixup.datasets import Dataset

app = typer.Typer(help="Import, list, describe and pack datasets.", no_args_is_help=True)


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="Zip, tar or folder in the publisher's layout.")],
    root: options.Root = None,
    large: Annotated[
        bool,
        options.option(
            "Allow an archive of any size: by default it may unpack to 4 GB and to 100 times its "
            "own size."
        ),
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Check a downloaded dataset and keep it; one of the same name is replaced."""
    from smixup.app.runs.words import counted_attributes, unused_attributes
    from smixup.datasets import data_root, import_archive
    from smixup.datasets.layouts import node_attributes
    from smixup.datasets.tu_text import unused_parts

    name = import_archive(path, root, large)
    attributes, alone = node_attributes(name, data_root(root))
    folder = data_root(root) / name
    found = {"name": name, "path": str(folder), "node_attributes": attributes}
    if as_json:
        typer.echo(json.dumps(found))
        return
    typer.echo(f"{name} is now in {found['path']}")
    if alone:
        typer.echo(f"{counted_attributes(attributes)}, used: there are no node labels")
    elif attributes:
        typer.echo(unused_attributes(attributes))
    for note in unused_parts(folder / "raw", name):
        typer.echo(note)


@app.command("formats")
def formats(as_json: options.AsJson = False) -> None:
    """List the files that can be read, with the options of each reader and an example."""
    from smixup.datasets.readers.formats import formats as all_formats

    found = all_formats()
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in found]))
        return
    for each in found:
        typer.echo(f"{each.name}: {each.reads}")
        typer.echo(f"  options  {', '.join(each.options) or 'none'}")
        typer.echo(f"  example  {each.example}\n")
    typer.echo("Options are given by --data NAME=VALUE. Details: docs/your-data.md")


@app.command("list")
def list_(root: options.Root = None, as_json: options.AsJson = False) -> None:
    """List the datasets known by name, and which are at hand; other names of the TU collection work
    too.
    """
    from smixup.datasets.catalogue import available_datasets

    datasets = available_datasets(root)
    if as_json:
        found = [asdict(entry) | {"present": present} for entry, present in datasets.items()]
        typer.echo(json.dumps(found))
        return
    width = max(len(entry.name) for entry in datasets)
    for entry, present in datasets.items():
        typer.echo(f"{entry.name:<{width}}  {'at hand' if present else '-':<7}  {entry.source}")


@app.command("stats")
def stats(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a dataset, in any case, the folder of a packed one, or files of your own."
        ),
    ],
    data: options.Data = None,
    target: options.Target = None,
    task: options.Task = None,
    smiles: options.Smiles = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Show graphs, classes, average nodes and undirected edges, and node features of a dataset."""
    from smixup.datasets.catalogue import open_or_load

    short = {"target": target, "task": task, "smiles": smiles}
    asked = options.with_shorthands(options.dataset_options(data), short)
    dataset = open_or_load(name, root, **asked)
    from smixup.app.runs.words import unused_attributes
    from smixup.datasets.statistics import statistics  # needs torch, a missing dataset does not

    figures = {"name": dataset.name} | asdict(statistics(dataset))
    if as_json:
        typer.echo(json.dumps(figures | {"notes": dataset.notes}))
        return
    unused = figures.pop("unused_attributes")
    targets = "classes" if dataset.graphs.has_classes else "targets"
    for label, value in figures.items():
        shown = f"{value:.2f}" if isinstance(value, float) else value
        word = targets if label == "classes" else label.replace("_", " ")
        typer.echo(f"{word:<14} {shown}")
    if unused:
        typer.echo(unused_attributes(unused))
    for note in dataset.notes:
        typer.echo(note)


@app.command("pack")
def pack(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a dataset, in any case, or a zip, tar or folder in the publisher's "
            "layout."
        ),
    ],
    out: Annotated[
        Path, options.option("Folder to write to; a packed set that is there is replaced.")
    ],
    data: options.Data = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Write a dataset as columns on disk, which are trained from without being loaded:
    `smixup train --dataset FOLDER`.
    """
    dataset = _to_pack(name, root, options.dataset_options(data))
    from smixup.datasets.packed_set import pack_dataset

    packed = pack_dataset(dataset, out)
    size = sum(path.stat().st_size for path in packed.graphs.folder.iterdir())
    found = {"name": packed.name, "path": str(out), "graphs": len(packed.graphs), "bytes": size}
    if as_json:
        typer.echo(json.dumps(found))
        return
    typer.echo(
        f"{packed.name} is now in {out}: {len(packed.graphs):,} graphs, {size / 1e6:,.1f} MB"
    )
    typer.echo(f"Train from there: smixup train --dataset {options.as_path(out)}")


def _to_pack(name: str, root: Path | None, given: dict[str, Any]) -> Dataset:
    """Load a dataset by name, or from files that are not imported."""
    from smixup.datasets.catalogue import canonical_name, is_path, load_dataset

    path = Path(name).expanduser()
    published = path.exists() and (is_path(name) or path.is_file())
    if not published or canonical_name(name, root) is not None:
        return load_dataset(name, root, **given)
    from smixup.datasets import import_archive

    with TemporaryDirectory(prefix="smixup-pack-") as folder:
        return load_dataset(import_archive(path, Path(folder)), Path(folder), **given)
