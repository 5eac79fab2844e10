"""The harm study: pairs that share everything but the mixing."""

from __future__ import annotations

from statistics import fmean

import pytest
import torch

from smixup.app.studies.foreign_models import MODELS
from smixup.app.studies.harm import (
    OPTIONS,
    HarmSettings,
    Pair,
    accuracy,
    differences,
    part_of,
    score,
    study,
)
from smixup.augment import SMixup
from smixup.datasets import load_dataset
from smixup.datasets.features import encode_features
from smixup.matching import Identity

SHORT = HarmSettings(epochs=2, last=1, max_test=20, matcher_steps=2)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pairs_come_one_by_one_and_can_be_repeated() -> None:
    first, again = ([*study("MOTIF", [3], ["batch norm"], settings=SHORT)] for _ in range(2))
    assert first == again
    (pair,) = first
    assert (pair.dataset, pair.model, pair.seed) == ("MOTIF", "batch norm", 3)
    assert 0 <= pair.plain <= 100


def test_without_mixing_both_arms_are_the_same() -> None:
    """All that the drop-in adds, but for the mixes, changes nothing."""
    graphs = load_dataset("MOTIF", num_graphs=40, **OPTIONS["MOTIF"]).graphs
    every = torch.arange(40)
    part = part_of(encode_features(graphs, every[:20]).floating(), every[:20], every[20:], False)
    for name in ("batch norm", "TopK pooling"):
        nothing = SMixup(Identity(), amount=0.0, seed=0).fit(part.train)
        found, expected = (score(name, part, each, 1, SHORT) for each in (nothing, None))
        assert found == expected


def test_codes_are_the_columns_that_were_one() -> None:
    graphs = load_dataset("MOTIF", num_graphs=10, **OPTIONS["MOTIF"]).graphs
    every = torch.arange(10)
    encoded = encode_features(graphs, every).floating()
    hot, coded = (part_of(encoded, every, every, codes) for codes in (False, True))
    for one, other in zip(hot.train, coded.train, strict=True):
        assert torch.equal(one.x.argmax(1), other.x)
        assert other.x.dtype == torch.long
    assert coded.width == encoded.num_features


def test_differences_are_of_pairs() -> None:
    pairs = [Pair("A", "m", seed, 80.0 + seed, 81.0 + 2 * seed) for seed in range(3)]
    found = differences([*pairs, Pair("B", "m", 0, 50.0, 40.0)])
    assert found["A", "m"].mean == pytest.approx(2.0)
    assert found["A", "m"].number == 3
    assert found["B", "m"].mean == -10


def test_accuracy_counts() -> None:
    graphs = load_dataset("MOTIF", num_graphs=9, **OPTIONS["MOTIF"]).graphs
    every = torch.arange(9)
    part = part_of(encode_features(graphs, every).floating(), every, every, False)
    model = MODELS["batch norm"](part.width, 3)
    with torch.no_grad():
        model.head.weight.zero_()
        model.head.bias.copy_(torch.tensor([1.0, 0.0, 0.0]))
    expected = 100 * fmean(float(each.y == 0) for each in part.test)
    assert accuracy(model, part.test) == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_mixing_does_no_harm() -> None:
    """Two seeds and a third of the epochs: what would be found is a loss of many points, as of
    mixes in the statistics of batch norms, or of averaged codes (docs/measurements.md).
    """
    settings = HarmSettings(epochs=30, matcher_steps=40, max_test=200)
    pairs = [*study("MOTIF", [100, 101], ["batch norm", "embedded codes"], settings=settings)]
    assert fmean(pair.mixed - pair.plain for pair in pairs) > -5
