"""Graphs on edit paths lie where their ratio puts them: by edit distances and by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from edited_graphs import distance

from smixup.augment import edits
from smixup.augment.edit_search import WeightedGraph
from smixup.augment.edits import EditPaths, map_pairs, weighted_graphs
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


def paths_of(left: Graphs, right: Graphs, featured: bool = True) -> EditPaths:
    return EditPaths.along(left, right, map_pairs(left, right, featured), featured)


def compared(graphs: Graphs, place: int, featured: bool = True) -> WeightedGraph:
    return weighted_graphs(graphs, featured)[place]


def halves(number: int, seed: int) -> tuple[Graphs, Graphs]:
    graphs = labelled(2 * number, seed)
    return graphs[:number], graphs[number:]


def walk(paths: EditPaths, lam: float, seed: int = 0) -> Graphs:
    ratio = torch.full((len(paths.left),), lam)
    return paths.graphs(paths.walked(ratio, torch.Generator().manual_seed(seed))[0], ratio)


@pytest.mark.parametrize("featured", [True, False])
@pytest.mark.parametrize("lam", LAMBDAS)
def test_mixes_lie_on_a_shortest_path(
    featured: bool, lam: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "STARTS", 30)
    left, right = halves(12, seed=1)
    paths = paths_of(left, right, featured)
    mixed = walk(paths, lam)
    for b in range(len(left)):
        ends = compared(left, b, featured), compared(right, b, featured)
        whole = distance(*ends, 0.0)
        parts = [distance(compared(mixed, b, featured), end, 0.0) for end in ends]
        assert float(paths.length[b]) == pytest.approx(whole)
        assert sum(parts) == pytest.approx(whole)
        assert parts[1] == pytest.approx(lam * whole, abs=0.5), "to the nearest graph there is"


def test_orders_are_drawn_anew_and_every_edit_has_its_chance() -> None:
    left, right = halves(20, seed=11)
    paths = paths_of(left, right)
    generator = torch.Generator().manual_seed(0)
    walks = [paths.walked(torch.full((20,), 0.5), generator)[0] for _ in range(400)]
    n = len(paths.own)
    chance = torch.stack(walks)[:, n:].double().mean(0)
    free = paths.shared[paths.low] & paths.shared[paths.high] & (paths.costs[n:] > 0)
    long = (paths.length >= 4)[paths.pair[paths.low]]
    assert int((free & long).sum()) > 10
    assert bool(((chance[free & long] > 0.3) & (chance[free & long] < 0.8)).all())


def test_attributes_come_with_their_nodes_and_edges() -> None:
    left, right = halves(6, seed=13)

    def marked(graphs: Graphs, mark: float) -> Graphs:
        column = mark * graphs.adj.weight.unsqueeze(1)
        nodes = torch.full((graphs.num_nodes,), int(mark))
        return graphs.replace(edge_attrs={"edge_attr": column}, node_attrs={"origin": nodes})

    left, right = marked(left, 1.0), marked(right, 2.0)
    paths = paths_of(left, right)
    both = (paths.entries.weight != 0).all(1)
    assert bool(both.any())
    costs = paths.costs[len(paths.own) :][paths.edge[both]]
    assert costs.unique().tolist() == [1.0], "another label is an edit"
    mixed = walk(paths, 0.5)
    adj, rows = mixed.edge_features()
    assert set(rows.unique().tolist()) == {1.0, 2.0}
    assert set(mixed.node_attrs["origin"].tolist()) == {1, 2}
    torch.testing.assert_close(adj.to_dense(), mixed.adj.to_dense())
    for lam, mark in ((1.0, 1), (0.0, 2)):
        end = walk(paths, lam)
        assert set(end.node_attrs["origin"].tolist()) == {mark}
        assert end.edge_features()[1].unique().tolist() == [mark]
