"""`--open`: show a page that was just written."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from smixup.app.cli.options import option
from smixup.errors import UsageError

Open = Annotated[bool, option("Open the page in the browser when it is written.", "--open")]


def require_page(wanted: bool, written: bool, name: str) -> None:
    """Refuse to open a page that will not be written; `name` is what one could be called."""
    if wanted and not written:
        raise UsageError(f"--open shows a page: name one by --out {name}.")


def show_page(page: Path, wanted: bool) -> None:
    """Open a page in the browser if that is wanted; where there is none, say so: the page is
    there all the same.
    """
    if wanted and not webbrowser.open(page.resolve().as_uri()):
        typer.echo(f"no browser was found to open {page} with.", err=True)
