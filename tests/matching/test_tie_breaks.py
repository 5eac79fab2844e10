"""What decides between nodes that look alike; see also `test_consensus.py`."""

from __future__ import annotations

import pytest
import torch

from smixup.matching.tie_breaks import tie_break, tie_breaks


def test_cells_one_by_one_are_those_of_the_table() -> None:
    table = tie_breaks(40, 30, 5)
    i, j = torch.randint(40, (200,)), torch.randint(30, (200,))
    assert torch.equal(tie_break(i, j, 5), table[i, j])
    assert tie_break(i[:0], j[:0], 5).shape == (0,)


def test_places_far_out_are_numbers_like_others() -> None:
    """Of graphs of a million nodes, where products overflow."""
    i = torch.arange(10**6 - 3000, 10**6)
    found = tie_break(i, i + 12345, 0)
    assert found.isfinite().all()
    assert found.unique().numel() > 2990
    assert abs(float(found.mean())) < 0.08
    assert float(found.std()) == pytest.approx(1, abs=0.08)


def test_the_two_ends_are_not_the_same() -> None:
    table = tie_breaks(50, 50, 0)
    assert float(torch.corrcoef(torch.stack([table.flatten(), table.T.flatten()]))[0, 1]) < 0.1
