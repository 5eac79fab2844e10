"""`smixup doctor`: what is installed, where to compute, which data is there."""

from __future__ import annotations

import json
import os
from typing import Any

import typer

from smixup.app.cli import options

EXTRAS = {
    "lab": (
        *("filelock", "lightning-fabric", "matplotlib", "packaging", "rich", "scikit-learn"),
        *("torchmetrics", "typer"),
    ),
    "matching": ("pot",),
    "classical": ("pygmtools",),
    "cluster": ("ray",),
    "slurm": ("submitit",),
    "large": ("faiss-cpu",),
    "chem": ("rdkit",),
    "tables": ("pyarrow",),
}
"""The extras of pyproject.toml that users need, with their packages."""


def doctor(root: options.Root = None, as_json: options.AsJson = False) -> None:
    """Show versions, devices, data and extras, and say whether this machine is ready.

    The exit code is 1 if something is missing that smixup cannot work without.
    """
    import torch

    from smixup.app.runs.checkup import checkup
    from smixup.app.runs.environment import versions
    from smixup.datasets.layouts import present_names
    from smixup.datasets.location import data_root

    folder = data_root(root)
    findings = checkup(EXTRAS, folder)
    cuda = [f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in range(torch.cuda.device_count())]
    found: dict[str, Any] = {
        "versions": versions(),
        "devices": ["cpu", *cuda],
        "cores": os.cpu_count(),
        "data_root": str(folder),
        "datasets": ["MOTIF", *sorted(present_names(folder))],
        "extras": _extras(),
        "findings": [vars(each) for each in findings],
    }
    if as_json:
        typer.echo(json.dumps(found))
    else:
        _print(found)
        _judge(found["findings"])
    if any(each.serious for each in findings):
        raise typer.Exit(1)


def _judge(findings: list[dict[str, Any]]) -> None:
    """Say in words whether work can begin, and what could be added."""
    serious = [each["text"] for each in findings if each["serious"]]
    typer.echo("Not ready:" if serious else "Ready. `smixup demo` is a first look.")
    for text in serious:
        typer.echo(f"  {text}")
    if others := [each["text"] for each in findings if not each["serious"]]:
        typer.echo("To be installed if you need it:")
    for text in others:
        typer.echo(f"  {text}")


def _extras() -> dict[str, dict[str, Any]]:
    from smixup.app.runs.environment import installed

    return {
        extra: {
            "packages": {name: installed(name) for name in names},
            "install": f"pip install 'smixup[{extra}]'",
        }
        for extra, names in EXTRAS.items()
    }


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    rows = found["versions"] | {
        "cores": found["cores"],
        "devices": ", ".join(found["devices"]),
        "data root": found["data_root"],
        "datasets": ", ".join(found["datasets"]),
    }
    for extra, state in found["extras"].items():
        packages = (f"{name} {version or 'missing'}" for name, version in state["packages"].items())
        rows[f"extra {extra}"] = ", ".join(packages)
    table = Table(show_header=False, box=None)
    for name, value in rows.items():
        table.add_row(name, escape(str(value)))
    Console().print(table)
