"""The command `smixup`: mounts the commands and turns errors into one line and an exit code."""

from __future__ import annotations

import traceback
import warnings
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

import smixup
from smixup.app.cli import data
from smixup.app.cli.about import doctor, methods
from smixup.app.cli.models import demo, explain, explore, predict
from smixup.app.cli.output import quiet as quiet_output
from smixup.app.cli.train import compare, train
from smixup.errors import SENTENCE, SmixupError, UsageError, plainly, shown
from smixup.progress import termination_as_interrupt

ANYWHERE = ("--debug", "--quiet")


class Commands(TyperGroup):
    """The commands, with one way of failing: 0 fine, 1 failed work, 2 wrong use, 130 stopped."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let options that all commands share stand anywhere."""
        shared = [word for word in args if word in ANYWHERE]
        others = [word for word in args if word not in ANYWHERE]
        try:
            return super().parse_args(ctx, [*shared, *others])
        except Exception as error:
            _fail(ctx, error)

    def invoke(self, ctx: Any) -> Any:
        try:
            with termination_as_interrupt():
                return super().invoke(ctx)
        except (Exception, KeyboardInterrupt) as error:
            _fail(ctx, error)


def _fail(ctx: Any, error: BaseException) -> NoReturn:
    """Say what went wrong in one line, and end; help that was asked for is no error."""
    if isinstance(error, typer.Exit | typer.Abort) or type(error).__name__ == "NoArgsIsHelpError":
        raise error
    code, message = 2 if isinstance(error, UsageError) else 1, f"smixup: {error}"
    if isinstance(error, KeyboardInterrupt):
        code, message = 130, "interrupted"
    elif hasattr(error, "format_message"):  # typer's, of an option that is not there, say
        code, message = 2, f"smixup: {_wrong_use(error)}"
    elif not isinstance(error, SmixupError):
        message = f"smixup: {_unexpected(error)}"
    if ctx.params.get("debug"):
        traceback.print_exception(error)
    typer.echo(message, err=True)
    raise typer.Exit(getattr(error, "exit_code", code))


def _wrong_use(error: Any) -> str:
    """Return what is wrong, and the command that tells what is allowed."""
    words = " ".join(str(error.format_message()).split()).rstrip(".")
    end = "" if words.endswith("?") else "."
    command, context = "", error.ctx
    while context is not None and context.parent is not None:
        command, context = f" {context.info_name}{command}", context.parent
    return f"{words[:1].lower()}{words[1:]}{end} `smixup{command} -h` tells what is allowed."


def _unexpected(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f" ({shown(error.filename, SENTENCE)})" if error.filename else ""
        return f"{error.strerror}{place}."
    if isinstance(error, MemoryError):
        return "there is not enough memory: SMIXUP_MEMORY=2GB, for instance, asks for less."
    what = shown(f"{type(error).__name__}: {error}".splitlines()[0], SENTENCE)
    return f"unexpected {what} (add --debug to see where)"


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"smixup {smixup.__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # importing rich would double the time that --help takes
    help="Graph mixup along node alignments: does it help on your data? Train, predict, compare.",
)
VERSION = typer.Option(
    "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
)
DEBUG = typer.Option("--debug", help="Show where an error arose. May stand anywhere.")
QUIET = typer.Option("--quiet", help="Show no progress. May stand anywhere.")


@app.callback()
def options(
    version: Annotated[bool, VERSION] = False,
    debug: Annotated[bool, DEBUG] = False,
    quiet: Annotated[bool, QUIET] = False,
) -> None:
    """Take the options that all commands share."""
    quiet_output.set(quiet)
    if not debug:
        warnings.formatwarning = plainly


for _command in (compare, train, predict, explain, explore, demo, methods, doctor):
    app.command()(_command)
app.add_typer(data.app, name="data")
