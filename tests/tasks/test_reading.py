"""What targets ask for, given in Python or as columns of a table, is seen from them or must be
said.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from smixup.errors import SmixupError
from smixup.tasks import Classes, Labels, Values, task_of_array, task_of_columns

NAN = math.nan
TWO = "target 0", "target 1"


class Frame:
    """A table of another package."""

    def to_numpy(self) -> np.ndarray:
        return np.array([[0.5, 1.5]])

    def __iter__(self) -> Any:  # over the names of its columns, as pandas does
        return iter(["a", "b"])


KINDS: list[tuple[Any, Any, list[list[float]]]] = [
    (["b", "a", "b"], Classes(("a", "b")), [[0, 1], [1, 0], [0, 1]]),
    ([7, -1], Classes((-1, 7)), [[0, 1], [1, 0]]),
    (torch.tensor([3, 5]), Classes((3, 5)), [[1, 0], [0, 1]]),
    (np.array([True, False]), Classes((False, True)), [[0, 1], [1, 0]]),
    (np.array(["x", "y"]), Classes(("x", "y")), [[1, 0], [0, 1]]),
    ([0.0, 1.0], Values(("target",)), [[0], [1]]),
    (np.array([0.5, NAN]), Values(("target",)), [[0.5], [NAN]]),
    ([1, 2.5], Values(("target",)), [[1], [2.5]]),
    ([[0, 1], [1, 1]], Labels(TWO), [[0, 1], [1, 1]]),
    (np.array([[0, NAN], [1, 0.0]]), Labels(TWO), [[0, NAN], [1, 0]]),
    ([[1.5, 2.0], [None, 3.0]], Values(TWO), [[1.5, 2], [NAN, 3]]),
    (Frame(), Values(TWO), [[0.5, 1.5]]),
]


def test_the_kind_of_an_array_is_seen_said_or_known() -> None:
    for given, task, y in KINDS:
        found, targets = task_of_array(given)
        assert found == task
        np.testing.assert_array_equal(targets, y)
    assert task_of_array([0, 1, 3], "values")[1].tolist() == [[0], [1], [3]]
    assert task_of_array([0, 1, None], "labels")[0] == Labels(("target",))
    assert task_of_array([0.0, 1.0], "classes")[0] == Classes((0.0, 1.0))
    assert task_of_array([[1, 0], [0, 1]], "labels")[0].kind == "labels"
    known = Classes(("a", "b", "c"))
    task, y = task_of_array(["c"], like=known)
    assert task is known and y.tolist() == [[0, 0, 1]]


COLUMNS: list[tuple[dict[str, list[str]], Any]] = [
    ({"a": ["1", "0", "1"]}, Classes((0, 1))),
    ({"a": ["10", "9"]}, Classes((9, 10))),
    ({"a": ["yes", " no "]}, Classes(("no", "yes"))),
    ({"a": ["1", "2", "10L"]}, Classes(("1", "10L", "2"))),
    ({"a": ["1.5", "b", "c"]}, Classes(("1.5", "b", "c"))),
    ({"a": ["1.5", "2"]}, Values(("a",))),
    ({"a": ["1", ""], "b": ["0", "true"]}, Labels(("a", "b"))),
    ({"a": ["1", ""], "b": ["0", "2"]}, Values(("a", "b"))),
]


def test_the_kind_of_columns_is_seen_said_or_known() -> None:
    for columns, task in COLUMNS:
        assert task_of_columns(columns)[0] == task
    task, y = task_of_columns({"a": ["1", "NA"], "b": ["", "0"]})
    assert isinstance(task, Labels)
    assert torch.nan_to_num(y, -9).tolist() == [[1, -9], [-9, 0]]
    assert task_of_columns({"a": ["3", "4"]}, kind="values")[1].tolist() == [[3.0], [4.0]]
    assert isinstance(task_of_columns({"a": ["1.5", "2.5", "10L"]}, "classes")[0], Classes)
    known = Classes(("1", "2", "a"))
    _, y = task_of_columns({"kind": ["2", "1"]}, like=known)
    assert y.tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]


def test_what_cannot_be_read_gets_one_sentence() -> None:
    array, columns = task_of_array, task_of_columns
    letters, two = Classes(("a", "b")), Values(("e", "f"))
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: array([[1, 0], [0, 1]]), r"classes are one flat list .* y\.argmax\(1\)"),
        (lambda: array([[1, 0], [0, 1]], "classes"), "classes are one flat list"),
        (lambda: array(["a", None]), "graph 1 has no class"),
        (lambda: array([[1, 2], [1]]), "y of graph 1 has not as many targets"),
        (lambda: array([["a", "b"]]), "'a' in graph 0 is no finite number"),
        (lambda: array([1.0, math.inf]), "'inf' in graph 1 is no finite number"),
        (lambda: array([[0, 2], [1, 1]], "labels"), "'2' in graph 0, column 1 is no label"),
        (lambda: array([]), "y must be a list or an array with one target per graph"),
        (lambda: array(3), "y must be a list or an array with one target per graph, not 3"),
        (lambda: array(["z"], like=letters), "'z' of graph 0 is none of the classes a, b"),
        (lambda: array([0.5], like=two), "y has 1 columns, but the task has 2"),
        (lambda: columns({}), "a target column is needed"),
        (lambda: columns({"a": ["1", ""]}), "row 2 of column 'a' has no class"),
        (lambda: columns({"a": ["1"], "b": ["red"]}), "'red' in row 1 of column 'b' is no finite"),
        (lambda: columns({"a": ["1"], "b": ["0"]}, "classes"), "classes stand in one column"),
        (lambda: columns({"a": ["2"]}, "labels"), "'2' in row 1 of column 'a' is no label"),
        (lambda: columns({"a": ["1_0"]}, "values"), "'1_0' in row 1 of column 'a' is no finite"),
        (lambda: columns({"a": ["1.5", "10L", "", "2.5"]}), "'10L' in row 2 .* no number, as most"),
        (lambda: columns({"a": ["1,5", "2"]}), "'1,5' in row 1 .* with decimal points"),
        (lambda: columns({"a": ["1"]}, "rank"), "unknown kind of target 'rank'"),
    ]
    for call, message in cases:
        with pytest.raises(SmixupError, match=message):
            call()
