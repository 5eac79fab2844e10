"""From targets given in Python, or as columns of a table, to a task and its targets `y [G, C]`.

| given | task |
|---|---|
| `[G]`, names, whole numbers, truth values | classes |
| `[G]`, floats | values |
| `[G, T]`, each 0, 1 or not known | labels |
| `[G, C]` in Python, rows of shares that sum to one | classes |
| `[G, T]`, other numbers | values |

A float is never taken for a class. Rows in Python with exactly one 1 might be labels or classes,
and then `kind` has to say which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from torch import Tensor

from smixup.errors import SmixupError, UsageError, require, unknown_name
from smixup.shown import number_of, shown
from smixup.tasks.task import KINDS, Classes, ClassName, Labels, Task, Values

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
YES_NO = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "false": 0.0, "true": 1.0}
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
COMMA = re.compile(r"[+-]?([0-9]*|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+")
LARGEST = torch.finfo(torch.float).max
"""Numbers beyond it are infinite in single precision."""

Columns = Mapping[str, Sequence[str]]


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
    _require_kind(kind)
    wanted = kind or (like.kind if like is not None else "")
    cells = _cells(y)
    if not cells:
        raise UsageError("y is empty: one target for every graph is needed.")
    if any(isinstance(cell, list) for cell in cells):
        return _of_rows(_table(cells), wanted, like)
    has_floats = any(isinstance(cell, Real) and not isinstance(cell, Integral) for cell in cells)
    wanted = wanted or (Values.kind if has_floats else Classes.kind)
    if wanted != Classes.kind:
        return _of_rows(_table([[cell] for cell in cells]), wanted, like)
    names = _array_names(cells)
    task = Classes.among(names) if like is None else like
    if not isinstance(task, Classes):
        raise _other_kind(task)
    return task, task.encoded(names)


def task_of_columns(
    columns: Columns,
    kind: str = "",
    like: Task | None = None,
    rows: Sequence[int] | None = None,
) -> tuple[Task, Tensor]:
    """Return the task that target columns ask for, and their targets.

    Args:
        columns: cells as text by the name of their column; empty cells are targets that are not
            known.
        kind: `classes`, `labels` or `values`, where the table above would not say what is meant.
        like: the task of a model, whose classes and columns these must be.
        rows: the numbers by which messages name rows; 1, 2, ... if None.

    >>> task, y = task_of_columns({"kind": ["a", "b", "a"]})
    >>> task.names, y[:, 0].tolist()
    (('a', 'b'), [1.0, 0.0, 1.0])
    """
    if not columns:
        raise UsageError("a target column is needed: name one or several.")
    if like is None and all(is_missing(cell) for cells in columns.values() for cell in cells):
        raise SmixupError(
            f"no cell of {', '.join(repr(name) for name in columns)} holds a target: fill some in, "
            "or name other columns."
        )
    if rows is None:
        rows = range(1, len(next(iter(columns.values()))) + 1)
    kind = like.kind if like is not None else kind or _kind_of_columns(columns, rows)
    _require_kind(kind)
    if kind == Classes.kind:
        if len(columns) > 1:
            raise UsageError(
                f"classes stand in one column, but {len(columns)} were named "
                f"({', '.join(columns)}): name one, or take labels or values."
            )
        ((name, cells),) = columns.items()
        labels = _column_names(name, cells, rows)
        if not isinstance(like, Classes):
            among = Classes.among(labels)
            return among, among.encoded(labels)
        # A file that holds the classes 1 and 2 alone does not say that they are text.
        spelled = {str(known): known for known in like.names}
        return like, like.encoded([spelled.get(str(value), value) for value in labels])
    task: Task = like or KINDS[kind](tuple(columns))
    names: tuple[str, ...] = task.names
    if missing := set(names) - set(columns):
        raise SmixupError(f"the target column '{min(missing)}' is missing.")
    read = _label if kind == Labels.kind else _value
    numbers = [
        [read(name, row, cell) for row, cell in zip(rows, columns[name], strict=True)]
        for name in names
    ]
    return task, torch.tensor(numbers, dtype=torch.float).T.contiguous()


def is_missing(cell: str) -> bool:
    """Tell whether a cell says that nothing is known."""
    return cell.strip().lower() in MISSING


def _require_kind(kind: str) -> None:
    if kind and kind not in KINDS:
        raise unknown_name("kind of target", kind, list(KINDS))


def _other_kind(task: Task) -> SmixupError:
    return SmixupError(f"these targets are not {task.kind}, which the task asks for.")


def _cells(y: Any) -> list[Any]:
    """Return targets as a list of plain values, or of lists of them."""
    if isinstance(y, Tensor):
        y = y.detach().cpu().numpy()
    elif hasattr(y, "to_numpy"):  # of pandas, polars, ...
        y = y.to_numpy()
    if isinstance(y, str) or not hasattr(y, "__iter__"):
        raise UsageError(f"y must be a list or an array with one target per graph, not {y!r}.")
    return [
        cell.tolist() if isinstance(cell, Tensor | np.ndarray | np.generic) else cell for cell in y
    ]


def _array_names(cells: Sequence[Any]) -> list[ClassName]:
    for place, cell in enumerate(cells):
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            raise SmixupError(f"graph {place} has no class: leave it out, or name one.")
    kept = all(isinstance(cell, str | int | float | bool) for cell in cells)
    return list(cells) if kept else [str(cell) for cell in cells]


def _table(rows: Sequence[Any]) -> Tensor:
    """Return rows of numbers `[G, T]`, NaN where one is not known."""
    width = len(rows[0]) if isinstance(rows[0], list) else 0
    for place, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != width:
            raise SmixupError(f"y of graph {place} has another number of targets than the first.")
        for column, cell in enumerate(row):
            if cell is not None and (not isinstance(cell, Real) or math.isinf(cell)):
                raise SmixupError(
                    f"y of graph {place} holds {cell!r} in column {column}, where a finite number "
                    "or NaN is needed; classes are given as a flat list of names."
                )
    numbers = [[math.nan if cell is None else float(cell) for cell in row] for row in rows]
    return torch.tensor(numbers, dtype=torch.float)


def _of_rows(rows: Tensor, wanted: str, like: Task | None) -> tuple[Task, Tensor]:
    kind, width = wanted or _kind_of_rows(rows), rows.size(1)
    require(width > 0, "number of targets of a graph", width, "1 or more")
    names = tuple(f"target {place}" for place in range(width)) if width > 1 else ("target",)
    task = like or (Classes.numbered(width) if kind == Classes.kind else KINDS[kind](names))
    if task.kind != kind:
        raise _other_kind(task)
    if task.width != width:
        raise SmixupError(f"y has {width} columns, but the task has {task.width}.")
    if kind == Classes.kind and not _are_shares(rows):
        raise SmixupError(
            f"y is of shape {list(rows.shape)} and holds no shares of classes, which sum to one in "
            "every row: give classes as a flat list of names, or say what they are by "
            'task="labels" or task="values".'
        )
    if kind == Labels.kind and not bool(_are_indicators(rows).all()):
        place = int((~_are_indicators(rows)).any(1).nonzero()[0])
        raise SmixupError(f"y of graph {place} holds a label that is neither 0, 1 nor NaN.")
    return task, rows


def _kind_of_rows(rows: Tensor) -> str:
    if not bool(_are_indicators(rows).all()):
        return Classes.kind if _are_shares(rows) else Values.kind
    if _are_shares(rows):
        raise UsageError(
            "every row of y has exactly one 1, which may be one class or one of several labels "
            'that hold: say which by task="classes" or task="labels".'
        )
    return Labels.kind


def _are_indicators(rows: Tensor) -> Tensor:
    return (rows == 0) | (rows == 1) | rows.isnan()


def _are_shares(rows: Tensor) -> bool:
    if rows.size(1) < 2 or rows.isnan().any() or (rows < 0).any():
        return False
    return torch.allclose(rows.sum(1), torch.ones(len(rows)), atol=1e-4)


def _kind_of_columns(columns: Columns, rows: Sequence[int]) -> str:
    cells = [cell for column in columns.values() for cell in column if not is_missing(cell)]
    if len(columns) == 1:
        ((name, column),) = columns.items()
        _require_points(name, cells)
        _require_numbers_alone(name, column, rows)
        decimal = all(map(_is_float, cells)) and not all(map(_is_whole, cells))
        return Values.kind if decimal else Classes.kind
    if all(cell.strip().lower() in YES_NO for cell in cells):
        return Labels.kind
    for name, column in columns.items():
        for row, cell in zip(rows, column, strict=True):
            if not is_missing(cell) and not _is_number(cell):
                raise SmixupError(
                    "several target columns are labels (0, 1 or empty) or values (finite numbers), "
                    f"but '{shown(cell)}' stands in row {row} of column '{name}': mend it, or name "
                    "one column for classes."
                )
    return Values.kind


def _column_names(name: str, cells: Sequence[str], rows: Sequence[int]) -> list[ClassName]:
    """Return classes under their own names: whole numbers where all are, else text."""
    for row, cell in zip(rows, cells, strict=True):
        if is_missing(cell):
            yes_no = all(is_missing(cell) or cell.strip().lower() in YES_NO for cell in cells)
            labels = ", or say task=labels, which may have gaps" if yes_no else ""
            raise SmixupError(
                f"row {row} has no class in column '{name}': fill it in, or leave the row out"
                f"{labels}."
            )
    if all(map(_is_whole, cells)):
        return [int(cell) for cell in cells]
    return [cell.strip() for cell in cells]


def _label(name: str, row: int, cell: str) -> float:
    label = math.nan if is_missing(cell) else YES_NO.get(cell.strip().lower())
    if label is None:
        raise SmixupError(
            f"'{shown(cell)}' in row {row} of column '{name}' is no label: 0, 1 or empty is needed."
        )
    return label


def _value(name: str, row: int, cell: str) -> float:
    if is_missing(cell):
        return math.nan
    if not _is_number(cell):
        raise SmixupError(
            f"'{shown(cell)}' in row {row} of column '{name}' is no finite number, which a value "
            "must be; leave the cell empty if it is not known."
        )
    return float(cell)


def _is_number(cell: str) -> bool:
    number = number_of(cell)
    return number is not None and abs(number) <= LARGEST


def _is_float(cell: str) -> bool:
    """Tell whether a cell is meant as a number, though perhaps as 1_0 or as one that is infinite:
    it is refused at its place, and is no class.
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_whole(cell: str) -> bool:
    return WHOLE.fullmatch(cell.strip()) is not None


def _require_points(name: str, cells: Sequence[str]) -> None:
    """Refuse numbers with decimal commas, which would be classes."""
    comma = next((cell for cell in cells if COMMA.fullmatch(cell.strip())), None)
    if comma is None:
        return
    pointed = (cell.replace(".", "").replace(",", ".") if "," in cell else cell for cell in cells)
    if all(map(_is_float, pointed)):
        raise SmixupError(
            f"column '{name}' holds numbers with decimal commas, such as '{shown(comma)}': write "
            "decimal points."
        )


def _require_numbers_alone(name: str, cells: Sequence[str], rows: Sequence[int]) -> None:
    """Refuse a cell such as 10L among decimal numbers, all of which would be classes with it."""
    known = [(row, cell) for row, cell in zip(rows, cells, strict=True) if not is_missing(cell)]
    decimal = sum(_is_float(cell) and not _is_whole(cell) for _, cell in known)
    odd = next(((row, cell) for row, cell in known if not _is_float(cell)), None)
    if odd is not None and 2 * decimal > len(known):
        raise SmixupError(
            f"'{shown(odd[1])}' in row {odd[0]} of column '{name}' is no number, as most others "
            "are: mend it, or say task=classes if all of them are names."
        )
