"""`smixup data`: import, list, describe and pack datasets."""

from __future__ import annotations

import shlex
from dataclasses import asdict

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options

app = typer.Typer(help="Import, list, describe and pack datasets.", no_args_is_help=True)


@app.command("import")
def import_(path: options.Archive, root: options.Root = None, large: options.Large = False) -> None:
    """Check a downloaded dataset and keep it; one of its name goes."""
    from smixup.app.words import node_attributes
    from smixup.datasets import data_root, import_archive
    from smixup.datasets.sources import layout_of
    from smixup.datasets.tu import count_attributes, unused_files

    name = import_archive(path, root, large)
    files = layout_of(name, data_root(root))
    typer.echo(f"{name} is now in {data_root(root) / name}")
    if number := count_attributes(files):
        typer.echo(node_attributes(number, used=not files.has("node_labels")))
    for line in unused_files(files):
        typer.echo(line)


@app.command("list")
def list_(root: options.Root = None, formats: options.Formats = False) -> None:
    """List datasets by name, or with --formats kinds of files.

    Other names of the TU collection work too.
    """
    from smixup.datasets import catalogue

    for kind in catalogue.formats() if formats else []:
        typer.echo(f"{kind.name}: {kind.reads}")
        typer.echo(f"  options  {', '.join(kind.options) or 'none'}  (--data NAME=VALUE)\n")
    datasets = {} if formats else catalogue.available_datasets(root)
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
) -> None:
    """Show graphs, classes, sizes and features of a dataset."""
    from smixup.app.words import node_attributes
    from smixup.datasets.catalogue import open_or_load, statistics

    settings = dataset_options(data, target=target, task=task, smiles=smiles)
    dataset = open_or_load(source, root, **settings)
    figures = {"name": dataset.name} | asdict(statistics(dataset))
    unused = figures.pop("unused_attributes")
    for name, value in figures.items():
        shown = f"{value:.2f}" if isinstance(value, float) else value
        what = "targets" if name == "classes" and not dataset.graphs.has_classes else name
        typer.echo(f"{what.replace('_', ' '):<14} {shown}")
    for note in [*([node_attributes(unused)] if unused else []), *dataset.notes]:
        typer.echo(note)


@app.command("pack")
def pack(
    source: options.Source,
    out: options.PackFolder,
    data: options.Data = None,
    root: options.Root = None,
) -> None:
    """Write a dataset as columns that need not be loaded to train."""
    from smixup.datasets import load_dataset
    from smixup.datasets.packed_set import pack_dataset

    packed = pack_dataset(load_dataset(source, root, **dataset_options(data)), out)
    typer.echo(f"{packed.name} is now in {out}: {len(packed.graphs):,} graphs")
    place = str(out) if len(out.parts) > 1 else f"./{out}"  # else it could be a dataset's name
    typer.echo(f"Train from there: smixup train {shlex.quote(place)}")
