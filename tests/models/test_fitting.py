"""Graphs are held out evenly, and a model repeats to the bit."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from smixup.augment import Augmentation
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.models.fitting import fit_model, held_out
from smixup.tasks import Classes
from smixup.training import TrainSettings

SETTINGS = TrainSettings(epochs=2, learning_rate=0.01, batch_size=32, seed=1)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.33, 0.9])
def test_every_graph_is_on_one_side_and_strata_have_equal_shares(share: float) -> None:
    strata = torch.tensor([0] * 150 + [1] * 40 + [2] * 10)
    train, held = held_out(strata, share, seed=0)
    assert sorted([*train.tolist(), *held.tolist()]) == list(range(200))
    assert len(held) == max(round(share * 200), 1)
    for each, count in enumerate((150, 40, 10)):
        assert abs(int((strata[held] == each).sum()) - share * count) <= 1
    assert not torch.equal(held, held_out(strata, share, seed=1)[1])


def test_what_cannot_be_held_out() -> None:
    with pytest.raises(UsageError, match="share of validation graphs must be above 0 and below 1"):
        held_out(torch.zeros(5, dtype=torch.long), 1.0, seed=0)
    with pytest.raises(SmixupError, match="two graphs at least"):
        held_out(torch.zeros(1, dtype=torch.long), 0.5, seed=0)


def test_a_model_repeats_to_the_bit_and_leaves_chance_alone(motif: Graphs) -> None:
    task, sizes = Classes.numbered(3), {"hidden_channels": 4, "num_layers": 1}
    torch.manual_seed(5)
    before = torch.get_rng_state()
    parts = task, "gcn", Augmentation(), SETTINGS
    first, again = (fit_model(motif, *parts, **sizes).model for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first.logits(motif), again.logits(motif))
    other = fit_model(motif, *parts[:3], replace(SETTINGS, seed=2), **sizes).model
    assert not torch.equal(first.logits(motif), other.logits(motif))
    assert first.about["split"] == {"kind": "random", "train": 51, "validation": 9}
