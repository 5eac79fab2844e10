"""A table sets bold only what is best and surely better, and pairs every row with the reference of
its own block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from scipy.stats import ttest_rel

from smixup.app.sweeps.store import Store
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope
from smixup.app.tables.score import SCORES

Fill = Callable[[str, str, str, Sequence[float | None]], None]
PART = Scope(backbones=("gin",), datasets=("MUTAG",))
VANILLA, MIXUP, OTHER = "Vanilla", "M-Mixup", "no alignment, lambda in [0, 1]"
BASE = [0.50, 0.60, 0.55, 0.70]


@pytest.fixture
def fill(toy: Experiment, keep: Callable[..., str]) -> Fill:
    """Keep scores of a row on MUTAG under GIN, one per seed, alike for all settings of its grid."""

    def keep_scores(row: str, score: str, column: str, values: Sequence[float | None]) -> None:
        for cell in toy.grid(Scope(backbones=("gin",))):
            if (cell.row, cell.column) == (row, column):
                for candidate in cell.candidates:
                    for config, value in zip(candidate.configs, values, strict=True):
                        if value is not None:
                            keep(config, **{score: value})

    return keep_scores


def plus(*steps: float) -> list[float]:
    return [base + step for base, step in zip(BASE, steps, strict=True)]


@pytest.fixture
def table(toy: Experiment, store: Store) -> Callable[[], ResultTable]:
    return lambda: toy.render(PART, store.records())


def bold(table: ResultTable, score: str) -> list[str]:
    return [row for row in table.rows if table.is_best(table.cell("gin", row, "MUTAG"), score)]


def test_the_best_is_bold_if_its_interval_leaves_zero_out(
    fill: Fill, table: Callable[[], ResultTable]
) -> None:
    better, best = plus(0.02, 0.03, 0.02, 0.03), plus(0.05, 0.06, 0.05, 0.06)
    fill(VANILLA, "test", "MUTAG", BASE)
    fill(MIXUP, "test", "MUTAG", better)
    fill(OTHER, "test", "MUTAG", best)
    assert ttest_rel(better, BASE).pvalue < 0.05
    assert bold(table(), "test") == [OTHER], "surely better is not enough, nor is it shared"
    difference = table().difference(table().cell("gin", OTHER, "MUTAG"))
    assert difference is not None
    interval = ttest_rel(best, BASE).confidence_interval(0.95)
    assert (difference.low, difference.high) == pytest.approx(
        (100 * interval.low, 100 * interval.high)
    )


def test_the_best_is_not_bold_if_it_may_be_luck(
    fill: Fill, table: Callable[[], ResultTable]
) -> None:
    lucky = plus(0.30, -0.10, 0.25, -0.05)
    fill(VANILLA, "test", "MUTAG", BASE)
    fill(MIXUP, "test", "MUTAG", lucky)
    fill(OTHER, "test", "MUTAG", plus(0.02, 0.03, 0.02, 0.03))
    assert ttest_rel(lucky, BASE).pvalue > 0.05
    assert bold(table(), "test") == []


def test_what_is_surely_worse_is_not_bold(fill: Fill, table: Callable[[], ResultTable]) -> None:
    fill(VANILLA, "test", "MUTAG", BASE)
    fill(MIXUP, "test", "MUTAG", plus(-0.1, -0.11, -0.1, -0.11))
    assert bold(table(), "test") == []


def test_a_high_mean_on_easy_splits_is_not_bold(
    fill: Fill, table: Callable[[], ResultTable]
) -> None:
    fill(VANILLA, "test", "MUTAG", [0.10, 0.90, 0.91, 0.12])
    fill(MIXUP, "test", "MUTAG", [None, 0.88, 0.89, None])
    reference, shown = (table().cell("gin", row, "MUTAG") for row in (VANILLA, MIXUP))
    assert shown.summary("test").mean > reference.summary("test").mean
    assert table().difference(shown).mean == pytest.approx(-2.0)
    assert bold(table(), "test") == []


@pytest.mark.parametrize("score", [name for name, score in SCORES.items() if score.lower_is_better])
def test_of_losses_and_calibration_errors_the_lowest_is_best(
    fill: Fill, table: Callable[[], ResultTable], score: str
) -> None:
    fill(VANILLA, score, "MUTAG", BASE)
    fill(MIXUP, score, "MUTAG", plus(-0.1, -0.11, -0.1, -0.11))
    fill(OTHER, score, "MUTAG", plus(0.1, 0.11, 0.1, 0.11))
    assert bold(table(), score) == [MIXUP]
    assert bold(table(), "test") == [], "equal test scores are no difference"


def test_one_pair_decides_nothing(fill: Fill, table: Callable[[], ResultTable]) -> None:
    fill(VANILLA, "test", "MUTAG", [0.1, None, None, None])
    fill(MIXUP, "test", "MUTAG", [0.9, None, None, None])
    assert bold(table(), "test") == []


def test_other_columns_and_backbones_have_no_say(
    fill: Fill, toy: Experiment, store: Store, keep: Callable[..., str]
) -> None:
    fill(VANILLA, "test", "MOTIF, 20 %", BASE)
    fill(MIXUP, "test", "MUTAG", plus(0.1, 0.11, 0.1, 0.11))
    for cell in toy.grid(Scope(backbones=("gcn",))):
        for config in cell.configs:
            keep(config, test=0.1)
    found = toy.render(Scope(), store.records())
    cell = found.cell("gin", MIXUP, "MUTAG")
    assert cell.summary("test") is not None
    assert found.difference(cell) is None, "there is no Vanilla under GIN on MUTAG"
    assert not found.is_best(cell)


def test_the_reference_has_no_difference_and_is_never_bold(
    fill: Fill, table: Callable[[], ResultTable]
) -> None:
    fill(VANILLA, "test", "MUTAG", BASE)
    cell = table().cell("gin", VANILLA, "MUTAG")
    assert table().difference(cell) is None
    assert not table().is_best(cell)
    assert cell.complete


def test_an_empty_table_has_all_cells(table: Callable[[], ResultTable]) -> None:
    empty = table()
    assert (empty.backbones, empty.rows, empty.columns("gin")) == (
        ["gin"],
        [VANILLA, MIXUP, OTHER],
        ["MUTAG"],
    )
    for row in empty.rows:
        cell = empty.cell("gin", row, "MUTAG")
        assert not cell.complete
        for score in SCORES:
            assert cell.summary(score) is empty.difference(cell, score) is None
            assert not empty.is_best(cell, score)


@pytest.mark.parametrize("metric", ["mae", "rmse"])
def test_of_errors_of_values_the_lowest_is_best(
    toy: Experiment, keep: Callable[..., str], table: Callable[[], ResultTable], metric: str
) -> None:
    steps = {VANILLA: 0.0, MIXUP: -0.1, OTHER: 0.1}
    for cell in toy.grid(PART):
        for config in cell.configs:
            test = BASE[config.seed] + (1 + 0.1 * config.seed) * steps[cell.row]
            keep(config, metric=metric, test=test, validation=test)
    assert bold(table(), "test") == [MIXUP]
    assert bold(table(), "validation") == [MIXUP]
