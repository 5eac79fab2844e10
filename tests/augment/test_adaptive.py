"""How far G2' is from G2: hand-computed cases, a plain loop, and what lambda becomes."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from smixup.augment.adaptive import distortion, narrow_ratio, no_distortion
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.matching import Identity, RandomOrder, Uniform
from smixup.matching.normalization import Columns, Rows
from smixup.matching.pairs import Pairs

PATH = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
RING = torch.eye(6).roll(1, 0) + torch.eye(6).roll(-1, 0)


def one(adj: Tensor, x: Tensor | None = None) -> Graphs:
    n = len(adj)
    x = torch.zeros(n, 1) if x is None else x
    target, source = adj.nonzero().T
    operator = SparseOperator.from_edges(torch.stack([source, target]), adj[target, source], n)
    return Graphs(x, operator, torch.ones(1, 1), torch.tensor([0, n]), torch.tensor([0]))


def assigned(M: Tensor) -> SparseOperator:
    row, column = M.nonzero().T
    return SparseOperator.from_entries(row, column, M[row, column], (M.size(0), M.size(1)))


def found(M: Tensor, adj: Tensor, x: Tensor | None = None) -> float:
    left = one(torch.zeros(len(M), len(M)))
    return float(distortion(assigned(M), left, one(adj, x)))


def soft(left: Graphs, right: Graphs, seed: int = 0, rows: bool = False) -> Operator:
    pairs = Pairs.of(left, right)
    random = torch.Generator().manual_seed(seed)
    normalise = Rows() if rows else Columns()
    return pairs.operator(
        [normalise(3 * torch.randn(b.mask.shape, generator=random), b) for b in pairs.blocks()]
    )


def test_a_node_of_its_own_for_every_node_loses_nothing() -> None:
    order = torch.tensor([3, 0, 5, 1, 4, 2])
    assert found(torch.eye(6)[order], RING) == pytest.approx(0, abs=1e-6)
    larger = torch.cat([torch.eye(6)[order], torch.zeros(3, 6)])
    assert found(larger, RING, torch.rand(6, 2)) == pytest.approx(0, abs=1e-6), (
        "G1 may have nodes to spare"
    )


def test_a_uniform_assignment_loses_all_that_sets_nodes_apart() -> None:
    for adj in (RING, PATH):
        assert found(torch.full((4, len(adj)), 0.25), adj) == pytest.approx(1, abs=1e-3)
    assert found(torch.full((4, 3), 0.25), torch.zeros(3, 3), torch.eye(3)) == pytest.approx(
        1, abs=1e-3
    )


def test_a_graph_without_structure_has_nothing_to_lose() -> None:
    complete = torch.ones(5, 5) - torch.eye(5)
    for adj in (complete, torch.zeros(5, 5), torch.zeros(1, 1)):
        assert found(torch.full((3, len(adj)), 1 / 3), adj, torch.full((len(adj), 2), 7.0)) == 0


def test_two_ends_of_a_path_on_one_node() -> None:
    """`A = A2 - 2/3 (J - I)` has entries 1/3, 1/3, -2/3; of `A'` an edge of 2/3 is left, between
    two nodes and one.
    """
    M = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    sent = 4 * (1 / 3) ** 2 + 2 * (2 / 3) ** 2
    arrived = 2 * (2 / 3) ** 2
    assert found(M, PATH) == pytest.approx(
        1 - math.sqrt(2 * arrived / (sent + 2 * arrived)), abs=1e-6
    )


def test_features_count_as_edges_do() -> None:
    """Two nodes, half blurred: features that lie one beside their mean lie a half beside it
    afterwards.
    """
    M = torch.tensor([[0.75, 0.25], [0.25, 0.75]])
    x = torch.tensor([[1.0], [3.0]])
    edge = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    expected = 1 - math.sqrt(2 * 0.5 / (2 + 0.5))
    assert found(M, edge, x) == pytest.approx(expected, abs=1e-6), (
        "a single edge is a complete graph"
    )


def test_leaves_piled_on_one_node_are_lost_though_they_are_alike() -> None:
    star = torch.zeros(13, 13)
    star[0, 1:] = star[1:, 0] = 1
    piled = torch.zeros(13, 13)
    piled[0, 0] = 1
    piled[1, 1:] = 1
    assert found(piled, star) > 0.5


@pytest.mark.parametrize("rows", [False, True])
def test_pairs_of_all_sizes_equal_a_plain_loop(graphs: Graphs, rows: bool) -> None:
    left, right = graphs[range(7)], graphs[[3, 4, 5, 6, 0, 1, 2]]
    M = soft(left, right, rows=rows)
    expected = [_slowly(*_pair(M, left, right, place)) for place in range(7)]
    values = distortion(M, left, right)
    torch.testing.assert_close(values, torch.tensor(expected), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(distortion(M.to_sparse(), left, right), values, rtol=1e-4, atol=1e-5)
    assert ((values >= 0) & (values <= 1)).all()
    assert values.max() > 0.2


def test_numbering_does_not_matter_and_sharper_is_better() -> None:
    left, right = one(torch.zeros(6, 6)), one(RING)
    order = torch.randperm(6, generator=torch.Generator().manual_seed(1))
    blurred = [(1 - blur) * torch.eye(6) + blur / 6 for blur in (0.0, 0.2, 0.5, 0.8, 1.0)]
    values = [found(M, RING) for M in blurred]
    assert values == sorted(values)
    assert [found(M[order], RING) for M in blurred] == pytest.approx(values, abs=1e-4)
    assert float(distortion(RandomOrder(seed=3)(left, right), left, right)) < 1e-5, (
        "G1 is not asked"
    )


def test_the_range_shrinks_towards_one() -> None:
    lam = torch.tensor([0.5, 0.5, 0.5, 0.75, 1.0])
    lost = torch.tensor([0.0, 0.5, 1.0, 0.5, 0.3])
    torch.testing.assert_close(narrow_ratio(lam, lost), torch.tensor([0.5, 0.75, 1.0, 0.875, 1.0]))
    drawn = torch.rand(1000, generator=torch.Generator().manual_seed(0))
    assert torch.equal(narrow_ratio(drawn, torch.zeros(1000)), drawn), "bit for bit"


def test_nothing_is_estimated_if_not_asked(graphs: Graphs) -> None:
    left, right = graphs[[0, 2]], graphs[[3, 4]]
    for matcher in (Uniform(), Identity()):
        assert no_distortion(matcher(left, right), left, right).tolist() == [0, 0]


def _pair(M: Operator, left: Graphs, right: Graphs, place: int) -> tuple[Tensor, Tensor, Tensor]:
    rows, columns = (
        slice(int(side.ptr[place]), int(side.ptr[place + 1])) for side in (left, right)
    )
    return M.to_dense()[rows, columns], right.adj.to_dense()[columns, columns], right.x[columns]


def _slowly(M: Tensor, A2: Tensor, X2: Tensor) -> float:
    """Compare every edge and node of G2' with every one of G2, weighted by M."""
    M, A2, X2 = M.double(), A2.double(), X2.double()
    n = len(A2)
    M = M / M.sum(0)
    apart = ~torch.eye(n, dtype=torch.bool)
    A = torch.where(apart, A2 - A2[apart].mean(), 0.0) if n > 1 else A2
    X = X2 - X2.mean(0)
    C, Y = (M @ A @ M.T).fill_diagonal_(0), M @ X
    edges = (
        (C[:, None, :, None] - A[None, :, None, :]).square(),
        C[:, None, :, None] ** 2 + A[None, :, None, :] ** 2,
    )
    nodes = (
        (Y[:, None] - X[None]).square().sum(2),
        Y[:, None].square().sum(2) + X[None].square().sum(2),
    )
    both = M[:, :, None, None] * M[None, None]
    cost, terms = (
        (both * edge).sum() + (M * node).sum() for edge, node in zip(edges, nodes, strict=True)
    )
    return 1 - math.sqrt(float(1 - cost / terms)) if terms > 0 else 0.0
