"""`smixup matchers`: what aligns two graphs, by name."""

from __future__ import annotations

from typing import Annotated

import typer

from smixup.app.cli import options
from smixup.app.cli.parts import show_parts
from smixup.app.runs.registry import MATCHERS


def matchers(
    name: Annotated[
        str | None,
        typer.Argument(help="Matcher whose settings to show. By default all are listed."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the matchers, or the settings of one with their defaults."""
    show_parts(MATCHERS, name, as_json)
