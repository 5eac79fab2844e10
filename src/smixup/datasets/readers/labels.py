"""A table beside the graphs that has a row for every one of them, with its targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from smixup.datasets.base import Reading
from smixup.datasets.readers.registry import names_of
from smixup.datasets.readers.tables import (
    TABLES,
    Table,
    advice_on,
    index_columns,
    listed,
    read_table,
    stem_of,
)
from smixup.errors import SmixupError, UsageError
from smixup.tasks import Classes, Labels, Task, task_from_dict, task_of_array, task_of_columns
from smixup.tasks.reading import is_missing

TASK = "task"  # where a `Reading.vocabulary` keeps the task
OPTIONS = {"edges": "edges", "nodes": "nodes"}
"""By the usual name of a table, the option that names it otherwise; of other tables, `labels`."""

UNKNOWN = "the targets are not known."
USUAL = ("target", "label", "class", "y")
"""Names that a target column usually has; any other is given by the option `target`."""
FEW_CLASSES = 6
ENOUGH = 10
"""Graphs from which on one class, or classes of one graph each, are taken for a mistake."""


@dataclass(frozen=True)
class Answers:
    """What is asked of graphs, and the answers.

    Attributes:
        task: what is asked.
        y: `[G, C]`; of width zero where targets are not known.
        table: what is known of each graph, as text.
        targets: the columns of the table that are targets.
        notes: what targets were read as.
    """

    task: Task
    y: Tensor
    table: Table = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def beside(folder: Path, stems: Sequence[str], given: str | None) -> Path | None:
    """Return the table of a folder: the one given by name, or the first of the usual names."""
    if given is not None:
        path = Path(given) if Path(given).is_absolute() else folder / given
        if not path.is_file():
            raise UsageError(f"there is no table {path}.")
        return path
    paths = (folder / f"{stem}{ending}" for stem in stems for ending in TABLES)
    found = [path for path in paths if path.is_file()]
    if len(found) > 1:
        kept = f"option {OPTIONS.get(stems[0], 'labels')}"
        raise UsageError(
            f"{folder.name} holds {found[0].name} and {found[1].name}: say which to read by the "
            f"{kept}, or remove one."
        )
    return found[0] if found else None


def rows_by_key(
    path: Path, key: str | None, names: Sequence[str] = ()
) -> tuple[Table, str, tuple[str, ...]]:
    """Return a table, the name of the column that names graphs (the first, unless told; an index
    that names none of `names` does not count), and their names.
    """
    table = read_table(path)
    if not table:
        raise SmixupError(f"{path.name} has no columns.")
    key = _key_of(table, names) if key is None else key
    if key not in table:
        raise UsageError(f"{path.name} has no column '{key}'; it has {', '.join(table)}.")
    seen: dict[str, int] = {}
    for row, name in enumerate(table[key]):
        if name in seen:
            raise SmixupError(
                f"{path.name} names '{name}' in rows {seen[name] + 1} and {row + 1} of column "
                f"'{key}': keep one."
            )
        seen[name] = row
    return table, key, table[key]


def _key_of(table: Table, names: Sequence[str]) -> str:
    """Return the first column; the next one, if the first is the index of a data frame and counts
    rows instead of naming graphs.
    """
    first, *others = table
    known = {each for name in names for each in (name, stem_of(Path(name)))}
    counts_rows = first in index_columns(tuple(table)) and known.isdisjoint(table[first])
    return others[0] if names and others and counts_rows else first


def matched_rows(
    path: Path, names: Sequence[str], key: str | None, what: str = "graph"
) -> tuple[Table, str, list[int]]:
    """Return a table, the column that names graphs, and the row of each graph.

    Args:
        path: of the table.
        names: of the graphs; the table may name files with or without their ending.
        key: the column that names graphs; None is the first.
        what: a word for what is named.
    """
    table, key, found = rows_by_key(path, key, names)
    row_of = {name: row for row, name in enumerate(found)}
    rows: list[int] = []
    for name in names:
        row = next((row_of[each] for each in (name, stem_of(Path(name))) if each in row_of), None)
        if row is None:
            otherwise = f"add one, or remove the {what}"
            advice = advice_on(stem_of(Path(name)), found, advice_on(name, found, otherwise))
            raise SmixupError(
                f"{path.name} has no row for the {what} '{name}' in column '{key}': {advice}."
            )
        rows.append(row)
    if odd := set(range(len(found))) - set(rows):
        raise SmixupError(
            f"row {min(odd) + 1} of {path.name} names '{found[min(odd)]}' in column '{key}', but "
            f"there is no such {what}: remove the row."
        )
    return table, key, rows


def answers(
    table: Table,
    rows: Sequence[int],
    key: str | None,
    target: Any,
    kind: str,
    like: Reading | None,
    where: str,
) -> Answers:
    """Return the targets of graphs that have a row each.

    Args:
        table: of text.
        rows: of each graph.
        key: the column that names graphs, which is no target.
        target: names of the target columns; None is the only one there is, or one of the usual
            names.
        kind: of task, where the columns do not tell.
        like: of files read before; then the task is theirs, and the targets may be missing.
        where: the name of the table, for errors.
    """
    known = known_task(like)
    names = _target_names(table, key, target, where, known)
    columns = {name: table[name] for name in names}
    number = len(next(iter(table.values())))
    task, y, note = read_targets(columns, kind, known, where, range(1, number + 1))
    taken = {name: tuple(cells[row] for row in rows) for name, cells in table.items()}
    return Answers(task, y[list(rows)], taken, names, (note,))


def read_targets(
    columns: Table, kind: str, known: Task | None, where: str, rows: Sequence[int]
) -> tuple[Task, Tensor, str]:
    """Return the task, the targets, of width zero if they are not known, and a sentence on them.

    Args:
        columns: of targets.
        kind: of task, where the columns do not tell.
        known: the task of files read before.
        where: the name of the table, for errors.
        rows: their numbers, for errors.
    """
    missing = [is_missing(cell) for cells in columns.values() for cell in cells]
    if known is not None and (all(missing) or (isinstance(known, Classes) and any(missing))):
        return known, torch.zeros(len(rows), 0), UNKNOWN
    if known is not None and not isinstance(known, Classes):
        nothing = ("",) * len(rows)
        columns = {name: columns.get(name, nothing) for name in known.names}
    try:
        task, y = task_of_columns(columns, kind, known, rows)
        if known is None:
            _require_learnable(task, y, next(iter(columns)), kind)
    except SmixupError as reason:
        raise type(reason)(f"{where}: {reason}") from reason
    return task, y, told(task, y, tuple(columns))


def answers_of_array(
    y: Any, number: int, kind: str, like: Reading | None, table: Table | None = None
) -> Answers:
    """Return targets that are given as an array or a list, one for each of `number` graphs."""
    task, targets = task_of_array(y, kind, known_task(like))
    if len(targets) != number:
        raise UsageError(f"y has {len(targets)} targets, but there are {number} graphs.")
    if like is None:
        _require_learnable(task, targets, "y", kind)
    return Answers(task, targets, table or {}, (), (told(task, targets, ["y"]),))


def no_answers(number: int, like: Reading | None, advice: str) -> Answers:
    """Return what is asked of graphs for which no targets are given, as for predictions; refuse
    if nobody knows what is asked.
    """
    task = known_task(like)
    if task is None:
        raise UsageError(f"there are no targets: {advice}")
    return Answers(task, torch.zeros(number, 0), notes=(UNKNOWN,))


def known_task(like: Reading | None) -> Task | None:
    """Return the task of files read before, None if there was none."""
    kept = None if like is None else like.vocabulary.get(TASK)
    return None if kept is None else task_from_dict(kept)


def _target_names(
    table: Table, key: str | None, given: Any, where: str, known: Task | None
) -> tuple[str, ...]:
    index = index_columns(tuple(table))
    others = [name for name in table if name != key and name not in index]
    names = (given,) if isinstance(given, str) and given in table else names_of(given)
    if known is not None:  # of new files, those that are there
        return tuple(name for name in names if name in table)
    for name in names:
        if name not in table:
            raise UsageError(
                f"{where} has no target '{name}'; it has {', '.join(others) or 'no others'}."
            )
    if names:
        return names
    usual = [name for name in others if name.lower() in USUAL]
    if len(others) == 1 or len(usual) == 1:
        return (others[0] if len(others) == 1 else usual[0],)
    if not others:
        raise UsageError(f"{where} has no column with targets.")
    raise UsageError(
        f"{where} has the columns {listed(others)}: say which to predict by target=COLUMN "
        "(--data target=COLUMN); several are separated by commas."
    )


def told(task: Task, y: Tensor, names: Sequence[str]) -> str:
    """Return a sentence on what target columns were read as.

    >>> import torch
    >>> told(Classes((0, 1)), torch.eye(2)[[0, 0, 1]], ["active"])
    "target 'active' was read as classes 0, 1 (1 of 3 is 1)."
    """
    what = f"target '{names[0]}' was" if len(names) == 1 else f"{len(names)} targets were"
    if isinstance(task, Classes):
        return f"{what} read as {_classes(task, y)}."
    known = ~y.isnan()
    unknown = f", {_share(~known)} not known" if not bool(known.all()) else ""
    if isinstance(task, Labels):
        return f"{what} read as labels ({_share(y == 1)} of all cells 1{unknown})."
    if not bool(known.any()):
        return f"{what} read as values, none of which is known."
    if len(names) > 1:
        several = ", ".join(_range(name, y[:, at]) for at, name in enumerate(names[:FEW_CLASSES]))
        more = ", ..." if len(names) > FEW_CLASSES else ""
        return f"{what} read as values: {several}{more}{unknown}."
    low, high = float(y[known].min()), float(y[known].max())
    return f"{what} read as values from {low:.4g} to {high:.4g}{unknown}."


def _range(name: str, column: Tensor) -> str:
    known = column[~column.isnan()]
    if not len(known):
        return f"{name} (not known)"
    return f"{name} ({float(known.min()):.4g} to {float(known.max()):.4g})"


def _require_learnable(task: Task, y: Tensor, name: str, kind: str) -> None:
    """Refuse one class, and, unless somebody said so, classes most of which have a single graph:
    names, or numbers that are values. A few graphs may be there to be looked at, or matched.
    """
    number, classes = y.shape
    if not isinstance(task, Classes) or number < ENOUGH:
        return
    if classes == 1:
        raise UsageError(
            f"target '{name}' is {task.names[0]} in every row, and two classes at least are needed "
            "to learn anything: name another column, or add graphs of another class."
        )
    if not kind and 2 * classes > number:
        numbers = all(isinstance(label, int) for label in task.names)
        advice = "take task=values if these are quantities, or " if numbers else ""
        raise UsageError(
            f"target '{name}' has {classes:,} different entries in {number:,} rows, too many for "
            f"classes: {advice}name another column, or say task=classes."
        )


def _classes(task: Classes, y: Tensor) -> str:
    counts = [int(count) for count in y.sum(0)]
    if len(counts) == 2:
        are = "is" if counts[1] == 1 else "are"
        first, second = task.names
        return f"classes {first}, {second} ({counts[1]:,} of {len(y):,} {are} {second})"
    if len(counts) == 1:
        graphs = "graph" if counts[0] == 1 else "graphs"
        return f"one class, {task.names[0]} ({counts[0]:,} {graphs})"
    names = ", ".join(map(str, task.names[:FEW_CLASSES]))
    more = ", ..." if len(counts) > FEW_CLASSES else ""
    sizes = sorted({min(counts), max(counts)})
    spread = " to ".join(f"{size:,}" for size in sizes)
    noun = "graph" if sizes == [1] else "graphs"
    return f"{len(counts)} classes, {names}{more} ({spread} {noun} each)"


def _share(marked: Tensor) -> str:
    return f"{100 * float(marked.float().mean()):.3g} %"
