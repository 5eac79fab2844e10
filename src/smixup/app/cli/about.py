"""What there is: `smixup methods` and `smixup doctor`."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.output import cores, print_json, print_table
from smixup.app.runs.registry import MATCHERS, settings_of
from smixup.errors import unknown_name
from smixup.names import METHODS

EXTRAS = {"matching": ("pot", "pygmtools"), "chem": ("rdkit",), "cluster": ("ray",)}
"""The extras of pyproject.toml, with their packages."""


def methods(name: options.Part = None, as_json: options.AsJson = False) -> None:
    """List augmentations and matchers, or the settings of one."""
    if name is None:
        _list_all(as_json)
        return
    registry = METHODS if name in METHODS else MATCHERS
    if name not in registry:
        raise unknown_name("method or matcher", name, [*METHODS, *MATCHERS])
    does, settings = registry.summary(name), settings_of(registry.factory(name))
    if as_json:
        print_json({"name": name, "does": does, "settings": settings})
        return
    typer.echo(does if settings else f"{does}\nThe {registry.kind} {name} has no settings.")
    rows = [[each["name"], _shown(each["default"]), each["meaning"]] for each in settings]
    if rows:
        print_table(["setting", "default", "meaning"], rows, words=3)


def _list_all(as_json: bool) -> None:
    listed = {
        f"{registry.kind}s": {name: registry.summary(name) for name in registry}
        for registry in (METHODS, MATCHERS)
    }
    if as_json:
        print_json(listed)
    else:
        for kind, rows in listed.items():
            print_table([kind, "what they do"], rows.items(), words=2)


def _shown(value: Any) -> str:
    """Write a value as `--set` takes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def doctor(root: options.Root = None, as_json: options.AsJson = False) -> None:
    """Show versions, devices, data, and which extras are installed."""
    import torch

    from smixup.app.runs.run import versions
    from smixup.datasets.sources import data_root, present_names

    folder, devices = data_root(root), range(torch.cuda.device_count())
    facts: dict[str, Any] = {
        **versions(),
        "devices": ["cpu", *map(torch.cuda.get_device_name, devices)],
        "cores": cores(),
        "data_root": str(folder),
        "datasets": ["MOTIF", *sorted(present_names(folder))],
    }
    facts |= {f"extra_{extra}": _installed(extra, names) for extra, names in EXTRAS.items()}
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        text = ", ".join(value) if isinstance(value, list) else value
        typer.echo(f"{name.replace('_', ' '):<16} {text}")


def _installed(extra: str, packages: tuple[str, ...]) -> str:
    try:
        return ", ".join(f"{name} {version(name)}" for name in packages)
    except PackageNotFoundError as missing:
        return f"{missing.name} is missing: pip install 'smixup[{extra}]'"
