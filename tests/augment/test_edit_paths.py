"""Graphs on edit paths lie where their ratio puts them: checked by edit distances, by hand, and by
networkx.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from edited_graphs import by_networkx
from torch import Tensor

from smixup.augment.edit_maps import MapSearch, map_pairs
from smixup.augment.edit_paths import EditPaths
from smixup.edits.edit_costs import METRIC, UNIT, EditCosts
from smixup.edits.edit_distance import edit_distance
from smixup.edits.weighted_graph import WeightedGraph
from smixup.graphs import Graphs, SparseOperator

LAMBDAS = (0.0, 0.2, 0.5, 0.8, 1.0)


def labelled(number: int, seed: int, most: int = 6) -> Graphs:
    """Unweighted random graphs with one of three node labels, one-hot."""
    random = np.random.default_rng(seed)
    parts = []
    for place in range(number):
        made = nx.gnp_random_graph(int(random.integers(2, most + 1)), 0.5, seed=seed * 99 + place)
        dense = torch.from_numpy(nx.to_numpy_array(made)).float()
        target, source = dense.nonzero(as_tuple=True)
        n = made.number_of_nodes()
        adj = SparseOperator.from_edges(torch.stack([source, target]), dense[target, source], n)
        x = torch.eye(3)[torch.from_numpy(random.integers(0, 3, n))]
        parts.append(Graphs(x, adj, torch.eye(2)[place % 2].unsqueeze(0), torch.tensor([0, n])))
    return Graphs.cat(parts)


def paths_of(left: Graphs, right: Graphs, exponent: float = 0.0) -> EditPaths:
    costs = UNIT if exponent == 0 else METRIC
    return EditPaths(left, right, map_pairs(left, right, MapSearch(costs)), exponent)


def compared(graphs: Graphs, place: int) -> WeightedGraph:
    return MapSearch().prepared(graphs[[place]])[0]


def halves(number: int, seed: int) -> tuple[Graphs, Graphs]:
    graphs = labelled(2 * number, seed)
    return graphs[:number], graphs[number:]


def walk(paths: EditPaths, lam: float, seed: int = 0) -> tuple[Graphs, Tensor]:
    ratio = torch.full((len(paths.left),), lam)
    walked = paths.walked(ratio, torch.Generator().manual_seed(seed))
    return walked.graphs(ratio), walked.share


@pytest.mark.parametrize(("exponent", "costs"), [(0.0, UNIT), (1.0, METRIC)])
@pytest.mark.parametrize("lam", LAMBDAS)
def test_mixes_lie_on_a_shortest_path(exponent: float, costs: EditCosts, lam: float) -> None:
    left, right = halves(12, seed=1)
    paths = paths_of(left, right, exponent)
    mixed, share = walk(paths, lam)
    for b in range(len(left)):
        ends = compared(left, b), compared(right, b)
        whole = edit_distance(*ends, costs)
        parts = [edit_distance(compared(mixed, b), end, costs) for end in ends]
        assert whole.exact
        assert all(part.exact for part in parts)
        assert float(paths.length[b]) == pytest.approx(whole.upper)
        assert parts[0].upper + parts[1].upper == pytest.approx(whole.upper)
        if whole.upper > 0:
            assert parts[1].upper / whole.upper == pytest.approx(float(share[b]))


def test_networkx_agrees() -> None:
    left, right = halves(8, seed=3)
    mixed, _ = walk(paths_of(left, right, 1.0), 0.4)
    for b in range(len(left)):
        ends, half = (compared(left, b), compared(right, b)), compared(mixed, b)
        parts = [by_networkx(half, end, METRIC) for end in ends]
        assert sum(parts) == pytest.approx(by_networkx(*ends, METRIC))


def test_the_ends_of_a_path_are_the_two_graphs() -> None:
    left, right = halves(10, seed=5)
    paths = paths_of(left, right)
    for lam, end, nodes in ((1.0, left, torch.arange(left.num_nodes)), (0.0, right, None)):
        mixed, _ = walk(paths, lam)
        assert mixed.sizes.tolist() == end.sizes.tolist()
        torch.testing.assert_close(mixed.y, end.y)
        for b in range(len(end)):
            assert edit_distance(compared(mixed, b), compared(end, b), UNIT).upper == 0
        if nodes is not None:
            assert torch.equal(mixed.x, end.x)
            assert torch.equal(mixed.adj.to_dense(), end.adj.to_dense())


def test_as_many_edits_are_made_as_the_ratio_asks_for() -> None:
    left, right = halves(30, seed=7)
    paths = paths_of(left, right)
    for lam in LAMBDAS:
        share = torch.where(paths.from_left, 1 - lam, lam) * paths.length
        walked = paths.walked(torch.full((30,), lam), torch.Generator().manual_seed(1))
        made = torch.where(paths.from_left, 1 - walked.share, walked.share) * paths.length
        assert bool(((made - share).abs() <= 0.5 + 1e-6).all())


def test_an_edge_never_comes_before_its_nodes() -> None:
    left, right = halves(40, seed=9)
    paths = paths_of(left, right)
    for seed in range(5):
        walked = paths.walked(torch.full((40,), 0.5), torch.Generator().manual_seed(seed))
        there = walked.nodes | paths.shared
        edges = paths.edges
        new = walked.edges & ~(edges.in_left & edges.in_right)
        ends = there[edges.low] & there[edges.high]
        assert bool((ends | ~new | ~_in_larger(paths)).all())


def _in_larger(paths: EditPaths) -> Tensor:
    edges, first = paths.edges, paths.from_left[paths.pair[paths.edges.low]]
    return torch.where(first, edges.in_right, edges.in_left)


def test_orders_are_drawn_anew_and_every_edit_has_its_chance() -> None:
    left, right = halves(20, seed=11)
    paths = paths_of(left, right)
    generator = torch.Generator().manual_seed(0)
    walks = [paths.walked(torch.full((20,), 0.5), generator) for _ in range(400)]
    chance = torch.stack([each.edges for each in walks]).double().mean(0)
    edges = paths.edges
    free = paths.shared[edges.low] & paths.shared[edges.high] & (edges.costs > 0)
    long = (paths.length >= 4)[paths.pair[edges.low]]
    assert int((free & long).sum()) > 10
    assert bool(((chance[free & long] > 0.3) & (chance[free & long] < 0.8)).all())


def test_attributes_come_with_their_nodes_and_edges() -> None:
    left, right = halves(6, seed=13)

    def marked(graphs: Graphs, mark: float) -> Graphs:
        adj = graphs.adj.to_sparse()
        column = SparseOperator(
            adj.row_ptr, adj.column, mark * adj.weight, adj.num_columns, symmetric=True
        )
        nodes = torch.full((graphs.num_nodes,), int(mark))
        return graphs.replace(edge_attrs={"edge_attr": (column,)}, node_attrs={"origin": nodes})

    left, right = marked(left, 1.0), marked(right, 2.0)
    paths = paths_of(left, right)
    both = paths.edges.in_left & paths.edges.in_right
    assert bool(both.any())
    assert paths.edges.costs[both].unique().tolist() == [1.0], "another label is an edit"
    mixed, _ = walk(paths, 0.5)
    adj, rows = mixed.edge_features()
    assert set(rows.unique().tolist()) == {1.0, 2.0}
    assert set(mixed.node_attrs["origin"].tolist()) == {1, 2}
    torch.testing.assert_close(adj.to_dense(), mixed.adj.to_dense())
    for lam, mark in ((1.0, 1), (0.0, 2)):
        end, _ = walk(paths, lam)
        assert set(end.node_attrs["origin"].tolist()) == {mark}
        assert end.edge_features()[1].unique().tolist() == [mark]


def test_weights_and_directions_are_kept_whole(graphs: Graphs) -> None:
    adj = graphs.adj.to_sparse()
    one_way = SparseOperator.from_entries(
        adj.row, adj.column, torch.where(adj.row < adj.column, -adj.weight, adj.weight), adj.shape
    )
    signed = graphs.replace(adj=one_way)
    left, right = signed[[0, 4, 5]], signed[[4, 1, 0]]
    mixed, _ = walk(paths_of(left, right), 0.5)
    known = torch.cat([left.adj.to_sparse().weight, right.adj.to_sparse().weight])
    assert bool(torch.isin(mixed.adj.to_sparse().weight, known).all())
    for lam, end in ((1.0, left), (0.0, right)):
        found = walk(paths_of(left, right), lam)[0].adj.to_sparse().weight
        torch.testing.assert_close(found.sort().values, end.adj.to_sparse().weight.sort().values)


def test_connected_parts_are_counted_as_networkx_does() -> None:
    left, right = halves(25, seed=17)
    paths = paths_of(left, right)
    ratio = torch.full((25,), 0.5)
    walked = paths.walked(ratio, torch.Generator().manual_seed(2))
    mixed = walked.graphs(ratio)

    def parts(graphs: Graphs) -> list[int]:
        dense = [graphs[[b]].adj.to_dense().numpy() for b in range(len(graphs))]
        return [nx.number_connected_components(nx.from_numpy_array(each)) for each in dense]

    most = [max(pair) for pair in zip(parts(left), parts(right), strict=True)]
    assert paths.most_parts.tolist() == most
    torn = [a > b for a, b in zip(parts(mixed), most, strict=True)]
    assert walked.torn.tolist() == torn
    assert any(torn)
    assert not all(torn)


def test_pairs_are_taken_from_one_walk_or_another() -> None:
    left, right = halves(10, seed=19)
    paths, ratio = paths_of(left, right), torch.full((10,), 0.5)
    one = paths.walked(ratio, torch.Generator().manual_seed(0))
    chosen = torch.arange(10) < 5
    found = one.where(chosen, paths.at_left()).graphs(ratio)
    assert found[5:].fingerprint() == left[5:].replace(y=found.y[5:]).fingerprint()
    assert found[:5].fingerprint() == one.graphs(ratio)[:5].fingerprint()
