"""`smixup figure`: the paper's pictures, drawn from runs of one's own."""

from __future__ import annotations

import typer

app = typer.Typer(help="Draw the paper's pictures anew.", no_args_is_help=True)


@app.callback()
def figure() -> None:
    """Draw the paper's pictures anew."""
