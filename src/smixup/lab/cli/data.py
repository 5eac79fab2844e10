"""`smixup data`: import, list and describe datasets."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from smixup.lab.cli import options

app = typer.Typer(help="Import, list and describe datasets.", no_args_is_help=True)


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="Zip, tar or folder in the publisher's layout.")],
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Check a downloaded dataset and keep it; one of the same name is replaced."""
    from smixup.datasets import data_root, import_archive
    from smixup.datasets.layouts import node_attributes

    name = import_archive(path, root)
    attributes, alone = node_attributes(name, data_root(root))
    found = {"name": name, "path": str(data_root(root) / name), "node_attributes": attributes}
    if as_json:
        typer.echo(json.dumps(found))
        return
    typer.echo(f"{name} is now in {found['path']}")
    if alone:
        typer.echo(f"{options.counted_attributes(attributes)}, used: there are no node labels")
    elif attributes:
        typer.echo(options.unused_attributes(attributes))


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
    name: Annotated[str, typer.Argument(help="Name of a dataset, in any case.")],
    data: options.Data = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Show graphs, classes, average nodes and undirected edges, and node features of a dataset."""
    from smixup.datasets.catalogue import load_dataset

    dataset = load_dataset(name, root, **options.dataset_options(data))
    from smixup.datasets.statistics import statistics  # needs torch, a missing dataset does not

    figures = {"name": dataset.name} | asdict(statistics(dataset))
    if as_json:
        typer.echo(json.dumps(figures))
        return
    unused = figures.pop("unused_attributes")
    for label, value in figures.items():
        shown = f"{value:.2f}" if isinstance(value, float) else value
        typer.echo(f"{label.replace('_', ' '):<14} {shown}")
    if unused:
        typer.echo(options.unused_attributes(unused))
