"""Colours against networkx's hashes and by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import networkx as nx
import pytest
import torch

from smixup.analysis.colour_refinement import stable_colours
from smixup.graphs import Graphs, SparseOperator

GRAPHS = [
    nx.path_graph(6),
    nx.star_graph(5),
    nx.barbell_graph(4, 3),
    nx.gnp_random_graph(15, 0.2, seed=1),
    nx.empty_graph(3),
    nx.random_labeled_tree(12, seed=3),
]


@pytest.mark.filterwarnings("ignore:.*hashes produced.*")
def test_the_partition_is_that_of_networkx(from_networkx: Callable[..., Graphs]) -> None:
    colours = stable_colours(from_networkx(GRAPHS)[range(len(GRAPHS))]).tolist()
    hashes = []
    for graph in GRAPHS:
        rounds = nx.weisfeiler_lehman_subgraph_hashes(graph, iterations=15)
        hashes += [rounds[node][-1] for node in graph]
    for i, (colour, text) in enumerate(zip(colours, hashes, strict=True)):
        for other_colour, other_text in zip(colours[:i], hashes[:i], strict=True):
            assert (colour == other_colour) == (text == other_text)


def test_by_hand(from_networkx: Callable[..., Graphs]) -> None:
    path = stable_colours(from_networkx([nx.path_graph(5)])[[0]]).tolist()
    assert path[0] == path[4] != path[1] == path[3] != path[2]
    cycles = stable_colours(
        from_networkx([nx.cycle_graph(6), nx.disjoint_union(*[nx.cycle_graph(3)] * 2)])[[0, 1]]
    )
    assert cycles.unique().numel() == 1, "1-WL cannot tell a hexagon from two triangles"


def test_features_and_weights_count(graphs: Graphs, from_networkx: Callable[..., Graphs]) -> None:
    cycle = from_networkx([nx.cycle_graph(4)])
    assert stable_colours(cycle[[0]]).unique().numel() == 1
    marked = cycle.replace(x=torch.tensor([[1.0], [0.0], [0.0], [0.0]]))
    assert stable_colours(marked[[0]]).unique().numel() == 3
    assert stable_colours(graphs[range(7)]).unique().numel() == 30, (
        "all nodes have features of their own"
    )
    bare = graphs.replace(x=torch.zeros(30, 0))[[4]]
    weighted, plain = stable_colours(bare), stable_colours(bare.replace(adj=_unweighted(bare)))
    assert weighted.unique().numel() >= plain.unique().numel()


def _unweighted(batch: Graphs) -> SparseOperator:
    adj = batch.adj.to_sparse()
    return replace(adj, weight=torch.ones_like(adj.weight))


def test_renumbering_renumbers(
    graphs: Graphs, device: torch.device, permuted: Callable[..., Any]
) -> None:
    batch = graphs.replace(x=torch.zeros(30, 0)).to(device)
    again, old = permuted(batch)
    before, after = stable_colours(batch)[old], stable_colours(again)
    assert torch.equal(
        before.unsqueeze(0) == before.unsqueeze(1), after.unsqueeze(0) == after.unsqueeze(1)
    )
