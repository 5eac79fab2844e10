"""`smixup doctor`: what is installed, where to compute, which data is there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

EXTRAS = {"matching": ("pygmtools", "pot")}


def doctor(
    root: Annotated[Path | None, typer.Option(help="The data root.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Tell versions, devices, threads, data found and optional extras."""
    found = {
        "versions": _versions(),
        "devices": _devices(),
        "cores": os.cpu_count(),
        **_data(root),
        "extras": _extras(),
    }
    if json_:
        typer.echo(json.dumps(found))
    else:
        _print(found)


def _versions() -> dict[str, Any]:
    from smixup.lab.runs.environment import versions

    return versions()


def _devices() -> list[str]:
    import torch

    cuda = [f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in range(torch.cuda.device_count())]
    return ["cpu", *cuda, *(["mps"] if torch.backends.mps.is_available() else [])]


def _data(root: Path | None) -> dict[str, Any]:
    from smixup.datasets.layouts import present_names
    from smixup.datasets.location import data_root

    folder = data_root(root)
    return {"data_root": str(folder), "datasets": ["MOTIF", *sorted(present_names(folder))]}


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

    table = Table(show_header=False, box=None)
    for name, version in found["versions"].items():
        table.add_row(name, str(version))
    table.add_row("cores", str(found["cores"]))
    table.add_row("devices", ", ".join(found["devices"]))
    table.add_row("data root", found["data_root"])
    table.add_row("datasets", ", ".join(found["datasets"]))
    for extra, state in found["extras"].items():
        packages = ", ".join(
            f"{name} {version or 'missing'}" for name, version in state["packages"].items()
        )
        advice = "" if all(state["packages"].values()) else f"; to install: {state['install']}"
        table.add_row(f"extra {extra}", escape(packages + advice))
    Console().print(table)
