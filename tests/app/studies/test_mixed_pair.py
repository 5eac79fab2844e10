"""A pair goes through Eq. (4) and (5)."""

from __future__ import annotations

import torch

from smixup.app.studies.mixed_pair import MixedPair
from smixup.augment import SMixup
from smixup.augment.transport import Partial
from smixup.graphs import Graphs
from smixup.matching import Identity, Uniform


def test_the_pair_is_mixed_as_the_equations_say(pair: MixedPair) -> None:
    adj1, adj2, aligned, mixed = (
        graph.adj.to_dense() for graph in (pair.left, pair.right, pair.aligned, pair.mixed)
    )
    carried = pair.assignment @ adj2 @ pair.assignment.T
    carried.fill_diagonal_(0)
    assert torch.allclose(aligned, carried, atol=1e-5)
    assert torch.allclose(mixed, 0.75 * adj1 + 0.25 * carried, atol=1e-5)
    assert torch.allclose(pair.mixed.y, 0.75 * pair.left.y + 0.25 * pair.right.y)
    for graph in (pair.aligned, pair.mixed):
        assert torch.equal(graph.motif, pair.left.motif), "they have the nodes of G1"


def test_features_in_bytes_are_mixed_too(graphs: Graphs) -> None:
    graphs = graphs.replace(x=(graphs.x > 0).byte())
    pair = MixedPair.of(Uniform(), graphs[[0]], graphs[[4]], 0.5)
    carried = pair.right.x.float().mean(0)
    assert torch.allclose(pair.mixed.x, 0.5 * pair.left.x + 0.5 * 9 / 4 * carried, atol=1e-5)


def test_a_node_without_counterpart_stays_itself_as_the_method_says(graphs: Graphs) -> None:
    sizes = graphs.sizes
    left, right = graphs[sizes.argmax().view(1)], graphs[[0]]
    n2 = right.num_nodes
    assert left.num_nodes > n2 > 0
    matcher = Identity(partial=True)
    pair = MixedPair.of(matcher, left, right, 0.25)
    assert pair.alignment.kind == "one-to-one"
    assert pair.alignment.matched1.tolist() == [True] * n2 + [False] * (left.num_nodes - n2)
    x1, x2 = left.x.float(), right.x.float()
    assert torch.allclose(pair.mixed.x[:n2], 0.25 * x1[:n2] + 0.75 * x2)
    assert torch.allclose(pair.mixed.x[n2:], x1[n2:])
    adj1 = left.adj.to_dense()
    assert torch.allclose(pair.mixed.adj.to_dense()[n2:], adj1[n2:])
    assert pair.transport == SMixup().transport == Partial(edges=True)
    bare = MixedPair.of(matcher, left, right, 0.25, "partial")
    assert torch.allclose(bare.mixed.adj.to_dense()[n2:], 0.25 * adj1[n2:])
    paper = MixedPair.of(matcher, left, right, 0.25, "paper")
    assert torch.allclose(paper.mixed.x[n2:], 0.25 * x1[n2:])
