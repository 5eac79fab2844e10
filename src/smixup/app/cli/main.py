"""The command `smixup`: mounts the verbs and turns errors into one line and an exit code."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from errno import EACCES, EDQUOT, EIO, EMFILE, ENAMETOOLONG, ENOSPC, EPERM, EROFS
from importlib import import_module
from inspect import getdoc
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import smixup
from smixup.app.cli import progress
from smixup.app.cli.wrong_use import in_one_line, says_itself
from smixup.errors import SmixupError, UsageError
from smixup.interrupt import termination_as_interrupt
from smixup.optional import missing_package
from smixup.shown import sentence
from smixup.warning import plainly

VERBS = (
    *("compare", "train", "predict", "explain", "explore", "demo"),
    *("methods", "data", "doctor"),
)
OF_THE_DISK = (ENOSPC, EROFS, EACCES, EPERM, EDQUOT, EIO, EMFILE, ENAMETOOLONG)
"""Errors of a system that say all there is to say."""
ANYWHERE = ("--debug", "--quiet")
FAILED, WRONG_USE, INTERRUPTED = 1, 2, 130


class Verbs(TyperGroup):
    """The verbs, with one way of failing: 0 fine, 1 failed work, 2 wrong use, 130 interrupted."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let options that all verbs share stand anywhere."""
        shared = [each for each in args if each in ANYWHERE]
        others = [each for each in args if each not in ANYWHERE]
        try:
            return super().parse_args(ctx, [*shared, *others])
        except Exception as error:
            if says_itself(error):
                _fail(ctx, f"smixup: {in_one_line(error)}", WRONG_USE, error)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run a verb; without `--debug` an error is one line on standard error."""
        try:
            with termination_as_interrupt():
                return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt as error:
            _fail(ctx, "interrupted", INTERRUPTED, error)
        except SmixupError as error:
            otherwise = WRONG_USE if isinstance(error, UsageError) else FAILED
            _fail(ctx, f"smixup: {error}", getattr(error, "exit_code", otherwise), error)
        except Exception as error:
            if says_itself(error):
                _fail(ctx, f"smixup: {in_one_line(error)}", WRONG_USE, error)
            if hasattr(error, "show"):  # help that takes the place of an error
                raise
            _fail(ctx, f"smixup: {_surprise(error)}", FAILED, error)


def _fail(ctx: Any, message: str, code: int, error: BaseException) -> None:
    if ctx.params.get("debug"):
        import traceback

        traceback.print_exception(error)
    typer.echo(message, err=True)
    raise typer.Exit(code)


def _surprise(error: Exception) -> str:
    """Say in one line what nobody foresaw; a package that is not there belongs to the extra."""
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("smixup"):
        return str(missing_package(str(error.name), "lab"))
    if isinstance(error, OSError) and error.errno in OF_THE_DISK:
        place = f" ({sentence(str(error.filename))})" if error.filename else ""
        return f"{error.strerror}{place}."
    if isinstance(error, MemoryError):
        return "there is not enough memory: --memory, where there is such an option, asks for less."
    what = sentence(f"{type(error).__name__}: {error}".splitlines()[0])
    return f"unexpected {what} (add --debug to see where)"


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"smixup {smixup.__version__}")
        raise typer.Exit


def paragraphs(command: Callable[..., None]) -> str:
    """Return a docstring whose paragraphs are one line each, so that the terminal's width alone
    breaks them.
    """
    parts = (getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(part.split()) for part in parts)


app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="Graph mixup along node alignments: does it help on your data? Train, predict, compare.",
)


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error arose. May stand anywhere.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show no progress. May stand anywhere.")
    ] = False,
) -> None:
    """Take the options that all verbs share."""
    progress.quiet.set(quiet)
    if not debug:
        warnings.formatwarning = plainly


for _verb in VERBS:  # `cli/<verb>.py` has an `app` of its own, or a function of that name
    _module = import_module(f"smixup.app.cli.{_verb}")
    if hasattr(_module, "app"):
        for _below in _module.app.registered_commands:
            _below.help = paragraphs(_below.callback)
        app.add_typer(_module.app, name=_verb)
    else:
        _command = getattr(_module, _verb)
        app.command(_verb, help=paragraphs(_command))(_command)
