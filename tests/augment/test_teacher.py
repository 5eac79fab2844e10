"""Labels of new graphs from teachers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from smixup import Augmentation, DropEdge, MMixup, SMixup, Taught, Until
from smixup.graphs import Graphs
from smixup.matching import Identity


def by_odds(odds: float) -> Callable[[Graphs], Tensor]:
    """A teacher who finds class 0 so many times as likely as class 1."""
    row = torch.tensor([[odds, 1.0]]).log()
    return lambda graphs: row.expand(len(graphs), 2)


def mixing(**settings: Any) -> SMixup:
    return SMixup(Identity(partial=True), partners=None, seed=0, **settings)


def test_new_graphs_get_the_mean_of_probabilities_and_originals_keep_their_labels(
    graphs: Graphs,
) -> None:
    """By hand: odds of 3 and of 1 are probabilities of 3/4 and 1/2, their mean is 5/8."""
    batch = graphs[range(7)]
    teachers = [by_odds(3.0), by_odds(1.0)]
    for method, new in ((mixing(), 7), (Augmentation(), 7), (MMixup(seed=0), 7)):
        out = Taught(method, teachers).on_batch(batch)
        assert len(out) == 7 + new and torch.equal(out.y[:7], batch.y)
        torch.testing.assert_close(out.y[7:], torch.tensor([[5 / 8, 3 / 8]]).expand(new, 2))
    for method in (mixing(amount=None), DropEdge(seed=0)):  # in the place of originals
        out = Taught(method, teachers).on_batch(batch)
        torch.testing.assert_close(out.y, torch.tensor([[5 / 8, 3 / 8]]).expand(7, 2))
    taught = Taught(Until(mixing(), share=0.5), teachers)
    taught.set_epoch(1, 2)
    assert len(taught.on_batch(batch)) == 14
    taught.set_epoch(2, 2)
    assert taught.on_batch(batch) is batch


class Dropping(nn.Module):
    """A module that tells how it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.modes = nn.Parameter(torch.ones(2)), list[tuple[bool, bool]]()

    def forward(self, graphs: Graphs) -> Tensor:
        self.modes.append((self.training, torch.is_grad_enabled()))
        return self.weight.expand(len(graphs), 2)


def test_teachers_are_asked_as_in_evaluation_and_left_as_they_were(graphs: Graphs) -> None:
    teacher = Dropping()
    out = Taught(Augmentation(), [teacher]).on_batch(graphs[range(3)])
    assert teacher.modes == [(False, False)]
    assert teacher.training and not out.y.requires_grad
