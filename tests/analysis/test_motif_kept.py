"""How much of a motif is kept: hand-computed cases and a plain loop."""

from __future__ import annotations

import pytest
import torch

from smixup.analysis.motif_kept import motif_edges, motif_kept
from smixup.datasets import load_dataset
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Identity, Uniform


@pytest.fixture(scope="module")
def graphs() -> Graphs:
    return load_dataset("MOTIF", num_graphs=12).graphs


def assigned(M: torch.Tensor) -> SparseOperator:
    row, column = M.nonzero().T
    return SparseOperator.from_entries(row, column, M[row, column], (M.size(0), M.size(1)))


def tail() -> Graphs:
    """A triangle, the motif, with a tail of one node."""
    edges = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3], [1, 0, 2, 1, 0, 2, 3, 2]])
    adj = SparseOperator.from_edges(edges, torch.ones(8), 4)
    motif = torch.tensor([True, True, True, False])
    return Graphs(
        torch.ones(4, 1),
        adj,
        torch.ones(1, 1),
        torch.tensor([0, 4]),
        node_attrs={"motif": motif},
    )


def test_the_motif_is_the_edges_within_it(graphs: Graphs) -> None:
    assert motif_edges(tail()).to_dense().sum() == 6
    counts = [float(motif_edges(graphs[[place]]).weight.sum()) / 2 for place in range(12)]
    expected = {0: 5, 1: 6, 2: 6}
    assert counts == [expected[label] for label in graphs.labels.tolist()], "cycle, house and crane"


def test_an_aligned_motif_is_kept_wherever_the_rest_goes() -> None:
    graph = tail()
    assert motif_kept(Identity()(graph, graph), graph, graph).tolist() == [1]
    turned = torch.eye(4)[[1, 2, 0, 3]]
    assert motif_kept(assigned(turned), graph, graph).tolist() == [1]
    elsewhere = torch.eye(4)
    elsewhere[:, 3] = torch.eye(4)[0]
    assert motif_kept(assigned(elsewhere), graph, graph).tolist() == [1]


def test_weight_counts_where_the_motif_is_and_no_more_than_there_is() -> None:
    graph = tail()
    swapped = torch.eye(4)[[3, 1, 2, 0]]
    assert float(motif_kept(assigned(swapped), graph, graph)) == pytest.approx(1 / 3), (
        "one edge is left, the tail is no motif"
    )
    piled = torch.zeros(4, 4)
    piled[0, 0] = piled[1, 1] = piled[1, 2] = piled[3, 3] = 1
    assert float(motif_kept(assigned(piled), graph, graph)) == pytest.approx(1 / 3), (
        "two edges on one count as one"
    )
    assert float(motif_kept(Uniform()(graph, graph), graph, graph)) == pytest.approx(6 / 16), (
        "as on every cell"
    )


def test_many_pairs_equal_one_by_one(graphs: Graphs, device: torch.device) -> None:
    graphs = graphs.to(device)
    order = graphs.labels.argsort(stable=True)
    left, right = graphs[order], graphs[order.view(3, 4).roll(1, 1).flatten()]
    found = motif_kept(Uniform()(left, right), left, right)
    sizes, edges = left.sizes.double(), left.x.new_tensor([5.0, 6.0, 6.0]).repeat_interleave(4)
    torch.testing.assert_close(found, (2 * edges / sizes**2).float())
    alone = [
        motif_kept(Identity()(left[k : k + 1], right[k : k + 1]), left[k : k + 1], right[k : k + 1])
        for k in range(12)
    ]
    torch.testing.assert_close(motif_kept(Identity()(left, right), left, right), torch.cat(alone))


def test_graphs_without_a_motif_are_refused(graphs: Graphs) -> None:
    with pytest.raises(SmixupError, match="no known motif"):
        motif_edges(graphs[[0]].replace(node_attrs={"motif": None}))
