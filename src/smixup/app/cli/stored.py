"""A store of runs as the commands read it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from smixup.app.runs.words import counted

if TYPE_CHECKING:
    from smixup.app.cli.scope import Part
    from smixup.app.sweeps.record import Record
    from smixup.app.sweeps.store import Store
    from smixup.app.tables.result import ResultTable
    from smixup.app.tables.scope import Scope


def existing(path: Path) -> Store:
    """Return a store to read; one that is not there is more likely a slip than a wish to see
    nothing.
    """
    from smixup.app.sweeps.store import Store
    from smixup.errors import SmixupError

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


def read(name: str, path: Path, part: Part, any_code: bool, whole: bool = False) -> Reading:
    """Read a store; the part is the one that was run last, or the whole experiment, as far as the
    options do not say otherwise.
    """
    from smixup.app.tables.registry import experiment_named

    experiment, store = experiment_named(name), existing(path)
    records = records_of(store, any_code)
    scope = part.scope(None if whole else last_scope(store, name))
    return Reading(store, records, experiment.render(scope, records))


def records_of(store: Store, any_code: bool) -> dict[str, Record]:
    """Return the runs of a store, by default those of this version of the code; that there are
    others is told, since they look as if they had never been run.
    """
    import typer

    records = store.finished(any_code)
    others = (
        0 if any_code else sum(each.current_id() not in (None, id) for id, each in records.items())
    )
    if others:
        typer.echo(
            f"{others} of {counted(len(records), 'run')} in {store.path} are of another version of "
            "the code and do not count: --any-code counts them, too.",
            err=True,
        )
    return records


def last_scope(store: Store, experiment: str) -> Scope:
    """Return the scope in which an experiment was run last, all of it if it never was."""
    from smixup.app.tables.scope import Scope
    from smixup.errors import SmixupError

    known = store.scopes()
    if experiment not in known:
        return Scope()
    try:
        return Scope.from_dict(known[experiment])
    except (SmixupError, TypeError, ValueError) as error:
        raise SmixupError(
            f"{store.path} holds no part of {experiment} that could be run: {error}"
        ) from error
