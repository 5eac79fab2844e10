"""What targets were read as is told, and names are not taken for classes."""

from __future__ import annotations

import math

import pytest
import torch

from smixup.datasets.readers.told_targets import require_repeated_classes, told
from smixup.errors import UsageError
from smixup.tasks import Classes, Labels, Values, task_of_columns


def test_two_classes() -> None:
    y = torch.eye(2)[[0] * 39684 + [1] * 1443]
    expected = "target 'HIV_active' was read as classes 0, 1 (1,443 of 41,127 are 1)."
    assert told(Classes((0, 1)), y, ["HIV_active"]) == expected


def test_more_classes() -> None:
    three = told(Classes(("a", "b", "c")), torch.eye(3)[[0, 1, 1, 2]], ["kind"])
    assert three == "target 'kind' was read as 3 classes, a, b, c (1 to 2 graphs each)."
    one = told(Classes(("a",)), torch.ones(2, 1), ["kind"])
    assert one == "target 'kind' was read as one class, a (2 graphs)."
    assert "0, 1, 2, 3, 4, 5, ... (1 graph each" in told(
        Classes.numbered(9), torch.eye(9), ["kind"]
    )


def test_labels_and_values() -> None:
    gaps = torch.tensor([[1.0, 0.0], [math.nan, 0.0]])
    assert (
        told(Labels(("a", "b")), gaps, ["a", "b"])
        == "2 targets were read as labels (25 % of all cells 1, 25 % not known)."
    )
    assert (
        told(Values(("e",)), torch.tensor([[-1.5], [2.0]]), ["e"])
        == "target 'e' was read as values from -1.5 to 2."
    )
    unknown = told(Values(("e",)), torch.tensor([[math.nan]]), ["e"])
    assert unknown == "target 'e' was read as values, none of which is known."


def test_names_and_numbers_are_not_taken_for_classes() -> None:
    names, y = task_of_columns({"name": [f"molecule {i}" for i in range(20)]})
    with pytest.raises(UsageError, match=r"'name' has 20 different entries in 20 rows.*: name ano"):
        require_repeated_classes(names, y, "name")
    numbers, y = task_of_columns({"mass": [str(100 + i) for i in range(20)]})
    with pytest.raises(UsageError, match="task=values if these are quantities"):
        require_repeated_classes(numbers, y, "mass")


def test_classes_that_repeat_or_are_few_pass() -> None:
    for cells in (["a", "b", "c"], ["a", "b"] * 10, [str(i // 2) for i in range(20)]):
        task, y = task_of_columns({"kind": cells})
        require_repeated_classes(task, y, "kind")
    require_repeated_classes(Values(("e",)), torch.rand(20, 1), "e")


def test_classes_of_one_size_and_several_values() -> None:
    assert told(Classes(("a", "b", "c")), torch.eye(3)[[0, 1, 2]], ["kind"]) == (
        "target 'kind' was read as 3 classes, a, b, c (1 graph each)."
    )
    y = torch.tensor([[1.0, 1990.0], [2.5, float("nan")]])
    assert told(Values(("income", "year")), y, ["income", "year"]) == (
        "2 targets were read as values: income (1 to 2.5), year (1990 to 1990), 25 % not known."
    )
    y[:, 1] = float("nan")
    assert "year (not known)" in told(Values(("income", "year")), y, ["income", "year"])
