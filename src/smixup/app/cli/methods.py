"""`smixup methods`: the augmentations and matchers by name, and the settings of one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.printing import print_table
from smixup.app.runs.registry import MATCHERS, METHODS
from smixup.documented import summary, summary_unimported
from smixup.errors import unknown_name
from smixup.registry import Registry


def methods(
    name: Annotated[
        str | None,
        typer.Argument(help="Method or matcher whose settings to show. By default all are listed."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the augmentations and the matchers, or the settings of one with their defaults."""
    if name is None:
        _show_all(as_json)
        return
    registry = METHODS if name in METHODS else MATCHERS
    if name not in registry:
        raise unknown_name("method or matcher", name, [*METHODS, *MATCHERS])
    _show_one(registry, name, as_json)


def _show_all(as_json: bool) -> None:
    found = {
        f"{registry.kind}s": {key: _does(entry) for key, entry in registry.entries.items()}
        for registry in (METHODS, MATCHERS)
    }
    if as_json:
        typer.echo(json.dumps(found))
        return
    for registry in (METHODS, MATCHERS):
        rows = found[f"{registry.kind}s"].items()
        print_table([registry.kind, "what it does"], rows, words=2, narrow=True)


def _does(entry: str | Callable[..., Any]) -> str:
    return summary_unimported(entry) if isinstance(entry, str) else summary(entry)


def _show_one(registry: Registry[Any], name: str, as_json: bool) -> None:
    from smixup.app.runs.setting import settings_of

    factory = registry.factory(name)
    settings = settings_of(factory)
    if as_json:
        found = {"name": name, "does": summary(factory), "settings": [*map(asdict, settings)]}
        typer.echo(json.dumps(found))
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
