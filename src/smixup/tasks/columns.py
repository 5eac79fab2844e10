"""From the target columns of a table, which are text, to a task and its targets."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.numerals import number_of
from smixup.shown import shown
from smixup.tasks.base import Task
from smixup.tasks.classes import Classes, ClassName
from smixup.tasks.kinds import KINDS
from smixup.tasks.labels import Labels
from smixup.tasks.values import Values

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
YES_NO = {"0": 0.0, "1": 1.0, "0.0": 0.0, "1.0": 1.0, "false": 0.0, "true": 1.0}

WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
COMMA = re.compile(r"[+-]?([0-9]*|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+")
LARGEST = torch.finfo(torch.float).max
"""Numbers beyond it are infinite in single precision."""

Columns = Mapping[str, Sequence[str]]


def task_of_columns(
    columns: Columns,
    kind: str = "",
    like: Task | None = None,
    rows: Sequence[int] | None = None,
) -> tuple[Task, Tensor]:
    """Return the task that target columns ask for, and their targets `y [G, C]`.

    One column of whole numbers or text is classes, with decimal points values; several columns are
    labels if all of their cells are 0, 1 or empty, values otherwise.

    Args:
        columns: cells as text by the name of their column; empty cells are targets that are not
            known.
        kind: `classes`, `labels` or `values`, where the rule above would not say what is meant.
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
    task = _asked(columns, kind or _kind_of(columns, rows), rows) if like is None else like
    return task, _targets(task, columns, rows)


def _kind_of(columns: Columns, rows: Sequence[int]) -> str:
    cells = [cell for column in columns.values() for cell in column if not is_missing(cell)]
    if len(columns) == 1:
        whole = all(_is_whole(cell) for cell in cells)
        _require_points(next(iter(columns)), cells)
        _require_numbers_alone(*next(iter(columns.items())), rows)
        return "values" if not whole and all(map(_is_float, cells)) else "classes"
    if all(cell.strip().lower() in YES_NO for cell in cells):
        return "labels"
    for name, column in columns.items():
        for row, cell in zip(rows, column, strict=True):
            if not is_missing(cell) and not _is_number(cell):
                raise SmixupError(
                    "several target columns are labels (0, 1 or empty) or values (finite numbers), "
                    f"but '{shown(cell)}' stands in row {row} of column '{name}': mend it, or name "
                    "one column for classes."
                )
    return "values"


def _asked(columns: Columns, kind: str, rows: Sequence[int]) -> Task:
    if kind not in KINDS:
        raise unknown_name("kind of target", kind, list(KINDS))
    if kind == Labels.kind:
        return Labels(tuple(columns))
    if kind == Values.kind:
        return Values(tuple(columns))
    if len(columns) > 1:
        raise UsageError(
            f"classes stand in one column, but {len(columns)} were named ({', '.join(columns)}): "
            "name one, or take labels or values."
        )
    ((name, cells),) = columns.items()
    return Classes.among(_class_names(name, cells, rows))


def _targets(task: Task, columns: Columns, rows: Sequence[int]) -> Tensor:
    if isinstance(task, Classes):
        if len(columns) > 1:
            raise UsageError(f"classes stand in one column, but {', '.join(columns)} were named.")
        ((name, cells),) = columns.items()
        return task.encoded(_as_known(_class_names(name, cells, rows), task))
    if missing := set(task.names) - set(columns):
        raise SmixupError(f"the target column '{min(missing)}' is missing.")
    read = _label if isinstance(task, Labels) else _value
    names: tuple[str, ...] = task.names
    found = [
        [read(name, row, cell) for row, cell in zip(rows, columns[name], strict=True)]
        for name in names
    ]
    return torch.tensor(found, dtype=torch.float).T.contiguous()


def _class_names(name: str, cells: Sequence[str], rows: Sequence[int]) -> list[ClassName]:
    """Return classes under their own names: whole numbers where all are, else text."""
    for row, cell in zip(rows, cells, strict=True):
        if is_missing(cell):
            yes_no = all(is_missing(each) or each.strip().lower() in YES_NO for each in cells)
            labels = ", or say task=labels, which may have gaps" if yes_no else ""
            raise SmixupError(
                f"row {row} has no class in column '{name}': fill it in, or leave the row out"
                f"{labels}."
            )
    if all(map(_is_whole, cells)):
        return [int(cell) for cell in cells]
    return [cell.strip() for cell in cells]


def _as_known(names: Sequence[ClassName], task: Classes) -> list[ClassName]:
    """Return names as the task spells them: a file that holds the classes 1 and 2 alone does not
    say that they are text, as they are beside a class 'a'.
    """
    known = {str(name): name for name in task.names}
    return [known.get(str(name), name) for name in names]


def _label(name: str, row: int, cell: str) -> float:
    if is_missing(cell):
        return math.nan
    found = YES_NO.get(cell.strip().lower())
    if found is None:
        raise SmixupError(
            f"'{shown(cell)}' in row {row} of column '{name}' is no label: 0, 1 or empty is needed."
        )
    return found


def _value(name: str, row: int, cell: str) -> float:
    if is_missing(cell):
        return math.nan
    if not _is_number(cell):
        raise SmixupError(
            f"'{shown(cell)}' in row {row} of column '{name}' is no finite number, which a value "
            "must be; leave the cell empty if it is not known."
        )
    return float(cell)


def is_missing(cell: str) -> bool:
    """Tell whether a cell says that nothing is known."""
    return cell.strip().lower() in MISSING


def _is_number(cell: str) -> bool:
    number = number_of(cell)
    return number is not None and abs(number) <= LARGEST


def _is_float(cell: str) -> bool:
    """Tell whether a cell is meant as a number, though perhaps as 1_0 or as one that is infinite:
    it is told with its place, and no class.
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _require_points(name: str, cells: Sequence[str]) -> None:
    """Refuse numbers with decimal commas, which would be classes."""
    comma = next((cell for cell in cells if COMMA.fullmatch(cell.strip())), None)
    if comma is not None and all(_is_float(_with_point(cell)) for cell in cells):
        raise SmixupError(
            f"column '{name}' holds numbers with decimal commas, such as '{shown(comma)}': write "
            "decimal points."
        )


def _with_point(cell: str) -> str:
    """Return 1.234,5 as 1234.5; what has no comma stays."""
    return cell.replace(".", "").replace(",", ".") if "," in cell else cell


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


def _is_whole(cell: str) -> bool:
    return WHOLE.fullmatch(cell.strip()) is not None
