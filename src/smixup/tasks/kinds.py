"""Tasks by name, from JSON, and from targets that came without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from smixup.errors import SmixupError
from smixup.tasks.base import Task
from smixup.tasks.classes import Classes
from smixup.tasks.labels import Labels
from smixup.tasks.values import Values

Kind = Literal["classes", "labels", "values"]
KINDS: dict[str, type[Classes] | type[Labels] | type[Values]] = {
    each.kind: each for each in (Classes, Labels, Values)
}


def task_from_dict(found: Mapping[str, Any]) -> Task:
    """Return the task that `Task.to_dict` wrote."""
    fields = dict(found)
    try:
        return KINDS[fields.pop("kind")](**fields)
    except (KeyError, TypeError, ValueError) as reason:
        raise SmixupError(f"this is no task that smixup knows ({reason}).") from reason


def task_of_targets(width: int, has_classes: bool) -> Task:
    """Return the task of targets of `width` columns of which nothing else is known: shares
    of classes, or values. A float is never taken for a class.
    """
    if has_classes:
        return Classes.numbered(width)
    return Values(tuple(f"target {place}" for place in range(width)))
