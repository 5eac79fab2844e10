"""Tasks from JSON, and of targets that come without one."""

from __future__ import annotations

import json

import pytest

from smixup.errors import SmixupError
from smixup.tasks import KINDS, Classes, Labels, Task, Values, task_from_dict, task_of_targets


@pytest.mark.parametrize("task", [Classes(("a", 1, 2.5)), Labels(("x",)), Values(("e", "f"))])
def test_tasks_survive_json(task: Task) -> None:
    assert task_from_dict(json.loads(json.dumps(task.to_dict()))) == task
    assert KINDS[task.kind] is type(task)


def test_what_is_no_task_is_refused() -> None:
    for wrong in ({}, {"kind": "ranks"}, {"kind": "labels", "colour": 1}):
        with pytest.raises(SmixupError, match="no task that smixup knows"):
            task_from_dict(wrong)


def test_targets_without_a_task() -> None:
    assert task_of_targets(3, has_classes=True) == Classes((0, 1, 2))
    assert task_of_targets(2, has_classes=False) == Values(("target 0", "target 1"))
