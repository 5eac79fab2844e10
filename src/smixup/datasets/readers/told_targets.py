"""What target columns were read as, in words: a task is never chosen in silence."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from smixup.errors import UsageError
from smixup.tasks import Classes, Labels, Task

FEW_CLASSES = 6
ENOUGH = 10
"""Graphs from which on one class, or classes of one graph each, are taken for a mistake."""


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


def require_two_classes(task: Task, y: Tensor, name: str) -> None:
    """Refuse a target of which all graphs have the same: nothing can be learned from it. A few
    graphs may be there to be looked at, or matched.
    """
    if isinstance(task, Classes) and task.width == 1 and len(y) >= ENOUGH:
        raise UsageError(
            f"target '{name}' is {task.names[0]} in every row, and two classes at least are needed "
            "to learn anything: name another column, or add graphs of another class."
        )


def require_repeated_classes(task: Task, y: Tensor, name: str) -> None:
    """Refuse classes most of which have a single graph: names, or numbers that are values."""
    number, classes = y.shape
    if not isinstance(task, Classes) or number < ENOUGH or 2 * classes <= number:
        return
    numbers = all(isinstance(each, int) for each in task.names)
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
    shown = ", ".join(map(str, task.names[:FEW_CLASSES]))
    more = ", ..." if len(counts) > FEW_CLASSES else ""
    sizes = sorted({min(counts), max(counts)})
    each = " to ".join(f"{size:,}" for size in sizes)
    noun = "graph" if sizes == [1] else "graphs"
    return f"{len(counts)} classes, {shown}{more} ({each} {noun} each)"


def _share(marked: Tensor) -> str:
    return f"{100 * float(marked.float().mean()):.3g} %"
