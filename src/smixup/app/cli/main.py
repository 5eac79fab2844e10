"""The command `smixup`: mounts the commands and turns errors into one line and an exit code."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from inspect import getdoc
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import smixup
from smixup.app.cli import progress
from smixup.errors import SmixupError, UsageError
from smixup.interrupt import termination_as_interrupt
from smixup.shown import sentence
from smixup.warning import plainly

COMMANDS = (
    *("compare", "train", "predict", "explain", "explore", "demo", "methods", "data", "doctor"),
)
ANYWHERE = ("--debug", "--quiet")
FAILED, WRONG_USE, INTERRUPTED = 1, 2, 130
PARSED = "Input should be "


class Commands(TyperGroup):
    """The commands, with one way of failing: 0 fine, 1 failed work, 2 wrong use, 130 stopped."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let options that all commands share stand anywhere."""
        shared = [word for word in args if word in ANYWHERE]
        try:
            return super().parse_args(
                ctx, [*shared, *(word for word in args if word not in shared)]
            )
        except Exception as error:
            if _is_wrong_use(error):
                _fail(ctx, f"smixup: {_wrong_use(error)}", WRONG_USE, error)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run a command; without `--debug` an error is one line on standard error."""
        try:
            with termination_as_interrupt():
                return super().invoke(ctx)
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt as error:
            _fail(ctx, "interrupted", INTERRUPTED, error)
        except SmixupError as error:
            usual = WRONG_USE if isinstance(error, UsageError) else FAILED
            _fail(ctx, f"smixup: {error}", getattr(error, "exit_code", usual), error)
        except Exception as error:
            if _is_wrong_use(error):
                _fail(ctx, f"smixup: {_wrong_use(error)}", WRONG_USE, error)
            if hasattr(error, "show"):  # a group without a command answers with its help
                raise
            _fail(ctx, f"smixup: {_unexpected(error)}", FAILED, error)


def _fail(ctx: Any, message: str, code: int, error: BaseException) -> None:
    if ctx.params.get("debug"):
        import traceback

        traceback.print_exception(error)
    typer.echo(message, err=True)
    raise typer.Exit(code)


def _is_wrong_use(error: Exception) -> bool:
    """Tell whether typer refuses the command line itself, such as an option it does not know."""
    return hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError"


def _wrong_use(error: Any) -> str:
    """Return what is wrong, and the command that tells what is allowed."""
    words = " ".join(str(error.format_message()).split()).rstrip(".")
    if PARSED in words:  # Invalid value for '--seeds': Input should be ..., unable to parse ...
        words = words.partition(", unable to parse")[0].replace(PARSED, "it should be ")
    end = "" if words.endswith("?") else "."
    names = list[str]()
    context = error.ctx
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    command = " ".join(["smixup", *names])
    return f"{words[:1].lower()}{words[1:]}{end} `{command} -h` tells what is allowed."


def _unexpected(error: Exception) -> str:
    """Say in one line what nobody foresaw."""
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("smixup"):
        return f"this needs {error.name}, which is missing: pip install {error.name}."
    if isinstance(error, OSError) and error.strerror:
        place = f" ({sentence(str(error.filename))})" if error.filename else ""
        return f"{error.strerror}{place}."
    if isinstance(error, MemoryError):
        return "there is not enough memory: SMIXUP_MEMORY=2GB, for instance, asks for less."
    what = sentence(f"{type(error).__name__}: {error}".splitlines()[0])
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
    """Take the options that all commands share."""
    progress.quiet.set(quiet)
    if not debug:
        warnings.formatwarning = plainly


def _help(command: Callable[..., Any]) -> str:
    """Return a docstring with a line per paragraph, so that the terminal alone breaks lines."""
    paragraphs = (getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


for _name in COMMANDS:  # `cli/<name>.py` has an `app` of its own, or a function of that name
    _module = import_module(f"smixup.app.cli.{_name}")
    if hasattr(_module, "app"):
        for _below in _module.app.registered_commands:
            _below.help = _help(_below.callback)
        app.add_typer(_module.app, name=_name)
    else:
        _command = getattr(_module, _name)
        app.command(_name, help=_help(_command))(_command)
