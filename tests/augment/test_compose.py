"""Compositions do what their parts do, in order, by chance, or for a while."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import torch
from torch import Tensor

from smixup.augment import (
    Augmentation,
    Compose,
    DropEdge,
    DropNode,
    GMixup,
    GraphTransplant,
    OneOf,
    SMixup,
    Subgraph,
    SubMix,
    Until,
)
from smixup.augment.baselines.if_mixup import IfMixup
from smixup.datasets.features import StandardisedDegree
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import Identity


@dataclass
class Adds(Augmentation):
    """Adds a number to all features, and another to all representations."""

    number: float
    heard: list[object] = field(default_factory=list)

    def on_batch(self, batch: Graphs) -> Graphs:
        return batch.replace(x=batch.x * 2 + self.number)

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return h * 2 + self.number, y

    def bind(self, model: object) -> None:
        self.heard.append(model)

    def set_epoch(self, epoch: int, epochs: int) -> None:
        self.heard.append((epoch, epochs))


def test_compose_does_one_after_another(graphs: Graphs) -> None:
    method = Compose([Adds(1.0), Adds(10.0)])
    batch = graphs[[0, 4]]
    torch.testing.assert_close(method.on_batch(batch).x, (batch.x * 2 + 1) * 2 + 10)
    h, _ = method.on_embedding(torch.ones(2, 3), batch.y)
    torch.testing.assert_close(h, torch.full((2, 3), 16.0))


def test_parts_hear_of_model_and_epochs() -> None:
    one, two = Adds(1.0), Adds(2.0)
    for method in (Compose([one]), OneOf([two]), Until(two)):
        method.bind(torch.nn.Identity())  # type: ignore[arg-type]
        method.set_epoch(2, 5)
    assert one.heard[1:] == [(2, 5)]
    assert len(two.heard) == 4


def test_a_part_sees_the_graphs_that_those_before_it_have_added(graphs: Graphs) -> None:
    labelled = graphs.replace(x=graphs.x.abs())
    method = Compose([GMixup(amount=1.0, seed=0), SMixup(Identity(), amount=None, seed=0)])
    train = method.fit_extend(labelled)
    assert len(train) == 14
    assert train.ids.tolist() == list(range(14))
    mixed = method.on_batch(train[[13, 2]])
    assert mixed.sizes.tolist() == train.sizes[[13, 2]].tolist()
    inner = method.parts[1]
    assert isinstance(inner, SMixup)
    assert len(inner.fitted.alignments.train) == 14


def test_halved_edges_are_whole_again_before_the_next_part(graphs: Graphs) -> None:
    """ifMixup writes an edge that both graphs have as two entries; none may be lost."""
    batch = graphs[range(7)]
    once = IfMixup(seed=1).on_batch(batch)
    both = Compose([IfMixup(seed=1), SMixup(Identity(), alpha=0.0, amount=None, partners=None)])
    torch.testing.assert_close(both.on_batch(batch).adj.to_dense(), once.adj.to_dense())


def test_one_of_draws_by_probability(graphs: Graphs) -> None:
    method = OneOf([Adds(1.0), Augmentation(), Adds(5.0)], p=[3, 1, 0], seed=0)
    batch, counts = graphs[[0]], [0, 0, 0]
    for _ in range(400):
        found = method.on_batch(batch)
        counts[method.chosen] += 1
        expected = batch.x if method.chosen == 1 else batch.x * 2 + 1
        torch.testing.assert_close(found.x, expected)
        h, _ = method.on_embedding(torch.zeros(1, 1), batch.y)
        assert float(h) == (0.0 if method.chosen == 1 else 1.0), "the same part acts on both"
    assert counts[2] == 0
    assert 260 < counts[0] < 340


def test_until_leaves_the_last_epochs_alone(graphs: Graphs) -> None:
    method, batch = Until(Adds(1.0), share=0.75), graphs[[0]]
    acted = []
    for epoch in range(1, 9):
        method.set_epoch(epoch, 8)
        acted.append(method.on_batch(batch) is not batch)
        assert (method.on_embedding(torch.zeros(1, 1), batch.y)[0] != 0).item() is acted[-1]
    assert acted == [True] * 6 + [False] * 2
    with pytest.raises(UsageError, match="share must be between 0 and 1"):
        Until(Adds(1.0), share=2.0)


@pytest.mark.parametrize("kind", [DropEdge, DropNode, Subgraph, SubMix, GraphTransplant])
def test_nodes_bring_their_features_along(
    kind: Callable[..., Augmentation], graphs: Graphs
) -> None:
    """As published; degrees of what is left are other features than those of whole graphs."""
    encode = StandardisedDegree(1.0, 2.0)
    degrees = graphs.adj.row_sizes()
    by_degree = graphs.replace(x=encode(degrees), degree_encoding=encode)
    marked = by_degree.replace(node_attrs={"before": degrees})
    method = kind(seed=0)
    method.fit_extend(marked)
    changed = method.on_batch(marked)
    torch.testing.assert_close(changed.x, encode(changed.node_attrs["before"]))
