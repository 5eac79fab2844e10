"""Triplets keep their promise, and the loss is Eq. (9)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import Pairs
from smixup.matching.triplet import (
    TripletObjective,
    TripletSampler,
    graph_distances,
    triplet_accuracy,
    triplet_loss,
)

LABELS = torch.tensor([2, 0, 0, 1, 2, 0, 5, 2, 2])


@pytest.fixture
def drawn() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return TripletSampler.of(LABELS).draw(20_000, torch.Generator().manual_seed(0))


def test_classes(drawn: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
    anchor, positive, negative = drawn
    assert (LABELS[anchor] == LABELS[positive]).all()
    assert (LABELS[anchor] != LABELS[negative]).all()
    alone = (LABELS[anchor] == 1) | (LABELS[anchor] == 5)
    assert alone.any()
    assert ((anchor == positive) == alone).all(), (
        "only a graph alone in its class is its own partner"
    )


def test_every_choice_is_equally_likely(
    drawn: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
) -> None:
    anchor, positive, negative = drawn
    counts = anchor.bincount(minlength=9).float()
    assert (counts / 20_000 - 1 / 9).abs().max() < 0.02
    of_zero = anchor == 0
    for found, choices in ((positive[of_zero], [4, 7, 8]), (negative[of_zero], [1, 2, 3, 5, 6])):
        shares = found.bincount(minlength=9).float() / int(of_zero.sum())
        expected = torch.zeros(9)
        expected[choices] = 1 / len(choices)
        assert (shares - expected).abs().max() < 0.05


def test_one_class_is_not_enough() -> None:
    with pytest.raises(SmixupError, match="two classes"):
        TripletSampler.of(torch.zeros(4, dtype=torch.long))


def test_loss_and_accuracy_by_hand() -> None:
    same, different = torch.tensor([1.0, 4.0, 0.0, 2.0]), torch.tensor([3.0, 2.0, 0.5, 2.0])
    assert float(triplet_loss(same, different, margin=1.0)) == pytest.approx((0 + 3 + 0.5 + 1) / 4)
    assert float(triplet_accuracy(same, different)) == 0.5


@torch.no_grad()
def test_distances_come_in_the_order_of_the_pairs(
    graphs: Graphs, grouped: Callable[..., Pairs]
) -> None:
    torch.manual_seed(0)
    network = MatchingNetwork(3, 8, 2)
    left, right = graphs[[0, 1, 2, 3, 4, 4]], graphs[[4, 6, 1, 5, 2, 4]]
    found = graph_distances(network, grouped(left, right, "many buckets"))
    pairs = zip([0, 1, 2, 3, 4, 4], [4, 6, 1, 5, 2, 4], strict=True)
    alone = [graph_distances(network, Pairs.of(graphs[[i]], graphs[[j]])) for i, j in pairs]
    torch.testing.assert_close(found, torch.cat(alone), atol=1e-4, rtol=1e-4)
    assert float(found[-1]) == pytest.approx(0, abs=1e-4), "a graph is at no distance from itself"


def test_the_lesson_is_the_loss_of_its_triplets(graphs: Graphs) -> None:
    torch.manual_seed(0)
    inputs = NodeInput(3, StructuralEncoding(2))
    inputs.fit(graphs[range(7)])
    network = MatchingNetwork(inputs.width, 8, 2)
    objective = TripletObjective(graphs, inputs, margin=0.7)
    outcome = objective(network, 5, torch.Generator().manual_seed(4))
    triplets = TripletSampler.of(graphs.labels).draw(5, torch.Generator().manual_seed(4))
    anchor, positive, negative = (inputs(graphs[index]) for index in triplets)
    same, different = (
        graph_distances(network, Pairs.of(anchor, other)) for other in (positive, negative)
    )
    torch.testing.assert_close(
        outcome.loss, triplet_loss(same, different, 0.7), atol=1e-4, rtol=1e-4
    )
    assert float(outcome.score) == float(triplet_accuracy(same, different))
    outcome.loss.backward()
    assert network.encoder.weight.grad is not None
