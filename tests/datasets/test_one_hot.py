"""Every column of categories has places of its own."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F

from smixup.datasets.one_hot import one_hot_columns


def test_as_torch_does_it_column_by_column() -> None:
    values = np.array([[2, 0, 1], [0, 1, 3], [1, 1, 0]], np.uint8)
    each = [F.one_hot(torch.from_numpy(values[:, i]).long(), w) for i, w in enumerate((3, 2, 4))]
    found = one_hot_columns(values, (3, 2, 4))
    assert found.dtype == torch.uint8
    assert torch.equal(found.long(), torch.cat(each, 1))


def test_places_beyond_a_byte() -> None:
    assert one_hot_columns(np.array([[200, 99]], np.uint8), (201, 100)).nonzero()[
        :, 1
    ].tolist() == [
        200,
        300,
    ]


def test_nothing() -> None:
    assert one_hot_columns(np.zeros((0, 2), np.uint8), (3, 2)).shape == (0, 5)
