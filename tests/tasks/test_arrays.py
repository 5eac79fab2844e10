"""What targets given in Python ask for is seen from them, or has to be said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from smixup.errors import SmixupError
from smixup.tasks import Classes, Labels, Values
from smixup.tasks.arrays import task_of_array

NAN = math.nan


class Named:
    """Neither a number nor a text, but it can be hashed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


KINDS: dict[str, tuple[Any, Any, list[list[float]]]] = {
    "names": (["b", "a", "b"], Classes(("a", "b")), [[0, 1], [1, 0], [0, 1]]),
    "whole numbers": ([7, -1], Classes((-1, 7)), [[0, 1], [1, 0]]),
    "an integer tensor": (torch.tensor([3, 5]), Classes((3, 5)), [[1, 0], [0, 1]]),
    "truth values": (np.array([True, False]), Classes((False, True)), [[0, 1], [1, 0]]),
    "numpy's text": (np.array(["x", "y"]), Classes(("x", "y")), [[1, 0], [0, 1]]),
    "other names": ([("a", 1), ("b", 2)], Classes(("('a', 1)", "('b', 2)")), [[1, 0], [0, 1]]),
    "objects": ([Named("p"), Named("q")], Classes(("p", "q")), [[1, 0], [0, 1]]),
    "floats": ([0.0, 1.0], Values(("target",)), [[0], [1]]),
    "floats with a gap": (np.array([0.5, NAN]), Values(("target",)), [[0.5], [NAN]]),
    "whole numbers among floats": ([1, 2.5], Values(("target",)), [[1], [2.5]]),
    "labels": ([[0, 1], [1, 1]], Labels(("target 0", "target 1")), [[0, 1], [1, 1]]),
    "labels with gaps": (
        np.array([[0, NAN], [1, 0.0]]),
        Labels(("target 0", "target 1")),
        [[0, NAN], [1, 0]],
    ),
    "shares": ([[0.25, 0.75], [0.5, 0.5]], Classes((0, 1)), [[0.25, 0.75], [0.5, 0.5]]),
    "several values": (
        [[1.5, 2.0], [None, 3.0]],
        Values(("target 0", "target 1")),
        [[1.5, 2], [NAN, 3]],
    ),
}


@pytest.mark.parametrize("case", KINDS)
def test_the_kind_is_seen(case: str) -> None:
    given, task, y = KINDS[case]
    found, targets = task_of_array(given)
    assert found == task
    assert torch.equal(torch.nan_to_num(targets, -9), torch.nan_to_num(torch.tensor(y).float(), -9))


def test_the_kind_may_be_said() -> None:
    assert task_of_array([0, 1, 3], "values")[1].tolist() == [[0], [1], [3]]
    assert task_of_array([0, 1, None], "labels")[0] == Labels(("target",))
    assert task_of_array([0.0, 1.0], "classes")[0] == Classes((0.0, 1.0))
    assert task_of_array([[1, 0], [0, 1]], "labels")[0].kind == "labels"
    assert task_of_array([[1, 0], [0, 1]], "classes")[0] == Classes((0, 1))


def test_a_table_of_another_package_is_taken() -> None:
    class Frame:
        def to_numpy(self) -> np.ndarray:
            return np.array([[0.5, 1.5]])

        def __iter__(self) -> Any:  # over the names of its columns, as pandas does
            return iter(["a", "b"])

    assert task_of_array(Frame())[1].tolist() == [[0.5, 1.5]]


def test_the_task_of_a_model_holds() -> None:
    known = Classes(("a", "b", "c"))
    task, y = task_of_array(["c"], like=known)
    assert task is known and y.tolist() == [[0, 0, 1]]
    with pytest.raises(SmixupError, match="'z' of graph 0 is none of the classes a, b, c"):
        task_of_array(["z"], like=known)
    with pytest.raises(SmixupError, match="y has 1 columns, but the task has 2"):
        task_of_array([0.5], like=Values(("e", "f")))


BROKEN: dict[str, tuple[Any, str, str]] = {
    "one-hot or labels": ([[1, 0], [0, 1]], "", 'say which by task="classes" or task="labels"'),
    "no class": (["a", None], "", "graph 1 has no class"),
    "a gap among classes": ([0.0, NAN], "classes", "graph 1 has no class"),
    "ragged rows": ([[1, 2], [1]], "", "y of graph 1 has another number of targets"),
    "text in a table": ([["a", "b"]], "", "y of graph 0 holds 'a' in column 0"),
    "without end": ([1.0, math.inf], "", "y of graph 1 holds inf in column 0"),
    "no labels": ([[0, 2], [1, 1]], "labels", "y of graph 0 holds a label that is neither 0, 1"),
    "no shares": ([[0.2, 2.0]], "classes", "holds no shares of classes"),
    "nothing": ([], "", "y is empty"),
    "a word": ("abc", "", "y must be a list or an array"),
    "a number": (3, "", "y must be a list or an array with one target per graph, not 3"),
    "an unknown kind": ([1], "regression", "unknown kind of target 'regression'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_the_wrong_kind_gets_one_sentence(case: str) -> None:
    given, kind, told = BROKEN[case]
    with pytest.raises(SmixupError, match=told):
        task_of_array(given, kind)
