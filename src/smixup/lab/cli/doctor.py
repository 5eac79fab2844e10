"""`smixup doctor`: what is installed, where to compute, which data is there."""

from __future__ import annotations

import json
import os
from typing import Any

import typer

from smixup.lab.cli import options

EXTRAS = {
    "lab": (
        *("filelock", "lightning-fabric", "matplotlib", "rich", "scikit-learn"),
        *("torchmetrics", "typer"),
    ),
    "matching": ("pygmtools", "pot"),
    "cluster": ("ray",),
    "slurm": ("submitit",),
    "large": ("faiss-cpu",),
    "chem": ("rdkit",),
    "tables": ("pyarrow",),
}
"""The extras of pyproject.toml that users need, with their packages."""


def doctor(root: options.Root = None, as_json: options.AsJson = False) -> None:
    """Tell versions, devices, threads, data found and optional extras."""
    import torch

    from smixup.datasets.layouts import present_names
    from smixup.datasets.location import data_root
    from smixup.lab.runs.environment import versions

    folder = data_root(root)
    cuda = [f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in range(torch.cuda.device_count())]
    found = {
        "versions": versions(),
        "devices": ["cpu", *cuda],
        "cores": os.cpu_count(),
        "data_root": str(folder),
        "datasets": ["MOTIF", *sorted(present_names(folder))],
        "extras": _extras(),
    }
    if as_json:
        typer.echo(json.dumps(found))
    else:
        _print(found)


def _extras() -> dict[str, dict[str, Any]]:
    from smixup.lab.runs.environment import installed

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
        advice = "" if all(state["packages"].values()) else f"; to install: {state['install']}"
        rows[f"extra {extra}"] = ", ".join(packages) + advice
    table = Table(show_header=False, box=None)
    for name, value in rows.items():
        table.add_row(name, escape(str(value)))
    Console().print(table)
