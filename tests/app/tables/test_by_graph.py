"""Differences by graph, from predictions of a known quality."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from simulated_runs import GRAPHS, TESTED, positions_of, predictions

from smixup.app.runs.predictions import HEADER
from smixup.app.sweeps.store import Store
from smixup.app.tables.by_graph import OUTCOMES, averaged, compared, with_validation
from smixup.app.tables.cell import FilledCell
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.scope import Scope

PART = Scope(datasets=("MUTAG",), backbones=("gin",), search=False)
Fill = Callable[..., tuple[FilledCell, FilledCell]]


@pytest.fixture
def fill(toy: Experiment, keep: Callable[..., str], store: Store) -> Fill:
    """Keep runs of Vanilla and of M-Mixup, by seed, and return their cells."""

    def filled(
        vanilla: dict[int, bytes], mixup: dict[int, bytes], **scores: float
    ) -> tuple[FilledCell, FilledCell]:
        for cell in toy.grid(PART):
            said = {"Vanilla": vanilla, "M-Mixup": mixup}.get(cell.row, {})
            for config in cell.configs:
                if config.seed in said:
                    keep(config, predictions=said[config.seed], **scores)
        table = toy.render(PART, store.records())
        return table.cell("gin", "M-Mixup", "MUTAG"), table.cell("gin", "Vanilla", "MUTAG")

    return filled


def test_the_mean_is_that_of_all_tested_graphs(fill: Fill, store: Store) -> None:
    vanilla = {seed: predictions(seed, 0.7) for seed in range(3)}
    mixup = {seed: predictions(seed, share) for seed, share in enumerate((0.7, 0.8, 0.9, 1.0))}
    found = compared(*fill(vanilla, mixup), store.predictions())
    assert found is not None
    assert found.seeds == [0, 1, 2], "the fourth has no partner"
    assert found.differences.shape == (3, GRAPHS)
    assert found.estimate().mean == pytest.approx(100 * 0.1)
    assert found.reference == pytest.approx(70)
    assert np.nanmean(found.differences[2]) == pytest.approx(20)
    untested = np.setdiff1d(np.arange(GRAPHS), positions_of(1))
    assert np.isnan(found.differences[1][untested]).all()
    assert np.isfinite(found.differences[1]).sum() == TESTED
    assert len(set(found.splits)) == 3


@pytest.mark.parametrize("outcome", list(OUTCOMES))
def test_every_outcome_by_hand(fill: Fill, store: Store, outcome: str) -> None:
    vanilla = {seed: predictions(seed, 0.6) for seed in range(3)}
    mixup = {seed: predictions(seed, 0.8, sureness=1.0) for seed in range(3)}
    found = compared(*fill(vanilla, mixup, temperature=2.0), store.predictions(), outcome)
    assert found is not None
    assert found.estimate().mean == pytest.approx(
        _by_hand(outcome, 0.8, 1.0) - _by_hand(outcome, 0.6, 2.0), rel=0.03
    )


def _by_hand(outcome: str, share: float, sureness: float) -> float:
    sureness = sureness / 2 if outcome.startswith("scaled") else sureness
    right, wrong = 1 / (1 + math.exp(-sureness)), 1 / (1 + math.exp(sureness))
    worth = {
        "accuracy": (100.0, 0.0),
        "loss": (-math.log(right), -math.log(wrong)),
        "brier": (2 * (1 - right) ** 2, 2 * (1 - wrong) ** 2),
    }
    kind = next(name for name in worth if name in outcome)
    return share * worth[kind][0] + (1 - share) * worth[kind][1]


def test_without_predictions_there_is_nothing_to_compare(fill: Fill, store: Store) -> None:
    cells = fill({0: b""}, {0: predictions(0, 0.5)})
    assert compared(*cells, store.predictions()) is None


def test_the_mean_of_two_comparisons(fill: Fill, store: Store) -> None:
    vanilla = {seed: predictions(seed, 0.5) for seed in range(4)}
    mixup = {seed: predictions(seed, 0.6) for seed in range(3)}
    one = compared(*fill(vanilla, mixup), store.predictions())
    assert one is not None
    both = averaged(
        [
            one,
            replace(
                one, differences=3 * one.differences[1:], splits=one.splits[1:], seeds=one.seeds[1:]
            ),
        ]
    )
    assert both is not None
    assert both.seeds == [1, 2]
    assert both.splits == one.splits[1:]
    assert both.estimate().mean == pytest.approx(20)
    assert averaged([]) is None


def test_runs_without_validation_graphs_say_nothing_of_scaled_outcomes(
    fill: Fill, store: Store
) -> None:
    body = np.zeros(2 * GRAPHS, np.uint8).tobytes() + np.zeros(2 * GRAPHS, np.uint8).tobytes()
    first_record = HEADER.pack(1, 2, GRAPHS) + zlib.compress(body)
    mixup, vanilla = fill({0: first_record, 1: predictions(1, 0.6)}, {0: predictions(0, 0.7)})
    assert list(with_validation(vanilla.runs, store.predictions())) == [1]
    assert compared(mixup, vanilla, store.predictions(), "scaled_loss") is None
    assert compared(mixup, vanilla, store.predictions(), "log_loss") is not None
