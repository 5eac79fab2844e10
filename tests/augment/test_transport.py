"""From M to G2': what is kept, by hand and by property."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from smixup.augment.mixing import interpolate, transform
from smixup.augment.transport import TRANSPORTS, Balanced, Paper, Partial, Transport, arrived
from smixup.edits.edit_costs import METRIC
from smixup.edits.edit_distance import edit_distance
from smixup.edits.weighted_graph import WeightedGraph
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.matching import Identity, RandomOrder, Uniform
from smixup.matching.normalization import Columns, Normalization, Sinkhorn
from smixup.matching.pairs import Pairs


def operator(dense: Tensor) -> SparseOperator:
    row, column = dense.nonzero(as_tuple=True)
    return SparseOperator.from_entries(
        row, column, dense[row, column], (dense.size(0), dense.size(1))
    )


def one_graph(adj: Tensor, x: Tensor, **others: object) -> Graphs:
    ptr = torch.tensor([0, len(x)])
    return Graphs(x, operator(adj), torch.eye(2)[:1], ptr, **others)  # type: ignore[arg-type]


def random_graph(n: int, seed: int) -> Graphs:
    graph = nx.gnp_random_graph(n, 0.5, seed=seed)
    adj = torch.from_numpy(nx.to_numpy_array(graph)).float()
    return one_graph(adj, torch.randn(n, 3, generator=torch.Generator().manual_seed(seed)))


def soft(left: Graphs, right: Graphs, normalize: Normalization, seed: int) -> Operator:
    pairs = Pairs.of(left, right)
    random = torch.Generator().manual_seed(seed)
    return pairs.operator(
        [normalize(2 * torch.randn(b.mask.shape, generator=random), b) for b in pairs.blocks()]
    )


PATH3 = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
EDGE = torch.tensor([[0.0, 1.0], [1.0, 0.0]])


def test_the_paper_is_equation_4() -> None:
    left, right = random_graph(4, 0), random_graph(6, 1)
    M = soft(left, right, Columns(), 0)
    found, expected = Paper()(M, left, right), transform(M, left, right)
    assert torch.equal(found.x, expected.x)
    assert torch.equal(found.adj.to_dense(), expected.adj.to_dense())


sizes = st.integers(2, 9)


@settings(max_examples=40, deadline=None)
@given(n1=sizes, n2=sizes, seed=st.integers(0, 50))
def test_balanced_keeps_the_mean_feature_and_the_mean_degree_of_columns(
    n1: int, n2: int, seed: int
) -> None:
    left, right = random_graph(n1, seed), random_graph(n2, seed + 1)
    M = soft(left, right, Columns(), seed)
    found = Balanced()(M, left, right)
    torch.testing.assert_close(found.x.mean(0), right.x.mean(0), rtol=1e-4, atol=1e-5)
    loops = (M @ right.adj @ M.T).to_dense().diagonal().sum() * n1 / n2
    degree = (found.adj.row_sums().sum() + loops) / n1
    torch.testing.assert_close(degree, right.adj.row_sums().mean(), rtol=1e-4, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(n1=sizes, n2=sizes, seed=st.integers(0, 50))
def test_a_balanced_transport_keeps_constant_features(n1: int, n2: int, seed: int) -> None:
    """Both marginals hold, so what all nodes share stays, and a node has the average degree of
    those it stands for.
    """
    left, right = random_graph(n1, seed), random_graph(n2, seed + 1)
    constant = right.replace(x=torch.full((n2, 2), 3.0))
    M = soft(left, right, Sinkhorn(rounds=500), seed)
    found = Balanced()(M, left, constant)
    torch.testing.assert_close(found.x, torch.full((n1, 2), 3.0), rtol=1e-3, atol=1e-3)
    T = M.to_dense() / n2
    torch.testing.assert_close(T.sum(1), torch.full((n1,), 1 / n1), rtol=1e-3, atol=1e-4)
    A = n1 * n2 * T @ right.adj.to_dense() @ T.T
    expected = A - torch.diag(A.diagonal())
    torch.testing.assert_close(found.adj.to_dense(), expected, rtol=1e-4, atol=1e-5)
    averages = n1 * T @ right.adj.row_sums()
    torch.testing.assert_close(A.sum(1), averages, rtol=1e-3, atol=1e-3)


def test_a_node_without_counterpart_stays_itself() -> None:
    left = one_graph(PATH3, torch.tensor([[1.0], [2.0], [3.0]]))
    right = one_graph(EDGE, torch.tensor([[10.0], [20.0]]))
    M = operator(torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]))
    found = Partial()(M, left, right)
    assert found.x.flatten().tolist() == [20.0, 10.0, 3.0]
    expected = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert torch.equal(found.adj.to_dense(), expected)
    mixed = interpolate(left, found, torch.tensor([0.75]))
    assert mixed.x.flatten().tolist() == [5.75, 4.0, 3.0]
    assert mixed.adj.to_dense().tolist() == [[0, 1, 0], [1, 0, 0.75], [0, 0.75, 0]]
    kept = interpolate(left, Partial(edges=True)(M, left, right), torch.tensor([0.75]))
    assert kept.adj.to_dense().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_nodes_without_a_place_are_dropped() -> None:
    left = one_graph(EDGE, torch.ones(2, 1))
    right = one_graph(PATH3, torch.tensor([[1.0], [2.0], [3.0]]))
    M = operator(torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    found = Partial()(M, left, right)
    assert found.x.flatten().tolist() == [1.0, 2.0]
    assert torch.equal(found.adj.to_dense(), EDGE)


def share(transport: Transport, M: Operator, left: Graphs, right: Graphs) -> Tensor:
    return arrived(transport, M, left, right, transport(M, left, right))


def test_the_share_that_arrived_by_hand() -> None:
    """The way is 1 for the second node, which changes by 1; beyond it lie a node of size 3 and an
    edge.
    """
    left = one_graph(EDGE, torch.ones(2, 1))
    right = one_graph(PATH3, torch.tensor([[1.0], [2.0], [3.0]]))
    M = operator(torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    torch.testing.assert_close(share(Partial(), M, left, right), torch.tensor([1 / 5]))
    # The other way round an edge fades, too, or stays with its node.
    torch.testing.assert_close(share(Partial(), M.T, right, left), torch.tensor([2 / 5]))
    torch.testing.assert_close(share(Partial(edges=True), M.T, right, left), torch.tensor([1 / 5]))
    torch.testing.assert_close(share(Partial(), operator(torch.eye(2)), left, left), torch.ones(1))


def test_the_label_says_where_the_mix_lies() -> None:
    """With the best alignment, the share of G1 is epsilon of Theorem 1, by exact edit distances."""
    for seed in range(6):
        left, right = random_graph(4, seed), random_graph(5 - seed % 3, seed + 50)
        found = [WeightedGraph.from_batch(each) for each in (left, right)]
        distance = edit_distance(*found, METRIC)
        assert distance.exact
        M = torch.zeros(left.num_nodes, right.num_nodes)
        for i, j in enumerate(distance.node_map):
            if j >= 0:
                M[i, j] = 1.0
        lam, partial = 0.7, Partial()
        moved = partial(operator(M), left, right)
        mixed = interpolate(left, moved, torch.tensor([lam]))
        ends = [
            edit_distance(WeightedGraph.from_batch(mixed), each, METRIC).upper for each in found
        ]
        epsilon = ends[1] / sum(ends)
        label = 1 - (1 - lam) * float(arrived(partial, operator(M), left, right, moved))
        assert label == pytest.approx(epsilon, abs=1e-4)


def test_all_arrives_where_columns_sum_to_one(graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 2]], graphs[[5, 1, 6]]
    for matcher in (Uniform(), Identity(), RandomOrder()):
        M = matcher(left, right)
        torch.testing.assert_close(share(Paper(), M, left, right), torch.ones(3))


def test_an_isomorphic_partner_returns_the_permuted_graph() -> None:
    left = random_graph(8, 0)
    order = torch.randperm(8, generator=torch.Generator().manual_seed(1))
    right = one_graph(left.adj.to_dense()[order][:, order], left.x[order])
    M = operator(torch.eye(8)[:, order])
    for transport in map(TRANSPORTS.of, ("paper", "balanced", "partial", "partial(edges=true)")):
        moved = transport(M, left, right)
        torch.testing.assert_close(moved.x, left.x)
        torch.testing.assert_close(moved.adj.to_dense(), left.adj.to_dense())
        mixed = interpolate(left, moved, torch.tensor([0.3]))
        torch.testing.assert_close(mixed.x, left.x)
        torch.testing.assert_close(mixed.adj.to_dense(), left.adj.to_dense())


@pytest.mark.parametrize("name", ["paper", "balanced", "partial", "partial(edges=true)"])
def test_a_ratio_of_one_gives_the_first_graph(graphs: Graphs, name: str) -> None:
    left, right = graphs[[0, 4, 1]], graphs[[5, 2, 3]]
    M = RandomOrder(partial=True)(left, right)
    moved = TRANSPORTS.of(name)(M, left, right)
    mixed = interpolate(left, moved, torch.ones(3))
    torch.testing.assert_close(mixed.x, left.x)
    torch.testing.assert_close(mixed.adj.to_dense(), left.adj.to_dense())
    torch.testing.assert_close(mixed.y, left.y)


@pytest.mark.parametrize("name", ["partial", "partial(edges=true)"])
def test_a_mix_has_no_more_edges_than_both_graphs(graphs: Graphs, name: str) -> None:
    left, right = graphs[[0, 4, 1, 5]], graphs[[5, 1, 3, 4]]
    moved = TRANSPORTS.of(name)(RandomOrder(partial=True)(left, right), left, right)
    mixed = interpolate(left, moved, torch.full((4,), 0.5)).adj.to_sparse().merged()
    number = (mixed.weight != 0).sum()
    assert number <= left.adj.to_sparse().weight.numel() + right.adj.to_sparse().weight.numel()


def test_attributes_come_along(graphs: Graphs) -> None:
    left, right = graphs[[0]], graphs[[5]]  # four nodes and five
    n1, n2 = left.num_nodes, right.num_nodes
    left = left.replace(
        node_attrs={"pos": torch.rand(n1, 2), "mask": torch.ones(n1, dtype=torch.bool)},
        edge_attrs={"bond": (left.adj,)},
    )
    right = right.replace(
        node_attrs={"pos": torch.rand(n2, 2), "mask": torch.zeros(n2, dtype=torch.bool)},
        edge_attrs={"bond": (right.adj,)},
    )
    M = operator(torch.eye(n1, n2)[:, :].index_fill(0, torch.tensor([3]), 0.0))
    found = Partial(edges=True)(M, left, right)
    torch.testing.assert_close(found.node_attrs["pos"][:3], right.node_attrs["pos"][:3])
    torch.testing.assert_close(found.node_attrs["pos"][3], left.node_attrs["pos"][3])
    assert found.node_attrs["mask"].all(), "what cannot be averaged is G1's"
    bond = found.edge_attrs["bond"][0].to_dense()
    torch.testing.assert_close(bond - torch.diag(bond.diagonal()), found.adj.to_dense())
    balanced = Balanced()(M, left, right)
    torch.testing.assert_close(
        balanced.node_attrs["pos"], n1 / n2 * (M.to_dense() @ right.node_attrs["pos"])
    )
    bond = balanced.edge_attrs["bond"][0].to_dense()
    torch.testing.assert_close(bond - torch.diag(bond.diagonal()), balanced.adj.to_dense())
