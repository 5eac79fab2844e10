"""Lists of methods and matchers, and the settings of one: what `--method`, `--matcher` and `--set`
take.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import typer

from smixup.app.cli.printing import print_table
from smixup.documented import summary, summary_unimported
from smixup.registry import Registry


def show_parts(registry: Registry[Any], name: str | None, as_json: bool) -> None:
    """Print all things of a kind with a sentence each, or one with its settings."""
    if name is None:
        _show_all(registry, as_json)
    else:
        _show_one(registry, name, as_json)


def _show_all(registry: Registry[Any], as_json: bool) -> None:
    told = {name: _told(entry) for name, entry in registry.entries.items()}
    if as_json:
        typer.echo(json.dumps(told))
    else:
        print_table([registry.kind, "what it does"], told.items(), words=2, narrow=True)


def _told(entry: str | Callable[..., Any]) -> str:
    return summary_unimported(entry) if isinstance(entry, str) else summary(entry)


def _show_one(registry: Registry[Any], name: str, as_json: bool) -> None:
    from smixup.app.runs.setting import settings_of

    factory = registry.factory(name)
    settings = settings_of(factory)
    if as_json:
        told = {"name": name, "does": summary(factory), "settings": [*map(asdict, settings)]}
        typer.echo(json.dumps(told))
        return
    typer.echo(summary(factory))
    if not settings:
        typer.echo(f"The {registry.kind} {name} has no settings.")
        return
    rows = [[each.name, _shown(each.default), each.meaning] for each in settings]
    print_table(["setting", "default", "meaning"], rows, words=3, narrow=True)


def _shown(value: Any) -> str:
    """Write a value as `--set` takes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
