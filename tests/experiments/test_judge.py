"""Estimates against formulas by hand, SciPy and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from experiments import judge
from experiments.judge import Difference
from experiments.records import Record


def test_by_runs_is_student_s_interval_and_the_overlap_widens_it() -> None:
    gaps = [1.2, -0.4, 2.0, 0.9, 1.1]
    found, theirs = judge.by_runs(gaps), stats.ttest_1samp(gaps, 0)
    assert (found.low, found.high) == pytest.approx(theirs.confidence_interval())
    assert found.p == pytest.approx(theirs.pvalue)
    assert judge.by_runs(gaps, 1 / 8).se == pytest.approx(found.se * math.sqrt(1 + 5 / 8))
    assert not judge.by_runs([3.0, 3.0]).decided, "two runs may agree by chance"


def test_by_graphs_of_a_full_table_is_the_analysis_of_variance() -> None:
    random = np.random.default_rng(0)
    R, C = 6, 40
    table = random.normal(size=(R, 1)) + random.normal(size=C) + random.normal(size=(R, C))
    found = judge.by_graphs(table, range(R))
    rows, columns = C * table.mean(1).var(ddof=1), R * table.mean(0).var(ddof=1)
    rest = table - table.mean(1, keepdims=True) - table.mean(0) + table.mean()
    cells = (rest**2).sum() / ((R - 1) * (C - 1))
    assert found.mean == pytest.approx(table.mean())
    assert found.se**2 == pytest.approx((rows + columns - cells) / (R * C))


def test_trainings_on_one_split_are_no_new_splits() -> None:
    table = np.random.default_rng(1).normal(size=(4, 30))
    twice = np.concatenate([table, table])
    first, second = judge.by_graphs(table, "abcd"), judge.by_graphs(twice, "abcdabcd")
    assert (first.number, second.number) == (4, 4)
    assert second.se == pytest.approx(first.se)
    assert not judge.by_graphs(table[:1], "a").decided
    untested = np.concatenate([table, np.full((4, 3), np.nan)], 1)
    assert judge.by_graphs(untested, "abcd") == first


def test_holm_by_hand() -> None:
    assert judge.holm([0.01, 0.04, 0.03, math.nan])[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert math.isnan(judge.holm([0.01, math.nan])[1])
    assert judge.holm([0.6, 0.7]) == [1.0, 1.0]


def test_random_effects_by_hand() -> None:
    """Equal errors: the spread is the variance between datasets less that error."""
    means, se = [0.0, 1.0, 2.0, 5.0], 0.5
    found, tau = judge.random_effects(means, [se] * 4)
    assert found.mean == pytest.approx(2.0)
    assert tau**2 == pytest.approx(np.var(means, ddof=1) - se**2)
    assert found.se == pytest.approx(math.sqrt(np.var(means, ddof=1) / 4))
    assert found.high == pytest.approx(2.0 + stats.t.ppf(0.975, 3) * found.se)
    alike, none = judge.random_effects([1.0, 1.01], [1.0, 2.0])
    assert none == 0.0
    assert alike.se == pytest.approx(math.sqrt(1 / (1 + 1 / 4))), "never less than the plain one"


def test_unequal_errors_solve_paule_and_mandel_s_equation() -> None:
    y, se = np.array([0.3, -0.8, 1.9, 0.4, 2.2]), np.array([0.2, 0.5, 0.3, 0.9, 0.4])
    found, tau = judge.random_effects(y.tolist(), se.tolist())
    w = 1 / (se**2 + tau**2)
    assert w @ (y - found.mean) ** 2 == pytest.approx(4)
    assert found.mean == pytest.approx(w @ y / w.sum())


def test_datasets_need_three_splits_to_be_pooled() -> None:
    random = np.random.default_rng(2)
    cells = [
        Difference(name, "gcn", random.normal(1, 1, (runs, 20)), range(runs), range(runs), 0.0)
        for name, runs in (("a", 5), ("b", 4), ("c", 2))
    ]
    assert list(judge.by_dataset(cells, ["a", "b", "c"])) == ["a", "b"]
    assert judge.over_datasets(cells, ["a", "c"]) is None
    both = judge.averaged(cells[:2])
    assert both is not None
    assert both.seeds == [0, 1, 2, 3]
    np.testing.assert_allclose(both.values, (cells[0].values[:4] + cells[1].values) / 2)


def run(seed: int, validation: float, fold: int = 0) -> Record:
    found = object.__new__(Record)
    found.__dict__.update(seed=seed, validation=validation, config=f'{{"fold": {fold}}}')
    return found


def test_validation_chooses_the_setting_for_every_test_fold() -> None:
    runs = {
        "{}": {0: run(0, 0.7), 1: run(1, 0.6)},
        "a": {0: run(0, 0.6), 1: run(1, 0.8)},
        "b": {0: run(0, 1.0)},
    }
    assert judge.chosen(runs) == runs["a"], "b has fewer runs, and does not compete"
    runs = {"{}": {0: run(0, 0.7), 1: run(1, 0.6, 1)}, "a": {0: run(0, 0.6), 1: run(1, 0.8, 1)}}
    assert judge.chosen(runs) == {0: runs["{}"][0], 1: runs["a"][1]}
