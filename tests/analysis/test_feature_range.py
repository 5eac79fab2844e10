"""Features beyond the originals', column by column."""

from __future__ import annotations

import torch

from smixup.analysis.feature_range import outside_range
from smixup.graphs import Graphs


def test_by_hand(graphs: Graphs) -> None:
    x = torch.zeros(graphs.num_nodes, 2)
    x[0], x[1] = torch.tensor([1.0, -1.0]), torch.tensor([0.5, 0.0])
    originals = graphs.replace(x=x)
    made = graphs.replace(x=x.clone())
    made.x[2] = torch.tensor([1.2, -0.5])
    made.x[3] = torch.tensor([0.5, 0.3])
    made.x[4] = torch.tensor([1.00001, -1.0])
    made.x[5] = torch.tensor([-0.1, -0.1])
    assert outside_range(made, originals).nonzero().squeeze(1).tolist() == [2, 3, 5]


def test_bytes(graphs: Graphs) -> None:
    """One-hot features may be kept in bytes."""
    ones = graphs.replace(x=torch.ones(graphs.num_nodes, 1, dtype=torch.uint8))
    assert not outside_range(ones, ones).any()
    assert outside_range(ones.replace(x=ones.x.float() * 1.5), ones).all()
