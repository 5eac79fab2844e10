"""What is asked of graphs: targets from a table beside them, or given as an array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from smixup.datasets.base import Reading
from smixup.datasets.readers.registry import names_of
from smixup.datasets.tables import (
    TABLES,
    Table,
    is_index,
    read_table,
    require_column,
    stem_of,
)
from smixup.errors import SmixupError, UsageError
from smixup.tasks import Classes, Task, task_from_dict, task_of_array, task_of_columns
from smixup.tasks.reading import is_missing

TASK = "task"  # where a `Reading.vocabulary` keeps the task
UNKNOWN = "the targets are not known."
USUAL = ("target", "label", "class", "y")
"""Names that a target column usually has; any other is given by the option `target`."""
SHOWN = 6  # classes, or targets
ENOUGH = 10
"""Graphs from which on one class, or classes of one graph each, are taken for a mistake."""


class Answers(NamedTuple):
    """What is asked of graphs, and the answers."""

    task: Task
    y: Tensor  # [G, C]; of width zero where targets are not known
    table: Table  # what is known of each graph, as text
    targets: tuple[str, ...]  # columns of the table
    notes: tuple[str, ...]  # what targets were read as


def beside(folder: Path, stems: Sequence[str], given: str | None = None) -> Path | None:
    """Return the table of a folder: the one given by name, or the one of a usual name."""
    if given is not None:
        return folder / given  # unless it is absolute
    paths = [folder / f"{stem}{ending}" for stem in stems for ending in TABLES]
    present = [path for path in paths if path.is_file()]
    if len(present) > 1:
        raise UsageError(
            f"{folder.name} holds {present[0].name} and {present[1].name}: keep the one to read."
        )
    return present[0] if present else None


def rows_by_key(path: Path, key: str | None) -> tuple[Table, str, dict[str, int]]:
    """Return a table, the column that names graphs, and the row of each name; unless told, it is
    the first column that is not the index of a data frame.
    """
    table = read_table(path)
    if key is None:
        key = next((name for name in table if not is_index(name)), next(iter(table)))
    require_column(path.name, key, tuple(table))
    row_of: dict[str, int] = {}
    for row, name in enumerate(table[key]):
        if row_of.setdefault(name, row) != row:
            raise SmixupError(
                f"{path.name} names '{name}' in rows {row_of[name] + 1} and {row + 1} of column "
                f"'{key}': keep one."
            )
    return table, key, row_of


def answers_beside(
    path: Path | None,
    names: Sequence[str],
    number: int,
    options: Mapping[str, Any],
    like: Reading | None,
    advice: str,
) -> Answers:
    """Return the targets of graphs from a table, if there is one, that names them, with or without
    the ending of their file; graphs without names are in its order.
    """
    if path is None:
        return no_answers(number, like, advice)
    if not names:
        plain = read_table(path)
        if (found := len(next(iter(plain.values())))) != number:
            raise SmixupError(f"{path.name} has {found} rows, but there are {number} graphs.")
        return answers(plain, range(number), options["key"] or "", options, like, path.name)
    table, key, row_of = rows_by_key(path, options["key"])
    spelled = [name if name in row_of else stem_of(Path(name)) for name in names]
    for name, own in zip(names, spelled, strict=True):
        if own not in row_of:
            raise SmixupError(f"{path.name} has no row for '{name}' in column '{key}'.")
    rows, used = [row_of[own] for own in spelled], {*spelled}
    if odd := [name for name in row_of if name not in used]:
        raise SmixupError(f"{path.name} names '{odd[0]}', but there is no such graph: remove it.")
    return answers(table, rows, key, options, like, path.name)


def answers(
    table: Table,
    rows: Sequence[int],
    key: str,
    options: Mapping[str, Any],
    like: Reading | None,
    where: str,
) -> Answers:
    """Return the targets of graphs from a table with a row for each; `key` is the column that names
    them, which is no target, `where` the name of the table, for errors.
    """
    known, kind = known_task(like), options["task"]
    names = _target_names(table, key, options["target"], where, known)
    taken = {name: tuple(cells[row] for row in rows) for name, cells in table.items()}
    columns = {name: taken[name] for name in names}
    if known is not None:
        missing = [is_missing(cell) for cells in columns.values() for cell in cells]
        if all(missing) or (isinstance(known, Classes) and any(missing)):
            return Answers(known, torch.zeros(len(rows), 0), taken, names, (UNKNOWN,))
        if not isinstance(known, Classes):
            columns = {name: columns.get(name, ("",) * len(rows)) for name in known.names}
    try:
        task, y = task_of_columns(columns, kind, known, [row + 1 for row in rows])
        if known is None:
            _require_learnable(task, y, names[0], kind)
    except SmixupError as reason:
        raise type(reason)(f"{where}: {reason}") from reason
    return Answers(task, y, taken, names, (told(task, y, tuple(columns)),))


def _target_names(
    table: Table, key: str, given: Any, where: str, known: Task | None
) -> tuple[str, ...]:
    """Return the target columns: those given, else the only one besides `key`, or the only one with
    a usual name; for a task that is known, those given that are there.
    """
    names = (given,) if isinstance(given, str) and given in table else names_of(given)
    if known is not None:
        return tuple(name for name in names if name in table)
    others = [name for name in table if name != key]
    for name in names:
        require_column(where, name, others)
    if names:
        return tuple(dict.fromkeys(names))
    others = [name for name in others if not is_index(name)]
    likely = others if len(others) == 1 else [name for name in others if name.lower() in USUAL]
    if len(likely) == 1:
        return (likely[0],)
    raise UsageError(
        f"{where} has, besides '{key}', the columns {', '.join(others) or 'none'}: say which to "
        "predict by target=COLUMN (--data target=COLUMN); several are separated by commas."
    )


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
    return Answers(task, torch.zeros(number, 0), {}, (), (UNKNOWN,))


def known_task(like: Reading | None) -> Task | None:
    """Return the task of files read before, None if there was none."""
    kept = None if like is None else like.vocabulary.get(TASK)
    return None if kept is None else task_from_dict(kept)


def told(task: Task, y: Tensor, names: Sequence[str]) -> str:
    """Return a sentence on what target columns were read as.

    >>> import torch
    >>> told(Classes((0, 1)), torch.eye(2)[[0, 0, 1]], ["active"])
    "target 'active' was read as classes: 0 (2), 1 (1)."
    """
    what = f"target '{names[0]}' was" if len(names) == 1 else f"{len(names)} targets were"
    if isinstance(task, Classes):
        counts = y.sum(0).long().tolist()
        parts = [f"{name} ({count:,})" for name, count in zip(task.names, counts, strict=True)]
    else:
        ranges = zip(names, np.fmin.reduce(y.numpy()), np.fmax.reduce(y.numpy()), strict=False)
        parts = [f"{name} ({least:.4g} to {most:.4g})" for name, least, most in ranges]
    more = f", ... ({len(parts)} in all)" if len(parts) > SHOWN else ""
    unknown = f", {int(y.isnan().sum()):,} not known" if y.isnan().any() else ""
    return f"{what} read as {task.kind}: {', '.join(parts[:SHOWN])}{more}{unknown}."


def _require_learnable(task: Task, y: Tensor, name: str, kind: str) -> None:
    """Refuse one class, and, unless somebody said so, classes most of which have a single graph:
    names, or numbers that are values. A few graphs may be there to be looked at, or matched.
    """
    number, classes = y.shape
    if not isinstance(task, Classes) or number < ENOUGH:
        return
    if classes == 1 or (not kind and 2 * classes > number):
        raise UsageError(
            f"target '{name}' has {classes:,} different entries in {number:,} rows, too few or too "
            "many for classes: name another column, or say what it is by task=values or "
            "task=classes."
        )
