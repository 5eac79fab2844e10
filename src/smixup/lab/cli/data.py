"""`smixup data`: import, list and describe datasets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Import, list and describe datasets.", no_args_is_help=True)

Root = Annotated[
    Path | None,
    typer.Option(
        "--root",
        help="Where data lives; else SMIXUP_ROOT, else the user data folder.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON value on stdout.")]


@app.command("import")
def import_(
    path: Annotated[
        Path,
        typer.Argument(help="A zip, tar or folder in the publisher's layout.", show_default=False),
    ],
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Check a downloaded dataset and keep it; one of the same name is replaced."""
    from smixup.datasets import data_root, import_archive

    name = import_archive(path, root)
    place = data_root(root) / name
    typer.echo(
        json.dumps({"name": name, "path": str(place)}) if as_json else f"{name} is now in {place}"
    )


@app.command("list")
def list_(root: Root = None, as_json: AsJson = False) -> None:
    """List the datasets known by name, and which are at hand; other names of the TU collection work
    too.
    """
    from dataclasses import asdict

    from smixup.datasets.catalogue import available_datasets

    datasets = available_datasets(root)
    if as_json:
        typer.echo(
            json.dumps(
                [asdict(entry) | {"present": present} for entry, present in datasets.items()]
            )
        )
        return
    width = max(len(entry.name) for entry in datasets)
    for entry, present in datasets.items():
        typer.echo(f"{entry.name:<{width}}  {'at hand' if present else '-':<7}  {entry.source}")


@app.command("stats")
def stats(
    name: Annotated[str, typer.Argument(help="A dataset's name, in any case.", show_default=False)],
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Show graphs, classes, average nodes and undirected edges, and node features of a dataset."""
    from dataclasses import asdict

    from smixup.datasets.catalogue import load_dataset

    dataset = load_dataset(name, root)
    from smixup.datasets.statistics import statistics

    figures = {"name": dataset.name} | asdict(statistics(dataset))
    if as_json:
        typer.echo(json.dumps(figures))
        return
    for label, value in figures.items():
        typer.echo(
            f"{label.replace('_', ' '):<14} {f'{value:.2f}' if isinstance(value, float) else value}"
        )
