"""`smixup data`: import, list, describe and pack datasets."""

from __future__ import annotations

import shlex
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options

app = typer.Typer(help="Import, list, describe and pack datasets.", no_args_is_help=True)


@app.command("import")
def import_(path: options.Archive, root: options.Root = None) -> None:
    """Check a downloaded dataset and keep it; one of its name goes."""
    from smixup.datasets import data_root, import_archive, load_dataset

    name = import_archive(path, root)
    typer.echo(f"{name} is now in {data_root(root) / name}")
    for note in load_dataset(name, root).notes:
        typer.echo(note)


@app.command("list")
def list_(root: options.Root = None) -> None:
    """List datasets by name.

    Other names of the TU collection work too.
    """
    from smixup.datasets import catalogue
    from smixup.datasets.sources import data_root, present_names

    present = present_names(data_root(root))
    sources = dict.fromkeys(present, "imported") | catalogue.known_datasets()
    for name, source in sources.items():
        here = "at hand" if name in present or source == catalogue.GENERATED else "-"
        typer.echo(f"{name:<16}  {here:<7}  {source}")


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
    from smixup.datasets.catalogue import open_or_load, statistics

    settings = dataset_options(data, target=target, task=task, smiles=smiles)
    dataset = open_or_load(source, root, **settings)
    figures: dict[str, Any] = {"name": dataset.name} | statistics(dataset)
    for name, value in figures.items():
        shown = f"{value:.2f}" if isinstance(value, float) else value
        what = "targets" if name == "classes" and not dataset.graphs.has_classes else name
        typer.echo(f"{what.replace('_', ' '):<14} {shown}")
    for note in dataset.notes:
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
