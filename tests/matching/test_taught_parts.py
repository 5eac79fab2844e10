"""Parts of very large graphs, against networkx's breadth-first search."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.graphs import Graphs
from smixup.matching import SiameseMatcher, taught_parts
from smixup.matching.taught_parts import surroundings
from smixup.progress import silent


def random(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_small_graphs_stay_as_they_are(graphs: Graphs) -> None:
    assert taught_parts.taught_parts(graphs, random()) is graphs


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_part_is_what_lies_around_a_node(from_networkx: Callable[..., Graphs], seed: int) -> None:
    graph = nx.random_labeled_tree(200, seed=seed)
    nodes = surroundings(from_networkx([graph]), 30, random(seed)).tolist()
    assert len(set(nodes)) == 30
    part = graph.subgraph(nodes)
    assert nx.is_connected(part)
    away = nx.single_source_shortest_path_length(graph, nodes[0])
    farthest = max(away[node] for node in nodes)
    assert all(away[node] >= farthest for node in set(graph) - set(nodes))


def test_other_components_fill_up(from_networkx: Callable[..., Graphs]) -> None:
    graph = nx.disjoint_union_all([nx.path_graph(4), nx.empty_graph(5), nx.cycle_graph(4)])
    nodes = surroundings(from_networkx([graph]), 9, random())
    assert len(set(nodes.tolist())) == 9


def test_only_large_graphs_are_cut_and_a_matcher_learns_from_them(
    from_networkx: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taught_parts, "LARGEST", 20)
    batch = from_networkx([nx.path_graph(7), nx.barabasi_albert_graph(90, 2), nx.cycle_graph(20)])
    cut = taught_parts.taught_parts(batch, random())
    assert cut.sizes.tolist() == [7, 20, 20]
    assert torch.equal(cut[[0, 2]].adj.to_dense(), batch[[0, 2]].adj.to_dense())
    matcher = SiameseMatcher(triplets=False, max_steps=2, hidden_channels=8, num_layers=2)
    matcher.fit(batch, silent)
    M = matcher(batch, batch).to_dense()
    assert M.shape == (117, 117)  # matched as a whole
