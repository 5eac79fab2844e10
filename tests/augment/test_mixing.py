"""Eq. (4) and (5) by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from smixup.augment.mixing import interpolate, mixed_targets, transform
from smixup.graphs import BlockOperator, Graphs, Operator, SparseOperator, padding_of
from smixup.matching import Identity, Uniform
from smixup.matching.pairs import Pairs


def operator(dense: Tensor) -> SparseOperator:
    row, column = dense.nonzero(as_tuple=True)
    return SparseOperator.from_entries(
        row, column, dense[row, column], (dense.size(0), dense.size(1))
    )


def one_graph(edges: list[tuple[int, int]], x: list[float], y: list[float]) -> Graphs:
    dense = torch.zeros(len(x), len(x))
    for i, j in edges:
        dense[i, j] = dense[j, i] = 1.0
    ptr = torch.tensor([0, len(x)])
    return Graphs(
        torch.tensor(x).unsqueeze(1), operator(dense), torch.tensor([y]), ptr, torch.tensor([0])
    )


def random_assignment(left: Graphs, right: Graphs, seed: int = 0) -> BlockOperator:
    pairs = Pairs.of(left, right)
    random = torch.Generator().manual_seed(seed)
    blocks = [
        torch.rand(block.mask.shape, generator=random) * block.mask for block in pairs.blocks()
    ]
    return pairs.operator([block / block.sum(1, keepdim=True).clamp(min=1e-9) for block in blocks])


PATH = one_graph([(0, 1), (1, 2)], [1.0, 2.0, 3.0], [1.0, 0.0])
TRIANGLE = one_graph([(0, 1), (1, 2), (0, 2)], [10.0, 20.0, 30.0], [0.0, 1.0])
M = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.5, 1.0]])


def test_three_nodes_by_hand() -> None:
    moved = transform(operator(M), PATH, TRIANGLE)
    # M A2 M^T = [[0, .5, 1.5], [.5, 0, .5], [1.5, .5, 1]]; the loop of node 2 goes
    torch.testing.assert_close(
        moved.adj.to_dense(), torch.tensor([[0.0, 0.5, 1.5], [0.5, 0.0, 0.5], [1.5, 0.5, 0.0]])
    )
    torch.testing.assert_close(moved.x, torch.tensor([[10.0], [10.0], [40.0]]))
    mixed = interpolate(PATH, moved, torch.tensor([0.75]))
    torch.testing.assert_close(mixed.x, torch.tensor([[3.25], [4.0], [12.25]]))
    expected = torch.tensor([[0.0, 0.875, 0.375], [0.875, 0.0, 0.875], [0.375, 0.875, 0.0]])
    torch.testing.assert_close(mixed.adj.to_dense(), expected)
    torch.testing.assert_close(mixed.y, torch.tensor([[0.75, 0.25]]))
    assert torch.equal(mixed.ptr, PATH.ptr)


def sides(graphs: Graphs) -> tuple[Graphs, Graphs]:
    return graphs[[0, 1, 4, 2, 6]], graphs[[4, 3, 5, 1, 0]]


def test_lambda_one_is_g1_exactly(graphs: Graphs) -> None:
    left, right = sides(graphs)
    mixed = interpolate(left, transform(random_assignment(left, right), left, right), torch.ones(5))
    assert torch.equal(mixed.x, left.x)
    assert torch.equal(mixed.adj.to_dense(), left.adj.to_dense())
    assert torch.equal(mixed.y, left.y)


@pytest.mark.parametrize("lam", [0.0, 0.3, 1.0])
def test_a_graph_mixed_with_itself_by_the_identity_is_itself(graphs: Graphs, lam: float) -> None:
    left = graphs[range(7)]
    mixed = interpolate(left, transform(Identity()(left, left), left, left), torch.full((7,), lam))
    torch.testing.assert_close(mixed.x, left.x)
    torch.testing.assert_close(mixed.adj.to_dense(), left.adj.to_dense())
    torch.testing.assert_close(mixed.y, left.y)


def test_columns_of_one_preserve_mass_and_loops_go(graphs: Graphs) -> None:
    left, right = sides(graphs)
    for matcher in (random_assignment, Uniform()):
        M = matcher(left, right)
        moved = transform(M, left, right)
        dense = M.to_dense()
        with_loops = dense @ right.adj.to_dense() @ dense.T
        torch.testing.assert_close(with_loops.sum(), right.adj.to_dense().sum())
        torch.testing.assert_close(moved.x.sum(0), right.x.sum(0))
        found = moved.adj.to_dense()
        assert not found.diagonal().any()
        torch.testing.assert_close(found, with_loops - with_loops.diagonal().diag())
        torch.testing.assert_close(found, found.T)


def test_every_pair_has_a_ratio_of_its_own(graphs: Graphs) -> None:
    left, right = sides(graphs)
    moved, lam = (
        transform(random_assignment(left, right), left, right),
        torch.tensor([0.1, 0.3, 0.5, 0.7, 0.9]),
    )
    mixed = interpolate(left, moved, lam)
    of_nodes = lam[left.batch].unsqueeze(1)
    torch.testing.assert_close(mixed.x, of_nodes * left.x + (1 - of_nodes) * moved.x)
    dense = of_nodes * left.adj.to_dense() + (1 - of_nodes) * moved.adj.to_dense()
    torch.testing.assert_close(mixed.adj.to_dense(), dense)
    torch.testing.assert_close(mixed.y, lam[:, None] * left.y + (1 - lam[:, None]) * right.y)


def test_sparse_and_dense_assignments_with_the_same_entries_agree(graphs: Graphs) -> None:
    left, right = sides(graphs)
    dense: Operator = random_assignment(left, right)
    lam = torch.tensor([0.1, 0.3, 0.5, 0.7, 0.9])
    one, two = (
        interpolate(left, transform(M, left, right), lam) for M in (dense, dense.to_sparse())
    )
    torch.testing.assert_close(one.x, two.x)
    torch.testing.assert_close(one.adj.to_dense(), two.adj.to_dense())
    torch.testing.assert_close(one.adj.to_sparse().to_dense(), two.adj.to_sparse().to_dense())
    h = torch.randn(left.num_nodes, 3, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(one.adj @ h, two.adj @ h)
    torch.testing.assert_close(one.adj.row_sums(), two.adj.row_sums())


def test_directed_graphs_keep_their_direction() -> None:
    directed = replace(
        TRIANGLE, adj=operator(torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    )
    moved = transform(operator(torch.eye(3)[[2, 0, 1]]), PATH, directed)
    P = torch.eye(3)[[2, 0, 1]]
    torch.testing.assert_close(moved.adj.to_dense(), P @ directed.adj.to_dense() @ P.T)


def with_loop(graph: Graphs, node: int, weight: float) -> Graphs:
    dense = graph.adj.to_dense()
    dense[node, node] = weight
    return graph.replace(adj=operator(dense))


CARRIED = torch.tensor([[0.0, 0.5, 1.5], [0.5, 0.0, 0.5], [1.5, 0.5, 0.0]])


def test_a_loop_of_g2_is_carried_as_its_node_is_and_no_other_is_made() -> None:
    moved = transform(operator(M), PATH, with_loop(TRIANGLE, 1, 4.0))
    # M diag(0, 4, 0) = (0, 2, 2); the ends of edges that fall together still make no loop
    torch.testing.assert_close(
        moved.adj.to_dense(), CARRIED + torch.diag(torch.tensor([0, 2, 2.0]))
    )
    entries = moved.adj.to_sparse()
    assert not (entries.weight == 0).any(), "nodes without a loop have no entry for one"


def test_loops_with_several_numbers_are_carried_number_by_number() -> None:
    ends = torch.tensor([[0, 1, 1, 2], [1, 0, 1, 2]])
    numbers = torch.tensor([[1.0, 10.0], [1.0, 10.0], [4.0, 0.0], [0.0, 8.0]])
    bonds = SparseOperator.from_edges(ends, numbers, 3)
    moved = transform(operator(M), PATH, TRIANGLE.replace(edge_attrs={"bond": (bonds,)}))
    (found,) = moved.edge_attrs["bond"]
    for place, each in enumerate(found.to_sparse().unbind()):
        alone = TRIANGLE.replace(adj=SparseOperator.from_edges(ends, numbers[:, place], 3))
        torch.testing.assert_close(
            each.to_dense(), transform(operator(M), PATH, alone).adj.to_dense()
        )


def test_attributes_are_mixed_where_they_are_numbers() -> None:
    kinds, weights = torch.tensor([3, 4, 5]), torch.tensor([[2.0, 0.0], [4.0, 0.0], [6.0, 8.0]])
    left = PATH.replace(
        node_attrs={"kind": kinds, "weight": weights},
        graph_attrs={"time": torch.tensor([1.0]), "place": torch.tensor([7])},
        edge_attrs={"length": (PATH.adj, torch.full((3,), 3.0) * PATH.adj)},
    )
    other = TRIANGLE.replace(
        node_attrs={"kind": kinds + 10, "weight": weights + 4},
        graph_attrs={"time": torch.tensor([3.0]), "place": torch.tensor([8])},
        edge_attrs={"length": (TRIANGLE.adj, torch.full((3,), 2.0) * TRIANGLE.adj)},
    )
    mixed = interpolate(left, other, torch.tensor([0.75]), torch.tensor([0.5]))
    assert torch.equal(mixed.node_attrs["kind"], kinds)
    torch.testing.assert_close(mixed.node_attrs["weight"], weights + 1)
    torch.testing.assert_close(mixed.graph_attrs["time"], torch.tensor([2.0]))
    assert mixed.graph_attrs["place"].tolist() == [7]
    torch.testing.assert_close(mixed.y, torch.tensor([[0.5, 0.5]]))
    one, two = mixed.edge_attrs["length"]
    path, triangle = PATH.adj.to_dense(), TRIANGLE.adj.to_dense()
    torch.testing.assert_close(one.to_dense(), 0.75 * path + 0.25 * triangle)
    torch.testing.assert_close(two.to_dense(), 0.75 * 3 * path + 0.25 * 2 * triangle)
    with pytest.raises(ValueError, match="argument 2 is shorter"):  # nothing is left out silently
        interpolate(left, other.replace(edge_attrs={"length": (TRIANGLE.adj,)}), torch.ones(1))


def test_attributes_of_nodes_are_carried_if_they_are_numbers() -> None:
    kinds, numbers = torch.tensor([3, 4, 5]), torch.tensor([[1.0, 0.0], [2.0, 4.0], [3.0, 6.0]])
    left = PATH.replace(node_attrs={"kind": kinds, "weight": numbers})
    right = TRIANGLE.replace(node_attrs={"kind": kinds + 1, "weight": numbers})
    moved = transform(operator(M), left, right)
    assert torch.equal(moved.node_attrs["kind"], kinds)
    torch.testing.assert_close(moved.node_attrs["weight"], M @ numbers)


def test_targets_of_partners_that_are_told() -> None:
    left = PATH.replace(graph_attrs={"time": torch.tensor([1.0])})
    y, times = torch.tensor([[0.0, 0.0], [0.0, 1.0]]), torch.tensor([9.0, 3.0])
    right = replace(TRIANGLE, y=y, graph_attrs={"time": times})
    told = mixed_targets(left, right, torch.tensor([0.25]), torch.tensor([1]))
    torch.testing.assert_close(told["y"], torch.tensor([[0.25, 0.75]]))
    torch.testing.assert_close(told["graph_attrs"]["time"], torch.tensor([2.5]))


def test_edges_in_blocks_are_carried_like_edges_in_lists(graphs: Graphs) -> None:
    left, right = sides(graphs)
    padding = padding_of(right.ptr)
    blocks = BlockOperator.from_sparse(right.adj.to_sparse(), padding, padding)
    M = Identity()(left, right)
    found = transform(M, left, right.replace(adj=blocks)).adj.to_dense()
    torch.testing.assert_close(found, transform(M, left, right).adj.to_dense())
