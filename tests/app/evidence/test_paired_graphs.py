"""The paired difference by graph: hand computation, and coverage where the effect is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from app.evidence.simulate import TRUTHS, Design, covered
from scipy.stats import ttest_1samp

from smixup.app.evidence.paired_graphs import cells_of, paired_graphs
from smixup.errors import UsageError

NAN = math.nan


def test_the_mean_is_over_tested_graphs() -> None:
    values = np.array([[1.0, NAN, 0.0, NAN], [NAN, -1.0, NAN, NAN], [1.0, NAN, NAN, NAN]])
    estimate = paired_graphs(values, ["a", "b", "c"])
    assert (estimate.mean, estimate.number) == (0.25, 3)


def test_cells_add_up_trainings_of_one_split() -> None:
    values = np.array([[1.0, NAN, 0.0], [-1.0, NAN, NAN], [NAN, NAN, 1.0], [NAN, NAN, NAN]])
    sums, counts = cells_of(values, [(0, 1), (0, 1), (1, 1), (2, 1)])
    assert sums.tolist() == [[0.0, 0.0], [0.0, 1.0]]
    assert counts.tolist() == [[2.0, 1.0], [0.0, 1.0]], "without what was not tested"


def test_one_repeat_of_folds_is_a_t_test_of_their_means() -> None:
    random = np.random.default_rng(0)
    values = np.where(np.eye(5).repeat(8, 1) > 0, random.integers(-1, 2, (5, 40)), NAN)
    done = ttest_1samp(np.nanmean(values, 1), 0)
    estimate = paired_graphs(values, range(5))
    assert (estimate.low, estimate.high) == pytest.approx(tuple(done.confidence_interval(0.95)))
    assert estimate.p == pytest.approx(done.pvalue)


def test_initialisations_of_one_split_are_no_new_splits() -> None:
    """Ten copies of the same trainings tell nothing more."""
    values = np.random.default_rng(0).integers(-1, 2, (6, 50)).astype(float)
    once = paired_graphs(values, range(6))
    copies = paired_graphs(np.tile(values, (10, 1)), [*range(6)] * 10)
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))


def test_neither_order_nor_untested_graphs_matter() -> None:
    random = np.random.default_rng(1)
    values = np.where(random.random((8, 30)) < 0.6, random.integers(-1, 2, (8, 30)), NAN)
    moved = np.full((8, 33), NAN)
    order = random.permutation(8)
    moved[:, :30] = values[order][:, random.permutation(30)]
    one, two = paired_graphs(values, range(8)), paired_graphs(moved, order)
    assert (one.low, one.high, one.df) == pytest.approx((two.low, two.high, two.df))


def test_equal_methods_differ_by_nothing() -> None:
    estimate = paired_graphs(np.zeros((5, 20)), range(5))
    assert (estimate.mean, estimate.low, estimate.high, estimate.p) == (0, 0, 0, 1)


@pytest.mark.parametrize("shape", [(4, 1), (1, 4)])
def test_one_split_or_one_graph_excludes_nothing(shape: tuple[int, int]) -> None:
    estimate = paired_graphs(np.ones(shape), range(shape[0]))
    assert (estimate.mean, estimate.low, estimate.high) == (1, -math.inf, math.inf)


@pytest.mark.parametrize(
    ("values", "clusters", "words"),
    [
        (np.zeros(3), [0, 1, 2], "shape"),
        (np.zeros((3, 2)), [0, 1], "3 trainings need as many clusters, not 2"),
        (np.full((2, 2), NAN), [0, 1], "one tested graph"),
        (np.array([[0.0, math.inf]]), [0], "finite"),
    ],
)
def test_what_is_no_table_is_an_error(values: np.ndarray, clusters: list[int], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        paired_graphs(values, clusters)


DESIGNS = {
    "five folds, three initialisations": Design(188, 5, folds=5, initialisations=3),
    "ten folds, three repeats, few graphs": Design(60, 30, folds=10),
    "five folds, five repeats": Design(600, 25, folds=5),
    "ten folds, six repeats": Design(188, 60, folds=10),
    "few labels, five seeds": Design(800, 5, share=0.9),
    "few labels, twenty seeds": Design(300, 20, share=0.8),
}


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("truth", TRUTHS)
def test_coverage(design: str, truth: str) -> None:
    """94 to 96 %, give or take 2.5 standard errors of 2000 replications."""
    share = covered(paired_graphs, DESIGNS[design], TRUTHS[truth], 2000, seed=11)
    assert 0.94 - 0.012 <= share <= 0.96 + 0.012
