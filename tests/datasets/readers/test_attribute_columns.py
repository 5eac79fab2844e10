"""Numbers are columns, texts are one-hot, and what was not seen before is 'other'."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from smixup.datasets.readers.attribute_columns import Column, column_of, encode, learn, width
from smixup.errors import SmixupError


def where(row: int) -> str:
    return f"place {row}"


def test_numbers_and_texts_become_features() -> None:
    columns = {
        "size": column_of("size", [1, 2.5, True], where),
        "colour": column_of("colour", ["red", "blue", "red"], where),
    }
    vocabulary = learn(columns)
    assert vocabulary == {"colour": ["blue", "red"], "size": None} and width(vocabulary) == 4
    x, unknown = encode(columns, vocabulary, 3, where)
    assert x.tolist() == [[0, 1, 0, 1], [1, 0, 0, 2.5], [0, 1, 0, 1]] and not unknown


def test_texts_alone_are_bytes_and_new_ones_other() -> None:
    vocabulary = learn({"c": column_of("c", ["a", "b"], where)})
    x, unknown = encode({"c": column_of("c", ["b", "z", "z"], where)}, vocabulary, 3, where)
    assert x.dtype == torch.uint8 and x.tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert unknown == {"c": 2}
    assert encode({}, {}, 3, where)[0].shape == (3, 0)


def test_numbers_may_name_categories() -> None:
    column = column_of("c", [10, 2.0, 0.5], where)
    assert learn({"c": column}, ["c"]) == {"c": ["0.5", "10", "2"]}
    mixed = column_of("c", [10, "x"], where, as_category=True)
    assert learn({"c": mixed}) == {"c": ["10", "x"]}
    x, _ = encode({"c": column}, {"c": ["0.5", "10", "2"]}, 3, where)
    assert x.argmax(1).tolist() == [1, 2, 0]


def test_what_cannot_be_a_feature_is_told() -> None:
    with pytest.raises(SmixupError, match="'c' is missing at place 1: give it to all"):
        column_of("c", [1, None], where)
    with pytest.raises(SmixupError, match="'c' is 'x' at place 2, but 1 at place 0"):
        column_of("c", [1, 2, "x"], where)
    with pytest.raises(SmixupError, match=r"'c' is '{}' at place 0, which is neither"):
        column_of("c", [{}], where)
    with pytest.raises(SmixupError, match="'c' is inf at place 1, where a finite number"):
        encode({"c": Column.of_numbers(np.array([1.0, np.inf]))}, {"c": None}, 2, where)
    with pytest.raises(SmixupError, match="'c' is 1e\\+300 at place 0"):  # beyond single precision
        encode({"c": column_of("c", [1e300], where)}, {"c": None}, 1, where)
    with pytest.raises(SmixupError, match="'c' is text"):
        encode({"c": column_of("c", ["a"], where)}, {"c": None}, 1, where)
    with pytest.raises(SmixupError, match="'d' is missing, which the files read before have"):
        encode({}, {"d": None}, 1, where)
    names = column_of("c", [f"name {k}" for k in range(1001)], where)
    with pytest.raises(SmixupError, match="'c' has 1001 different texts, such as 'name 0'"):
        learn({"c": names})
