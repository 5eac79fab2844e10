"""Parts are joined whole; what was cut is given back in expectation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import pytest
import torch

from smixup.augment.baselines.grafting import Cutting, Joint, draw_in_proportion, draw_ties, graft
from smixup.graphs import Graphs


def random_source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def cutting(graphs: Graphs, index: list[int], part: list[int]) -> Cutting:
    batch = graphs[index]
    chosen = torch.zeros(batch.num_nodes, dtype=torch.bool)
    chosen[part] = True
    return Cutting(batch, chosen, torch.arange(1.0, batch.num_nodes + 1))


def test_loose_ends_and_importance_by_hand(from_networkx: Callable[..., Graphs]) -> None:
    """A path 0-1-2-3 cut to 1-2 loses an edge at both ends; saliencies 1, 2, 3, 4 leave 5 of 10."""
    found = cutting(from_networkx([nx.path_graph(4)]), [0], [1, 2])
    weight, ends = found.loose(found.graphs.adj)
    assert weight.tolist() == [0, 1, 1, 0]
    assert ends.tolist() == [2]
    assert found.importance().tolist() == [0.5]
    nothing = Cutting(found.graphs, torch.tensor([True, False, False, False]), torch.zeros(4))
    assert nothing.importance().tolist() == [0.25]


def test_elements_are_drawn_in_proportion_within_their_row() -> None:
    weight, ptr = torch.tensor([0.0, 1, 3, 0, 0, 2, 0]), torch.tensor([0, 4, 7])
    rows = torch.tensor([0, 1]).repeat(5000)
    share = draw_in_proportion(weight, ptr, rows, random_source()).bincount(minlength=7) / 5000
    torch.testing.assert_close(share, torch.tensor([0, 0.25, 0.75, 0, 0, 1, 0]), atol=0.02, rtol=0)


def test_expected_degrees_at_the_cut_are_preserved(make_graphs: Callable[..., Graphs]) -> None:
    """Node by node where both parts lost the same; in all where they did not. Edges are
    weighted.
    """
    graphs = make_graphs([12, 12, 10, 12], seed=3)
    first = cutting(graphs, [0] * 4000, [g * 12 + v for g in range(4000) for v in (0, 2, 3, 7, 8)])
    for second in (
        first,
        cutting(graphs, [1] * 4000, [g * 12 + v for g in range(4000) for v in (1, 4, 5, 9)]),
    ):
        ties, random = draw_ties(first, second, random_source(1)), second is not first
        weight = Joint(first, second, (), ties).tie_weight(first.graphs.adj, second.graphs.adj)
        lost = [
            side.loose(side.graphs.adj)[0].view(4000, 12).sum(0) / 4000 for side in (first, second)
        ]
        back = [
            torch.zeros(48000).index_add_(0, ends, weight).view(4000, 12).mean(0)
            for ends in (ties.left, ties.right)
        ]
        total = sum(float(each.sum()) for each in lost)
        assert sum(float(each.sum()) for each in back) == pytest.approx(total, rel=0.01)
        for before, after in zip(lost, back, strict=True):
            scale = total / 2 / float(before.sum())
            torch.testing.assert_close(after, scale * before, atol=0.08, rtol=0.05)
            assert random or scale == pytest.approx(1)


def test_both_parts_are_in_the_result_and_tied(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.cycle_graph(6), nx.complete_graph(5)], labels=[0, 1])
    graphs = graphs.replace(
        x=torch.arange(11.0).unsqueeze(1), node_attrs={"motif": torch.arange(11) > 5}
    )
    host, giver = cutting(graphs, [0], [2, 3, 4]), cutting(graphs, [1], [0, 4])
    mixed = graft(host, giver, random_source())
    assert mixed.x.squeeze(1).tolist() == [2, 3, 4, 6, 10]
    assert mixed.motif is not None
    assert mixed.motif.tolist() == [False, False, False, True, True]
    dense = mixed.adj.to_dense()
    assert torch.equal(dense, dense.T)
    assert dense[:3, :3].tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert dense[3:, 3:].tolist() == [[0, 1], [1, 0]]
    assert float(dense[:3, 3:].sum()) == (2 + 6) / 2, "half of the loose ends"
    mine, given = 12 / 21, 6 / 15
    torch.testing.assert_close(mixed.y, torch.tensor([[mine, given]]) / (mine + given))


def test_parts_without_loose_ends_stay_apart(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.empty_graph(3), nx.complete_graph(3)], labels=[0, 1])
    mixed = graft(cutting(graphs, [0], [0]), cutting(graphs, [1], [1, 2]), random_source())
    assert mixed.adj.to_dense().tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_parts_without_saliency_count_their_nodes(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.path_graph(4), nx.path_graph(4)], labels=[0, 1])
    host, giver = cutting(graphs, [0], [0, 1, 2]), cutting(graphs, [1], [0])
    only_last = torch.tensor([0.0, 0, 0, 1])
    mixed = graft(
        replace(host, saliency=only_last), replace(giver, saliency=only_last), random_source()
    )
    assert mixed.y.tolist() == [[0.75, 0.25]]
