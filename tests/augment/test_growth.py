"""Parts grow from a random node, over its component alone, and breadth first if asked."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.augment.growth import Waits, arrival_times, at_random, by_hops, grown
from smixup.graphs import Graphs

WAITS = pytest.mark.parametrize("waits", [at_random, by_hops])


def source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@WAITS
def test_a_part_is_connected_and_has_as_many_nodes_as_wanted(
    from_networkx: Callable[..., Graphs], waits: Waits
) -> None:
    several = [nx.path_graph(20), nx.cycle_graph(15), nx.random_labeled_tree(30, seed=0)]
    batch, wanted = from_networkx(several)[range(3)], torch.tensor([7, 15, 0])
    for seed in range(20):
        part = grown(batch, wanted, waits, source(seed)).split([20, 15, 30])
        assert [int(each.sum()) for each in part] == [7, 15, 0]
        for graph, each in zip(several[:2], part, strict=False):
            assert nx.is_connected(graph.subgraph(each.nonzero().flatten().tolist()))


@WAITS
def test_a_part_does_not_leave_its_component(
    from_networkx: Callable[..., Graphs], waits: Waits
) -> None:
    two = nx.disjoint_union(nx.path_graph(3), nx.path_graph(4))
    batch = from_networkx([two] * 40)[range(40)]
    part = grown(batch, torch.full((40,), 6), waits, source()).view(40, 7)
    left, right = part[:, :3], part[:, 3:]
    assert torch.equal(left.all(1), left.any(1)), "a component is taken whole"
    assert torch.equal(right.all(1), right.any(1))
    assert torch.equal(left.any(1), ~right.any(1)), "and one of them alone"
    assert left.any()
    assert right.any()


def test_breadth_first_no_node_comes_before_a_nearer_one(
    from_networkx: Callable[..., Graphs],
) -> None:
    graph = nx.barabasi_albert_graph(60, 2, seed=3)
    batch = from_networkx([graph] * 4)[range(4)]
    for times in arrival_times(batch, by_hops, source()).view(4, 60):
        root = int(times.argmin())
        hops = nx.single_source_shortest_path_length(graph, root)
        assert times[root] == 0
        assert {node: int(times[node]) for node in range(60)} == hops, "a hop takes one and a bit"
        assert times.unique().numel() == 60


def test_the_order_within_a_hop_is_random(from_networkx: Callable[..., Graphs]) -> None:
    """Of a star, started at its centre, every leaf is the second node equally often."""
    batch = from_networkx([nx.star_graph(4)])[[0] * 20000]
    times = arrival_times(batch, by_hops, source()).view(-1, 5)
    from_centre = times[times[:, 0] == 0]
    assert len(from_centre) == pytest.approx(4000, abs=250)
    second = from_centre[:, 1:].argmin(1).bincount(minlength=4) / len(from_centre)
    assert second.tolist() == pytest.approx([0.25] * 4, abs=0.03)


def test_the_same_on_every_device(graphs: Graphs, device: torch.device) -> None:
    wanted = torch.full((len(graphs),), 2)
    part = grown(graphs.to(device), wanted.to(device), by_hops, source())
    assert part.device.type == torch.device(device).type
    assert torch.equal(part.cpu(), grown(graphs, wanted, by_hops, source()))
