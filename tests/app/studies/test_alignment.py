"""What is said of an assignment in pictures, on assignments small enough to see."""

from __future__ import annotations

import pytest
import torch

from smixup.app.studies.alignment import Alignment
from smixup.graphs import Graphs
from smixup.matching import Identity, Uniform

PARTIAL = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
PILED = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
SPREAD = torch.tensor([[0.0, 0.7, 0.2], [0.0, 0.3, 0.4]])


@pytest.mark.parametrize(
    ("M", "kind"),
    [
        (PARTIAL, "one-to-one"),
        (PILED, "many-to-one"),
        (SPREAD, "soft"),
        (PILED.T, "soft"),
        (torch.zeros(2, 3), "one-to-one"),
        (torch.zeros(0, 2), "one-to-one"),
    ],
)
def test_kinds(M: torch.Tensor, kind: str) -> None:
    assert Alignment(M).kind == kind
    assert Alignment(M).whole == (kind != "soft")


def test_matchers_are_called_what_they_are(motif_graphs: Graphs) -> None:
    order = motif_graphs.sizes.argsort()
    small, large = motif_graphs[order[:1]], motif_graphs[order[-1:]]

    def kind(matcher: Identity | Uniform) -> str:
        return Alignment(matcher(small, large).to_dense()).kind

    assert kind(Identity(partial=True)) == "one-to-one"
    assert kind(Identity()) == "many-to-one"
    assert kind(Uniform()) == "soft"
    assert kind(Uniform(normalization="one-to-one")) == "one-to-one"
    assert kind(Uniform(normalization="consensus")) == "soft"


def test_nodes_that_are_left_alone() -> None:
    partial = Alignment(PARTIAL)
    assert partial.matched1.tolist() == [True, False]
    assert partial.matched2.tolist() == [False, True, False]
    assert partial.counterpart.tolist() == [-1, 0, -1]
    assert Alignment(SPREAD).counterpart.tolist() == [-1, 0, 1], "the one that takes most"
    assert Alignment(PILED).counterpart.tolist() == [1, 0, 0]
    assert Alignment(torch.zeros(0, 2)).counterpart.tolist() == [-1, -1]
