"""`smixup methods`: the augmentations and matchers by name, and the settings of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.printing import print_json, print_table
from smixup.app.runs.registry import MATCHERS, METHODS
from smixup.documented import summary, summary_unimported
from smixup.errors import unknown_name


def methods(name: options.Part = None, as_json: options.AsJson = False) -> None:
    """List augmentations and matchers, or the settings of one."""
    if name is None:
        _show_all(as_json)
        return
    registry = METHODS if name in METHODS else MATCHERS
    if name not in registry:
        raise unknown_name("method or matcher", name, [*METHODS, *MATCHERS])
    from smixup.app.runs.registry import settings_of

    factory = registry.factory(name)
    settings = settings_of(factory)
    if as_json:
        found = {"name": name, "does": summary(factory), "settings": [*map(asdict, settings)]}
        print_json(found)
        return
    typer.echo(summary(factory))
    if not settings:
        typer.echo(f"The {registry.kind} {name} has no settings.")
        return
    rows = [[each.name, _shown(each.default), each.meaning] for each in settings]
    print_table(["setting", "default", "meaning"], rows, words=3)


def _show_all(as_json: bool) -> None:
    found = {
        f"{registry.kind}s": {name: _does(entry) for name, entry in registry.entries.items()}
        for registry in (METHODS, MATCHERS)
    }
    if as_json:
        print_json(found)
        return
    for kind, rows in found.items():
        print_table([kind, "what they do"], rows.items(), words=2)


def _does(entry: str | Callable[..., Any]) -> str:
    return summary_unimported(entry) if isinstance(entry, str) else summary(entry)


def _shown(value: Any) -> str:
    """Write a value as `--set` takes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
