"""The options by which `sweep`, `table` and `report` choose a part of an experiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

if TYPE_CHECKING:
    from smixup.lab.sweeps.record import Record
    from smixup.lab.sweeps.store import Store
    from smixup.lab.tables.result import ResultTable
    from smixup.lab.tables.scope import Scope

PANEL = "Which part"
Name = Annotated[
    str, typer.Argument(help="An experiment; `smixup sweep list` names them.", show_default=False)
]
StoreFile = Annotated[Path, typer.Option("--store", help="The file that keeps the runs.")]
AnyCode = Annotated[
    bool,
    typer.Option(
        "--any-code", help="Count runs of other versions of the code, too.", rich_help_panel=PANEL
    ),
]
DEFAULT_STORE = Path("runs") / "sweeps.db"


def option(help_: str, *names: str) -> Any:
    """Return an option in the panel of those that choose a part."""
    return typer.Option(*names, help=help_, rich_help_panel=PANEL)


@dataclass(frozen=True)
class Part:
    """The options that choose a part of an experiment; `with_part` gives them to a command."""

    datasets: Annotated[
        list[str] | None, option("Only this dataset or column; may be repeated.", "--dataset")
    ] = None
    backbones: Annotated[list[str] | None, option("Only gcn or gin.", "--backbone")] = None
    methods: Annotated[
        list[str] | None, option("Only this row or method, beside the reference.", "--method")
    ] = None
    seeds: Annotated[
        int | None, option("Paired runs per cell. By default the experiment's number, mostly 10.")
    ] = None
    epochs: Annotated[int | None, option("Train for so many epochs instead: a rehearsal.")] = None
    search: Annotated[
        bool | None, option("Search each method's settings, or take defaults.", "--grid/--no-grid")
    ] = None

    def scope(self, before: Scope | None = None) -> Scope:
        """Return the scope that the options describe; what they leave open is as it was before, or
        all of it.
        """
        from smixup.lab.tables.scope import Scope

        given = {name: value for name, value in vars(self).items() if value not in (None, [])}
        return Scope.from_dict((before or Scope()).to_dict() | given)


def with_part(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Part`; it gets their values as its argument `part`."""
    hints = get_type_hints(Part, include_extras=True)
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in hints.items()
    ]

    @wraps(command)
    def wrapped(**values: Any) -> None:
        part = Part(**{name: values.pop(name) for name in hints})
        command(**values, part=part)

    own = [
        each
        for each in signature(command, eval_str=True).parameters.values()
        if each.name != "part"
    ]
    keywords = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in own]
    wrapped.__signature__ = Signature([*keywords, *options])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in (*keywords, *options)}
    return wrapped


def existing(path: Path) -> Store:
    """Return a store to read; one that is not there is more likely a slip than a wish to see
    nothing.
    """
    from smixup.errors import SmixupError
    from smixup.lab.sweeps.store import Store

    if not path.exists():
        raise SmixupError(
            f"there is no store {path}; --store names one, and `smixup sweep run` makes one."
        )
    return Store(path)


@dataclass(frozen=True)
class Reading:
    """A store as a command shows it: its runs, and the table of one part of an experiment."""

    store: Store
    records: dict[str, Record]
    table: ResultTable


def read(name: str, path: Path, part: Part, any_code: bool) -> Reading:
    """Read a store; the part is the one that was run last, as far as the options do not say
    otherwise.
    """
    from smixup.lab.tables.registry import experiment_named

    experiment, store = experiment_named(name), existing(path)
    records = records_of(store, any_code)
    return Reading(store, records, experiment.render(part.scope(last_scope(store, name)), records))


def records_of(store: Store, any_code: bool) -> dict[str, Record]:
    """Return the runs of a store, by default those of this version of the code."""
    return store.records_of_any_code() if any_code else store.records()


def last_scope(store: Store, experiment: str) -> Scope:
    """Return the scope in which an experiment was run last, all of it if it never was."""
    from smixup.lab.tables.scope import Scope

    known = store.scopes()
    return Scope.from_dict(known[experiment]) if experiment in known else Scope()
