"""What there is: `smixup methods` and `smixup doctor`."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from inspect import cleandoc
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.output import cores, print_table
from smixup.app.runs.registry import MATCHERS, parameters
from smixup.errors import unknown_name
from smixup.names import METHODS
from smixup.settings import described, option_types

EXTRAS = {"matching": ("pot", "pygmtools"), "chem": ("rdkit",), "cluster": ("ray",)}
"""The extras of pyproject.toml, with their packages."""


def methods(name: options.Part = None) -> None:
    """List augmentations and matchers, or the settings of one."""
    if name is None:
        for registry in (METHODS, MATCHERS):
            rows = [(each, registry.summary(each)) for each in registry]
            print_table([f"{registry.kind}s", "what they do"], rows, words=2)
        return
    registry = METHODS if name in METHODS else MATCHERS
    if name not in registry:
        raise unknown_name("method or matcher", name, [*METHODS, *MATCHERS])
    factory = registry.factory(name)
    typer.echo(_documentation(factory))
    defaults = {each: _shown(known.default) for each, known in parameters(factory).items()}
    if kinds := option_types(factory):
        settings = [(each, defaults[each], described(kind)) for each, kind in kinds.items()]
        print_table(["setting", "default", "kind"], settings, words=3)


def _documentation(kind: Any) -> str:
    """Return the docstring of a class, with what those above it say of their attributes."""
    own, *above = [cleandoc(each.__doc__) for each in kind.__mro__ if vars(each).get("__doc__")]
    parts = [doc.partition("Attributes:\n")[2].rstrip() for doc in above]
    inherited = [part for part in parts if part]
    title = [] if "Attributes:" in own or not inherited else ["\nAttributes:"]
    return "\n".join([own, *title, *inherited])


def _shown(value: Any) -> str:
    """Write a value as `--set` takes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def doctor(root: options.Root = None) -> None:
    """Show versions, devices, data, and which extras are installed."""
    import torch

    from smixup.app.runs.run import versions
    from smixup.datasets.sources import data_root, present_names

    folder, devices = data_root(root), range(torch.cuda.device_count())
    facts = {
        **versions(),
        "devices": ", ".join(["cpu", *map(torch.cuda.get_device_name, devices)]),
        "cores": cores(),
        "data root": folder,
        "datasets": ", ".join(["MOTIF", *sorted(present_names(folder))]),
        **{f"extra {extra}": _installed(extra, names) for extra, names in EXTRAS.items()},
    }
    for name, value in facts.items():
        typer.echo(f"{name.replace('_', ' '):<16} {value}")


def _installed(extra: str, packages: tuple[str, ...]) -> str:
    try:
        return ", ".join(f"{name} {version(name)}" for name in packages)
    except PackageNotFoundError as missing:
        return f"{missing.name} is missing: pip install 'smixup[{extra}]'"
