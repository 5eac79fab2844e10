"""`smixup doctor`: what is installed, where to compute, which data is there."""

from __future__ import annotations

import os
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.printing import print_json, print_table

EXTRAS = {"matching": ("pot", "pygmtools"), "chem": ("rdkit",), "cluster": ("ray",)}
"""The extras of pyproject.toml, with their packages."""


def doctor(root: options.Root = None, as_json: options.AsJson = False) -> None:
    """Show versions, devices and data, and say whether all is ready.

    The exit code is 1 if something is missing that smixup cannot work without.
    """
    import torch

    from smixup.app.runs.checkup import checkup
    from smixup.app.runs.run import installed, versions
    from smixup.datasets.layouts import present_names
    from smixup.datasets.location import data_root

    folder = data_root(root)
    findings = checkup(EXTRAS, folder)
    cuda = [f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in range(torch.cuda.device_count())]
    extras = {
        extra: {
            "packages": {name: installed(name) for name in names},
            "install": f"pip install 'smixup[{extra}]'",
        }
        for extra, names in EXTRAS.items()
    }
    found: dict[str, Any] = {
        "versions": versions(),
        "devices": ["cpu", *cuda],
        "cores": os.cpu_count(),
        "data_root": str(folder),
        "datasets": ["MOTIF", *sorted(present_names(folder))],
        "extras": extras,
        "findings": [vars(finding) for finding in findings],
    }
    if as_json:
        print_json(found)
    else:
        _print(found)
    if any(finding.serious for finding in findings):
        raise typer.Exit(1)


def _print(found: dict[str, Any]) -> None:
    """Print what there is, and say in words whether work can begin, and what could be added."""
    rows = {name: str(version) for name, version in found["versions"].items()}
    for name in ("cores", "devices", "data_root", "datasets"):
        value = found[name]
        rows[name.replace("_", " ")] = ", ".join(value) if isinstance(value, list) else str(value)
    for extra, state in found["extras"].items():
        packages = (f"{name} {version or 'missing'}" for name, version in state["packages"].items())
        rows[f"extra {extra}"] = ", ".join(packages)
    print_table(["what", "found"], rows.items(), words=2)
    serious = [each["text"] for each in found["findings"] if each["serious"]]
    others = [each["text"] for each in found["findings"] if not each["serious"]]
    typer.echo("Not ready:" if serious else "Ready. `smixup demo` is a first look.")
    for text in serious:
        typer.echo(f"  {text}")
    if others:
        typer.echo("To be installed if you need it:")
    for text in others:
        typer.echo(f"  {text}")
