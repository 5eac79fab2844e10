"""Which task the columns of a table ask for, and what is refused."""

from __future__ import annotations

import pytest
import torch

from smixup.errors import SmixupError, UsageError
from smixup.tasks import Classes, Labels, Values, task_of_columns


def test_the_rule() -> None:
    assert task_of_columns({"a": ["1", "0", "1"]})[0] == Classes((0, 1))
    assert task_of_columns({"a": ["10", "9"]})[0] == Classes((9, 10))
    assert task_of_columns({"a": ["yes", " no "]})[0] == Classes(("no", "yes"))
    assert task_of_columns({"a": ["1.5", "2"]})[0] == Values(("a",))
    assert task_of_columns({"a": ["1", ""], "b": ["0", "true"]})[0] == Labels(("a", "b"))
    assert task_of_columns({"a": ["1", ""], "b": ["0", "2"]})[0] == Values(("a", "b"))


def test_targets_and_gaps() -> None:
    task, y = task_of_columns({"a": ["1", "NA"], "b": ["", "0"]})
    assert isinstance(task, Labels)
    assert torch.equal(y.isnan(), torch.tensor([[False, True], [True, False]]))
    assert y[0, 0] == 1 and y[1, 1] == 0
    _, y = task_of_columns({"a": ["3", "4"]}, kind="values")
    assert y.tolist() == [[3.0], [4.0]]


def test_classes_of_a_model_are_found_again() -> None:
    known = Classes(("1", "2", "a"))
    _, y = task_of_columns({"kind": ["2", "1"]}, like=known)
    assert y.tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    with pytest.raises(SmixupError, match="'7' of graph 0 is none of the classes"):
        task_of_columns({"kind": ["7"]}, like=known)


@pytest.mark.parametrize(
    ("columns", "kind", "sentence"),
    [
        ({}, "", "a target column is needed"),
        ({"a": ["1", ""]}, "", "row 2 has no class in column 'a'"),
        ({"a": ["1"], "b": ["red"]}, "", "'red' stands in row 1 of column 'b'"),
        ({"a": ["1"], "b": ["0"]}, "classes", "classes stand in one column"),
        ({"a": ["2"]}, "labels", "'2' in row 1 of column 'a' is no label"),
        ({"a": ["x"]}, "values", "'x' in row 1 of column 'a' is no finite number"),
        ({"a": ["inf"]}, "values", "no finite number"),
        ({"a": ["1_0"]}, "values", "'1_0' in row 1 of column 'a' is no finite number"),
        (
            {"a": ["1.5", "\uff11\uff10"]},
            "",
            "'\uff11\uff10' in row 2 of column 'a' is no finite number",
        ),
        (
            {"a": ["1.5", "10L", "", "2.5"]},
            "",
            "'10L' in row 2 of column 'a' is no number, as most",
        ),
        ({"a": ["1.5"], "b": ["1_0"]}, "", "'1_0' stands in row 1 of column 'b'"),
        ({"a": ["1,5", "2"]}, "", "with decimal commas, such as '1,5'"),
        ({"a": ["2", "1.234,5"]}, "", "with decimal commas, such as '1.234,5'"),
        ({"a": ["1"]}, "rank", "unknown kind of target 'rank'"),
    ],
)
def test_what_is_refused(columns: dict[str, list[str]], kind: str, sentence: str) -> None:
    with pytest.raises((SmixupError, UsageError), match=sentence):
        task_of_columns(columns, kind)


def test_names_among_which_are_some_numbers_are_classes() -> None:
    task, _ = task_of_columns({"a": ["1", "2", "10L"]})
    assert isinstance(task, Classes) and task.names == ("1", "10L", "2")
    task, _ = task_of_columns({"a": ["1.5", "b", "c"]})
    assert isinstance(task, Classes)
    task, _ = task_of_columns({"a": ["1.5", "2.5", "10L"]}, "classes")
    assert isinstance(task, Classes)
