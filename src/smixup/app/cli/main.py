"""The command `smixup`: mounts the commands and turns errors into one line and an exit code."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import smixup
from smixup.app.cli import data
from smixup.app.cli.about import doctor, methods
from smixup.app.cli.models import demo, explain, explore, predict
from smixup.app.cli.train import compare, train
from smixup.errors import SENTENCE, SmixupError, UsageError, plainly, shown
from smixup.progress import termination_as_interrupt

DEBUG = "SMIXUP_DEBUG"
"""The variable that asks where an error arose."""


class Commands(TyperGroup):
    """The commands, with one way of failing: 0 fine, 1 failed work, 2 wrong use, 130 stopped."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with failing_in_one_line():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with failing_in_one_line(), termination_as_interrupt():
            return super().invoke(ctx)


@contextmanager
def failing_in_one_line() -> Iterator[None]:
    """Say what went wrong in one line, and end; help that was asked for is no error."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, typer.Exit | typer.Abort) or "IsHelp" in type(error).__name__:
            raise
        if os.environ.get(DEBUG):
            traceback.print_exception(error)
        interrupted = isinstance(error, KeyboardInterrupt)
        typer.echo("interrupted" if interrupted else f"smixup: {_sentence(error)}", err=True)
        code = 130 if interrupted else 2 if isinstance(error, UsageError) else 1
        raise typer.Exit(getattr(error, "exit_code", code)) from None


def _sentence(error: Any) -> str:
    if isinstance(error, SmixupError):
        return str(error)
    if hasattr(error, "format_message"):  # typer's, of an option that is not there, say
        words = " ".join(str(error.format_message()).split()).rstrip(".")
        end = "" if words.endswith("?") else "."
        command = error.ctx.command_path.removeprefix(error.ctx.find_root().info_name)
        return f"{words[:1].lower()}{words[1:]}{end} `smixup{command} -h` tells what is allowed."
    if isinstance(error, OSError) and error.strerror:
        place = f" ({shown(error.filename, SENTENCE)})" if error.filename else ""
        return f"{error.strerror}{place}."
    if isinstance(error, MemoryError):
        return "there is not enough memory: SMIXUP_MEMORY=2GB, for instance, asks for less."
    what = shown(f"{type(error).__name__}: {error}".splitlines()[0], SENTENCE)
    return f"unexpected {what} ({DEBUG}=1 tells where)"


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"smixup {smixup.__version__}")
        raise typer.Exit


app = typer.Typer(
    name="smixup",
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # importing rich would double the time that --help takes
    help="Graph mixup along node alignments: does it help on your data? Train, predict, compare.",
)
_SHOW = typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
Version = Annotated[bool, _SHOW]


@app.callback()
def options(version: Version = False) -> None:
    """Take what all commands share."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch and NumPy are imported
    warnings.formatwarning = plainly


for _command in (compare, train, predict, explain, explore, demo, methods, doctor):
    app.command()(_command)
app.add_typer(data.app, name="data")
