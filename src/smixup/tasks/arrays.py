"""From targets that are given in Python, as a list or an array, to a task and its targets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from torch import Tensor

from smixup.errors import SmixupError, UsageError, require, unknown_name
from smixup.tasks.base import Task
from smixup.tasks.classes import Classes, ClassName
from smixup.tasks.kinds import KINDS
from smixup.tasks.labels import Labels
from smixup.tasks.values import Values


def task_of_array(y: Any, kind: str = "", like: Task | None = None) -> tuple[Task, Tensor]:
    """Return the task that targets of G graphs ask for, and the targets as `y [G, C]`.

    | y | task |
    |---|---|
    | `[G]`, names, whole numbers, truth values | classes |
    | `[G]`, floats | values |
    | `[G, T]`, each 0, 1 or NaN | labels |
    | `[G, C]`, rows of shares that sum to one | classes |
    | `[G, T]`, other numbers | values |

    A float is never taken for a class. Rows with exactly one 1 might be labels or classes, and
    then `kind` has to say which.

    Args:
        y: a list, a NumPy array or a tensor; None and NaN are targets that are not known.
        kind: `classes`, `labels` or `values`, where the rule above would not say what is meant.
        like: the task of a model, whose classes and columns these must be.

    >>> task, targets = task_of_array(["ring", "star", "ring"])
    >>> task.names, targets[:, 0].tolist()
    (('ring', 'star'), [1.0, 0.0, 1.0])
    """
    if kind and kind not in KINDS:
        raise unknown_name("kind of target", kind, list(KINDS))
    wanted = kind or (like.kind if like is not None else "")
    cells = _cells(y)
    if not cells:
        raise UsageError("y is empty: one target for every graph is needed.")
    if any(isinstance(cell, list) for cell in cells):
        return _of_rows(_table(cells), wanted, like)
    if not (wanted or _has_names(cells)):
        wanted = Values.kind
    if wanted == Classes.kind or not wanted:
        names = _class_names(cells)
        task = Classes.among(names) if like is None else like
        if not isinstance(task, Classes):
            raise _other_kind(task)
        return task, task.encoded(names)
    return _of_rows(_table([[cell] for cell in cells]), wanted, like)


def _cells(y: Any) -> list[Any]:
    """Return targets as a list of plain values, or of lists of them."""
    if isinstance(y, Tensor):
        y = y.detach().cpu().numpy()
    elif hasattr(y, "to_numpy"):  # of pandas, polars, ...
        y = y.to_numpy()
    if isinstance(y, str) or not hasattr(y, "__iter__"):
        raise UsageError(f"y must be a list or an array with one target per graph, not {y!r}.")
    return [_plain(each) for each in y]


def _plain(cell: Any) -> Any:
    if isinstance(cell, Tensor | np.ndarray):
        return cell.tolist()
    return cell.item() if isinstance(cell, np.generic) else cell


def _has_names(cells: Sequence[Any]) -> bool:
    """Tell whether cells are classes: no float is among them."""
    return not any(isinstance(cell, Real) and not isinstance(cell, Integral) for cell in cells)


def _class_names(cells: Sequence[Any]) -> list[ClassName]:
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
            known = cell is None or isinstance(cell, Real)
            if not known or (cell is not None and math.isinf(cell)):
                raise SmixupError(
                    f"y of graph {place} holds {cell!r} in column {column}, where a finite number "
                    "or NaN is needed; classes are given as a flat list of names."
                )
    numbers = [[math.nan if cell is None else float(cell) for cell in row] for row in rows]
    return torch.tensor(numbers, dtype=torch.float)


def _of_rows(rows: Tensor, wanted: str, like: Task | None) -> tuple[Task, Tensor]:
    kind = wanted or _kind_of_rows(rows)
    task = like or _named(kind, rows.size(1))
    if task.kind != kind:
        raise _other_kind(task)
    if task.width != rows.size(1):
        raise SmixupError(f"y has {rows.size(1)} columns, but the task has {task.width}.")
    if kind == Classes.kind and not _are_shares(rows):
        raise SmixupError(
            f"y is of shape {list(rows.shape)} and holds no shares of classes, which sum to one in "
            "every row: give classes as a flat list of names, or say what they are by "
            'task="labels" or task="values".'
        )
    if kind == Labels.kind and not _are_indicators(rows):
        place = int((~((rows == 0) | (rows == 1) | rows.isnan())).any(1).nonzero()[0])
        raise SmixupError(f"y of graph {place} holds a label that is neither 0, 1 nor NaN.")
    return task, rows


def _kind_of_rows(rows: Tensor) -> str:
    if _are_indicators(rows):
        if rows.size(1) > 1 and _are_shares(rows):
            raise UsageError(
                "every row of y has exactly one 1, which may be one class or one of several labels "
                'that hold: say which by task="classes" or task="labels".'
            )
        return Labels.kind
    return Classes.kind if _are_shares(rows) else Values.kind


def _are_indicators(rows: Tensor) -> bool:
    return bool(((rows == 0) | (rows == 1) | rows.isnan()).all())


def _are_shares(rows: Tensor) -> bool:
    if rows.size(1) < 2 or rows.isnan().any() or (rows < 0).any():
        return False
    return torch.allclose(rows.sum(1), torch.ones(len(rows)), atol=1e-4)


def _named(kind: str, width: int) -> Task:
    require(width > 0, "number of targets of a graph", width, "1 or more")
    if kind == Classes.kind:
        return Classes.numbered(width)
    names = tuple(f"target {place}" for place in range(width)) if width > 1 else ("target",)
    return KINDS[kind](names)


def _other_kind(task: Task) -> SmixupError:
    return SmixupError(f"these targets are not {task.kind}, which the task asks for.")
