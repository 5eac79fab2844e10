"""The options by which `sweep`, `table` and `report` choose a part of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from smixup.experiments.sweep.store import Record, Store
    from smixup.experiments.tables.scope import Scope

PART = "Which part"
Name = Annotated[str, typer.Argument(help="An experiment; `smixup sweep list` names them.", show_default=False)]
StoreFile = Annotated[Path, typer.Option("--store", help="The file that keeps the runs.")]
Datasets = Annotated[
    list[str] | None,
    typer.Option("--dataset", help="Only this dataset or column; may be repeated.", rich_help_panel=PART),
]
Backbones = Annotated[list[str] | None, typer.Option("--backbone", help="Only gcn or gin.", rich_help_panel=PART)]
Methods = Annotated[
    list[str] | None,
    typer.Option("--method", help="Only this row or method, beside the reference.", rich_help_panel=PART),
]
Seeds = Annotated[
    int | None, typer.Option(help="Paired runs per cell. [default: the experiment's, mostly 10]", rich_help_panel=PART)
]
Epochs = Annotated[
    int | None, typer.Option(help="Train for so many epochs instead: a rehearsal.", rich_help_panel=PART)
]
Search = Annotated[
    bool | None,
    typer.Option("--grid/--no-grid", help="Search each method's settings, or take defaults.", rich_help_panel=PART),
]
AnyCode = Annotated[
    bool, typer.Option("--any-code", help="Count runs of other versions of the code, too.", rich_help_panel=PART)
]
DEFAULT_STORE = Path("runs") / "sweeps.db"


def scope_of(
    datasets: list[str] | None,
    backbones: list[str] | None,
    methods: list[str] | None,
    seeds: int | None,
    epochs: int | None,
    search: bool | None,
    before: Scope | None = None,
) -> Scope:
    """Return the scope that the options describe; what they leave open is as it was before, or all of it."""
    from smixup.experiments.tables.scope import Scope

    lists = {"datasets": datasets, "backbones": backbones, "methods": methods}
    given: dict[str, object] = {name: tuple(values) for name, values in lists.items() if values}
    numbers = {"seeds": seeds, "epochs": epochs, "search": search}
    given |= {name: value for name, value in numbers.items() if value is not None}
    return Scope.from_dict((before or Scope()).to_dict() | given)


def existing(path: Path) -> Store:
    """Return a store to read; one that is not there is more likely a slip than a wish to see nothing."""
    from smixup.errors import SmixupError
    from smixup.experiments.sweep.store import Store

    if not path.exists():
        raise SmixupError(f"there is no store {path}; --store names one, and `smixup sweep run` makes one.")
    return Store(path)


def records_of(store: Store, any_code: bool) -> dict[str, Record]:
    """Return the runs of a store, by default those of this version of the code."""
    return store.records_of_any_code() if any_code else store.records()


def last_scope(store: Store, experiment: str) -> Scope:
    """Return the scope in which an experiment was run last, all of it if it never was."""
    from smixup.experiments.tables.scope import Scope

    known = store.scopes()
    return Scope.from_dict(known[experiment]) if experiment in known else Scope()
