"""`smixup methods`: the augmentations and matchers by name, and the settings of one."""

from __future__ import annotations

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
        _list(as_json)
        return
    registry = METHODS if name in METHODS else MATCHERS
    if name not in registry:
        raise unknown_name("method or matcher", name, [*METHODS, *MATCHERS])
    from smixup.app.runs.registry import settings_of

    factory = registry.factory(name)
    does, settings = summary(factory), settings_of(factory)
    if as_json:
        print_json({"name": name, "does": does, "settings": [*map(asdict, settings)]})
        return
    typer.echo(does if settings else f"{does}\nThe {registry.kind} {name} has no settings.")
    rows = [[each.name, _shown(each.default), each.meaning] for each in settings]
    if rows:
        print_table(["setting", "default", "meaning"], rows, words=3)


def _list(as_json: bool) -> None:
    found = {
        f"{registry.kind}s": {
            name: summary_unimported(entry) if isinstance(entry, str) else summary(entry)
            for name, entry in registry.entries.items()
        }
        for registry in (METHODS, MATCHERS)
    }
    if as_json:
        print_json(found)
        return
    for kind, rows in found.items():
        print_table([kind, "what they do"], rows.items(), words=2)


def _shown(value: Any) -> str:
    """Write a value as `--set` takes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
