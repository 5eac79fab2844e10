"""Eq. (4) and (5) entry by entry, and what a transport keeps: by hand and by property."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from small_graphs import operator
from torch import Tensor

from smixup.augment.mixing import Paper, Partial, interpolate, transform
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Uniform
from smixup.matching.pairs import Pairs


def graph(adj: Tensor, x: Tensor, label: int = 0) -> Graphs:
    return Graphs(x, operator(adj), torch.eye(2)[[label]], torch.tensor([0, len(x)]))


PATH3 = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
EDGE = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
PATH = graph(PATH3, torch.tensor([[1.0], [2.0], [3.0]]))
TRIANGLE = graph(1 - torch.eye(3), torch.tensor([[10.0], [20.0], [30.0]]), label=1)
M = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.5, 1.0]])
CARRIED = torch.tensor([[0.0, 0.5, 1.5], [0.5, 0.0, 0.5], [1.5, 0.5, 0.0]])
"""M A2 M^T of the triangle; its loop, of ends of edges that fall together, goes."""
LAMBDAS = torch.tensor([0.1, 0.3, 0.5, 0.7, 0.9])


def random_assignment(left: Graphs, right: Graphs) -> SparseOperator:
    pairs, random = Pairs.of(left, right), torch.Generator().manual_seed(0)
    blocks = [torch.rand(each.mask.shape, generator=random) * each.mask for each in pairs.blocks()]
    return pairs.assigned([block / block.sum(1, keepdim=True).clamp(min=1e-9) for block in blocks])


def sides(graphs: Graphs) -> tuple[Graphs, Graphs]:
    return graphs[[0, 1, 4, 2, 6]], graphs[[4, 3, 5, 1, 0]]


def test_equations_4_and_5_on_pairs_of_all_sizes(graphs: Graphs) -> None:
    """Columns of one preserve mass, loops go, and every pair has a ratio of its own."""
    left, right = sides(graphs)
    for matcher in (random_assignment, Uniform()):
        assignment = matcher(left, right)
        dense = assignment.to_dense()
        moved = Paper()(assignment, left, right)
        with_loops = dense @ right.adj.to_dense() @ dense.T
        carried = with_loops - with_loops.diagonal().diag()
        torch.testing.assert_close(with_loops.sum(), right.adj.to_dense().sum())
        torch.testing.assert_close(moved.x, dense @ right.x)
        torch.testing.assert_close(moved.adj.to_dense(), carried)
        mixed = interpolate(left, moved, LAMBDAS)
        lam = LAMBDAS[left.batch].unsqueeze(1)
        torch.testing.assert_close(mixed.x, lam * left.x + (1 - lam) * moved.x)
        expected = lam * left.adj.to_dense() + (1 - lam) * carried
        torch.testing.assert_close(mixed.adj.to_dense(), expected)
        torch.testing.assert_close(mixed.adj.to_dense(), expected)
        lam = LAMBDAS.unsqueeze(1)
        torch.testing.assert_close(mixed.y, lam * left.y + (1 - lam) * right.y)


def test_directed_graphs_keep_their_direction() -> None:
    one_way = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    P = torch.eye(3)[[2, 0, 1]]
    moved = transform(operator(P), PATH, replace(TRIANGLE, adj=operator(one_way)))
    torch.testing.assert_close(moved.adj.to_dense(), P @ one_way @ P.T)


def test_a_loop_of_g2_is_carried_as_its_node_is_and_no_other_is_made() -> None:
    dense = TRIANGLE.adj.to_dense()
    dense[1, 1] = 4.0
    moved = transform(operator(M), PATH, TRIANGLE.replace(adj=operator(dense)))
    loops = torch.diag(torch.tensor([0, 2, 2.0]))  # M diag(0, 4, 0)
    torch.testing.assert_close(moved.adj.to_dense(), CARRIED + loops)
    assert not (moved.adj.weight == 0).any(), "no entries for loops that are not there"


def test_attributes_are_mixed_where_they_are_numbers() -> None:
    kinds, weights = torch.tensor([3, 4, 5]), torch.tensor([[2.0, 0.0], [4.0, 0.0], [6.0, 8.0]])
    left = PATH.replace(
        node_attrs={"kind": kinds, "weight": weights},
        graph_attrs={"time": torch.tensor([1.0]), "place": torch.tensor([7])},
        edge_attrs={"length": PATH.adj.weight.unsqueeze(1) * torch.tensor([1.0, 3.0])},
    )
    other = TRIANGLE.replace(
        node_attrs={"kind": kinds + 10, "weight": weights + 4},
        graph_attrs={"time": torch.tensor([3.0]), "place": torch.tensor([8])},
        edge_attrs={"length": TRIANGLE.adj.weight.unsqueeze(1) * torch.tensor([1.0, 2.0])},
    )
    moved = transform(operator(M), left, other)
    assert torch.equal(moved.node_attrs["kind"], kinds)
    torch.testing.assert_close(moved.node_attrs["weight"], M @ (weights + 4))
    mixed = interpolate(left, other, torch.tensor([0.75]))
    assert torch.equal(mixed.node_attrs["kind"], kinds)
    torch.testing.assert_close(mixed.node_attrs["weight"], weights + 1)
    torch.testing.assert_close(mixed.graph_attrs["time"], torch.tensor([1.5]))
    assert mixed.graph_attrs["place"].tolist() == [7]
    torch.testing.assert_close(mixed.y, torch.tensor([[0.75, 0.25]]))
    one, two = (replace(mixed.adj, weight=each) for each in mixed.edge_attrs["length"].unbind(1))
    path, triangle = PATH.adj.to_dense(), TRIANGLE.adj.to_dense()
    torch.testing.assert_close(one.to_dense(), 0.75 * path + 0.25 * triangle)
    torch.testing.assert_close(two.to_dense(), 0.75 * 3 * path + 0.25 * 2 * triangle)
    with pytest.raises(RuntimeError, match="Sizes of tensors must match"):  # nothing is left out
        narrow = other.replace(edge_attrs={"length": TRIANGLE.adj.weight.unsqueeze(1)})
        interpolate(left, narrow, torch.ones(1))


def test_a_node_without_counterpart_stays_itself_and_nodes_without_a_place_are_dropped() -> None:
    right = graph(EDGE, torch.tensor([[10.0], [20.0]]))
    assignment = operator(torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]))
    found = Partial()(assignment, PATH, right)
    assert found.x.flatten().tolist() == [20.0, 10.0, 3.0]
    assert found.adj.to_dense().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    mixed = interpolate(PATH, found, torch.tensor([0.75]))
    assert mixed.x.flatten().tolist() == [5.75, 4.0, 3.0]
    assert mixed.adj.to_dense().tolist() == [[0, 1, 0], [1, 0, 0.75], [0, 0.75, 0]]
    kept = interpolate(PATH, Partial(edges=True)(assignment, PATH, right), torch.tensor([0.75]))
    assert kept.adj.to_dense().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    dropped = Partial()(operator(torch.eye(2, 3)), graph(EDGE, torch.ones(2, 1)), PATH)
    assert dropped.x.flatten().tolist() == [1.0, 2.0]
    assert torch.equal(dropped.adj.to_dense(), EDGE)


def test_attributes_come_along_with_a_partial_transport(graphs: Graphs) -> None:
    left, right = (
        graphs[[place]].replace(
            node_attrs={"pos": torch.rand(n, 2), "mask": torch.full((n,), place == 0)},
            edge_attrs={"bond": graphs[[place]].adj.weight.unsqueeze(1)},
        )
        for place, n in ((0, 4), (5, 5))
    )
    assignment = operator(torch.eye(4, 5).index_fill(0, torch.tensor([3]), 0.0))
    moved = Partial(edges=True)(assignment, left, right)
    assert moved.node_attrs["mask"].all(), "what cannot be averaged is G1's"
    bond = replace(moved.adj, weight=moved.edge_attrs["bond"].squeeze(1)).to_dense()
    torch.testing.assert_close(bond - torch.diag(bond.diagonal()), moved.adj.to_dense())
    expected = torch.cat([right.node_attrs["pos"][:3], left.node_attrs["pos"][3:]])
    torch.testing.assert_close(moved.node_attrs["pos"], expected)
