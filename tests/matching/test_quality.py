"""How much of a motif is kept, by hand."""

from __future__ import annotations

import pytest
import torch

from smixup.datasets import load_dataset
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Uniform
from smixup.matching.quality import motif_kept


@pytest.fixture
def tail() -> Graphs:
    """A triangle, the motif, with a tail of one node."""
    edges = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3], [1, 0, 2, 1, 0, 2, 3, 2]])
    adj, motif = SparseOperator.from_edges(edges, torch.ones(8), 4), torch.arange(4) < 3
    ones = torch.ones(4, 1), torch.ones(1, 1)
    return Graphs(ones[0], adj, ones[1], torch.tensor([0, 4]), node_attrs={"motif": motif})


@pytest.mark.parametrize(
    ("places", "share"),
    [
        ([0, 1, 2, 3], 1),
        ([1, 2, 0, 3], 1),  # turned
        ([0, 1, 2, 0], 1),  # wherever the rest goes
        ([3, 1, 2, 0], 1 / 3),  # one edge is left, the tail is no motif
        ([0, 1, 1, 3], 1 / 3),  # two edges on one count as one
    ],
)
def test_motif_kept_by_hand(tail: Graphs, places: list[int], share: float) -> None:
    row, column = torch.eye(4)[:, places].nonzero(as_tuple=True)
    M = SparseOperator.from_entries(row, column, torch.ones(4), (4, 4))
    assert float(motif_kept(M, tail, tail)) == pytest.approx(share)


def test_motif_kept_of_many_pairs() -> None:
    graphs = load_dataset("MOTIF", num_graphs=12).graphs
    order = graphs.labels.argsort(stable=True)
    left, right = graphs[order], graphs[order.view(3, 4).roll(1, 1).flatten()]
    edges = torch.tensor([5.0, 6.0, 6.0]).repeat_interleave(4)  # of cycle, house and crane
    kept = motif_kept(Uniform()(left, right), left, right)
    torch.testing.assert_close(kept, 2 * edges / left.sizes**2)
    with pytest.raises(SmixupError, match="no known motif"):
        motif_kept(Uniform()(left, right), left.replace(node_attrs={}), right)
