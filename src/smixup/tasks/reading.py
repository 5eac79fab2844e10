"""From targets given in Python, or as columns of a table, to a task and its targets `y [G, C]`.

| given | task |
|---|---|
| `[G]`, names, whole numbers, truth values | classes |
| `[G]`, floats | values |
| `[G, T]`, each 0, 1 or not known | labels |
| `[G, T]`, other numbers | values |

A float is never taken for a class, and classes are always given one by one: rows in Python with
exactly one 1 in each are labels only if `kind` says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from torch import Tensor

from smixup.errors import SmixupError, UsageError, shown, unknown_name
from smixup.settings import number_of
from smixup.tasks.task import KINDS, Classes, Labels, Task, Values

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
YES_NO = {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "false": 0, "true": 1}
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
LARGEST = torch.finfo(torch.float).max
"""Numbers beyond it are infinite in single precision."""

ONE_BY_ONE = (
    "classes are one flat list of names or numbers, such as y.argmax(1) of rows with one 1: give "
    'them so, or say task="labels" if several can hold.'
)

Columns = Mapping[str, Sequence[str]]
Where = Callable[[int, int], str]
"""From the place of a target, its graph and its column, to words."""


def task_of_array(y: Any, kind: str = "", like: Task | None = None) -> tuple[Task, Tensor]:
    """Return the task that targets of G graphs ask for, and the targets.

    Args:
        y: a list, a NumPy array or a tensor; None and NaN are targets that are not known.
        kind: `classes`, `labels` or `values`, where the table above would not say what is meant.
        like: the task of a model, whose classes and columns these must be.

    >>> task, targets = task_of_array(["ring", "star", "ring"])
    >>> task.names, targets[:, 0].tolist()
    (('ring', 'star'), [1.0, 0.0, 1.0])
    """

    def where(graph: int, column: int) -> str:
        return f"graph {graph}, column {column}" if column else f"graph {graph}"

    cells, kind = _cells(y), _kind_asked(kind, like)
    if isinstance(cells[0], list) and kind == Classes.kind:
        raise UsageError(ONE_BY_ONE)
    if not isinstance(cells[0], list):
        decimal = any(isinstance(cell, Real) and not isinstance(cell, Integral) for cell in cells)
        kind = kind or (Values.kind if decimal else Classes.kind)
        if kind == Classes.kind:
            return _of_names(cells, like, where)
        targets = _numbers([[cell] for cell in cells], kind, where)
        return _as_asked(like, kind, ("target",)), targets
    width = len(cells[0])
    if odd := [graph for graph, row in enumerate(cells) if len(row) != width]:
        raise SmixupError(f"y of graph {odd[0]} has not as many targets as the first.")
    targets = _numbers(cells, kind, where)
    names = tuple(f"target {place}" for place in range(width))
    return _as_asked(like, kind or _kind_of_rows(targets), names), targets


def task_of_columns(
    columns: Columns,
    kind: str = "",
    like: Task | None = None,
    rows: Sequence[int] | None = None,
) -> tuple[Task, Tensor]:
    """Return the task that target columns ask for, and their targets; see `task_of_array`.

    Args:
        columns: cells as text by the name of their column; an empty one is not known.
        rows: the numbers by which messages name rows; 1, 2, ... if None.

    >>> task, y = task_of_columns({"kind": ["a", "b", "a"]})
    >>> task.names, y[:, 0].tolist()
    (('a', 'b'), [1.0, 0.0, 1.0])
    """
    if not columns:
        raise UsageError("a target column is needed: name one or several.")
    kind = _kind_asked(kind, like)
    names = tuple(columns) if like is None or kind == Classes.kind else like.names
    cells = [[cell.strip() for cell in columns[name]] for name in names]
    known = [cell for column in cells for cell in column if not is_missing(cell)]
    if like is None and not known:
        raise SmixupError(
            f"no cell of {', '.join(map(repr, columns))} holds a target: fill some in, or name "
            "other columns."
        )

    def where(graph: int, column: int) -> str:
        return f"row {graph + 1 if rows is None else rows[graph]} of column '{names[column]}'"

    if not kind and len(cells) == 1:
        kind = _kind_of_column(cells[0], where)
    elif not kind:
        kind = Labels.kind if all(cell.lower() in YES_NO for cell in known) else Values.kind
    if kind != Classes.kind:
        table = [[_read(cell, kind) for cell in row] for row in zip(*cells, strict=True)]
        return _as_asked(like, kind, names), _numbers(table, kind, where)
    if len(cells) > 1:
        raise UsageError(
            f"classes stand in one column, but {len(cells)} were named ({', '.join(columns)}): "
            "name one, or take labels or values."
        )
    whole = all(map(WHOLE.fullmatch, cells[0]))
    classes = [None if is_missing(cell) else int(cell) if whole else cell for cell in cells[0]]
    if like is not None:  # a file with the classes 1 and 2 alone does not say that they are text
        spelled = {str(name): name for name in like.names}
        classes = [spelled.get(str(cell), cell) for cell in classes]
    return _of_names(classes, like, where)


def is_missing(cell: str) -> bool:
    """Tell whether a cell says that nothing is known."""
    return cell.strip().lower() in MISSING


def _cells(y: Any) -> list[Any]:
    """Return targets as a list of plain values, or of lists of them."""
    if isinstance(y, Tensor):
        y = y.detach().cpu().numpy()
    elif hasattr(y, "to_numpy"):  # of pandas, polars, ...
        y = y.to_numpy()
    if isinstance(y, str) or not hasattr(y, "__iter__") or not len(y):
        raise UsageError(f"y must be a list or an array with one target per graph, not {y!r}.")
    return [
        cell.tolist() if isinstance(cell, Tensor | np.ndarray | np.generic) else cell for cell in y
    ]


def _kind_asked(kind: str, like: Task | None) -> str:
    if kind and kind not in KINDS:
        raise unknown_name("kind of target", kind, list(KINDS))
    if like is not None and kind not in ("", like.kind):
        raise SmixupError(f"these targets are not {like.kind}, which the task asks for.")
    return kind if like is None else like.kind


def _kind_of_rows(rows: Tensor) -> str:
    """Tell labels from values, and refuse what might be one class in each row."""
    if not ((rows == 0) | (rows == 1) | rows.isnan()).all():
        return Values.kind
    if rows.size(1) > 1 and (rows.sum(1) == 1).all():
        raise UsageError(ONE_BY_ONE)
    return Labels.kind


def _kind_of_column(column: Sequence[str], where: Where) -> str:
    """Tell values, of which one has a point, from classes; refuse what is nearly numbers."""
    known = [cell for cell in column if not is_missing(cell)]
    decimal = sum(number_of(cell) is not None and not WHOLE.fullmatch(cell) for cell in known)
    odd = [cell for cell in known if number_of(cell) is None]
    if not odd:
        return Values.kind if decimal else Classes.kind
    pointed = [cell.replace(".", "").replace(",", ".") for cell in odd]
    if 2 * decimal > len(known) or None not in map(number_of, pointed):
        raise SmixupError(
            f"'{shown(odd[0])}' in {where(column.index(odd[0]), 0)} is no number, as most others "
            "are or would be with decimal points: mend it, or say task=classes if all of them are "
            "names."
        )
    return Classes.kind


def _read(cell: str, kind: str) -> object:
    """Return what a cell of labels or values says; a text that says neither stays as it is."""
    if is_missing(cell):
        return None
    number = YES_NO.get(cell.lower()) if kind == Labels.kind else number_of(cell)
    return cell if number is None else number


def _of_names(names: Sequence[Any], like: Task | None, where: Where) -> tuple[Task, Tensor]:
    """Return classes under their own names."""
    unknown = [name is None or name != name for name in names]
    if True in unknown:
        raise SmixupError(
            f"{where(unknown.index(True), 0)} has no class: name one, or leave the graph out; "
            "labels (task=labels) may have gaps."
        )
    task = Classes.among(names) if like is None else like
    assert isinstance(task, Classes)
    return task, task.encoded(names)


def _numbers(rows: Sequence[Sequence[Any]], kind: str, where: Where) -> Tensor:
    """Return labels or values `[G, T]`, NaN where one is not known."""
    for graph, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell is None or cell != cell:
                continue
            place = f"'{shown(cell)}' in {where(graph, column)}"
            if kind == Labels.kind and cell not in (0, 1):
                raise SmixupError(f"{place} is no label: 0, 1 or nothing is needed.")
            is_number = isinstance(cell, Real)
            if not is_number or not abs(cell) <= LARGEST:
                raise SmixupError(
                    f"{place} is no finite number; leave out what is not known, and give names of "
                    "classes in one flat list or column."
                )
    numbers = [[math.nan if cell is None else float(cell) for cell in row] for row in rows]
    return torch.tensor(numbers, dtype=torch.float)


def _as_asked(like: Task | None, kind: str, names: tuple[Any, ...]) -> Task:
    """Return the task of a model, or a new one; targets of another width are refused."""
    task = like or KINDS[kind](names)
    if task.width != len(names):
        raise SmixupError(f"y has {len(names)} columns, but the task has {task.width}.")
    return task
