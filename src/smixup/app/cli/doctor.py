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
    found: dict[str, Any] = {
        "versions": versions(),
        "devices": ["cpu", *cuda],
        "cores": os.cpu_count(),
        "data_root": str(folder),
        "datasets": ["MOTIF", *sorted(present_names(folder))],
        "extras": {
            extra: {
                "packages": {name: installed(name) for name in names},
                "install": f"pip install 'smixup[{extra}]'",
            }
            for extra, names in EXTRAS.items()
        },
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
    rows |= {"cores": str(found["cores"]), "data root": found["data_root"]}
    rows |= {name: ", ".join(found[name]) for name in ("devices", "datasets")}
    for extra, state in found["extras"].items():
        packages = (f"{name} {version or 'missing'}" for name, version in state["packages"].items())
        rows[f"extra {extra}"] = ", ".join(packages)
    print_table(["what", "found"], rows.items(), words=2)
    serious = [f"  {each['text']}" for each in found["findings"] if each["serious"]]
    others = [f"  {each['text']}" for each in found["findings"] if not each["serious"]]
    ready = ["Not ready:", *serious] if serious else ["Ready. `smixup demo` is a first look."]
    typer.echo(
        "\n".join([*ready, *(["To be installed if you need it:", *others] if others else [])])
    )
