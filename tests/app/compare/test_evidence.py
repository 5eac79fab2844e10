"""Verdicts of paired differences: by hand, as recorded, and over courses whose truth is known."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp

from smixup.app.compare import evidence
from smixup.app.compare.evidence import LOOKS, Answer, Array, Measure, Verdict, by_graph, judge

FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)
NAN = math.nan
POINTS = EFFECT = 0.02
RECORDED = json.loads((Path(__file__).parent / "verdicts.json").read_text(encoding="utf-8"))


def judged(differences: Array, margin: float = POINTS, higher: bool = True, **more: Any) -> Verdict:
    measure, both = Measure("accuracy", higher, 100.0, margin), (differences, 0 * differences)
    return judge("it", "vanilla", measure, both, 1 / 9, **more)


def recorded_differences(case: dict[str, Any]) -> Array:
    """Draw the differences of a case: of runs, or of graphs in repeats of ten folds."""
    random = np.random.default_rng(case["seed"])
    runs, graphs, effect, noise = (case[name] for name in ("runs", "graphs", "effect", "noise"))
    if not case["by_graph"]:
        return np.asarray(effect + noise * random.standard_normal(runs))
    differences, order = np.full((runs, graphs), NAN), np.arange(graphs)
    for run in range(runs):
        order = random.permutation(graphs) if run % 10 == 0 else order
        tested = order[run % 10 :: 10]
        drawn = random.random(len(tested))
        better, worse = drawn < noise / 2 + effect, drawn > 1 - noise / 2
        differences[run, tested] = np.where(better, 1.0, np.where(worse, -1.0, 0.0))
    return differences


@pytest.mark.parametrize("case", RECORDED, ids=[str(case["seed"]) for case in RECORDED])
def test_verdicts_stay_as_recorded(case: dict[str, Any]) -> None:
    """Answers and bounds, as version 0.2.0 computed them."""
    shape = {"margin": case["margin"], "higher": case["higher"], "methods": case["methods"]}
    verdict = judged(recorded_differences(case), **shape)
    expected = [case["mean"], case["low"] or -math.inf, case["high"] or math.inf]
    bounds = verdict.difference, verdict.low, verdict.high
    assert bounds == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert (str(verdict.answer), verdict.runs) == (case["answer"], case["look"])


def test_the_first_answer_counts_and_stays() -> None:
    for mean, higher in product((0.05, -0.05, 0.0), (True, False)):
        means = np.repeat([mean, -mean], [16, 14])
        differences = means + 0.005 * np.resize([1.0, -1.0], 30)
        verdict = judged(differences, higher=higher)
        answer = Answer.HELPS if (mean > 0) == higher else Answer.HURTS
        assert verdict.answer is (answer if mean else Answer.NO_LARGER)
        assert (verdict.decided, verdict.runs) == (True, 10)
        assert verdict.differences == differences.tolist()


def test_published_boundaries() -> None:
    """Five equal looks, 2.5 % on one side: tables of Lan and DeMets' two spending functions."""
    obrien_fleming = [2 * norm.sf(norm.isf(0.0125) / math.sqrt(share)) for share in FIFTHS]
    pocock = [0.025 * math.log(1 + (math.e - 1) * share) for share in FIFTHS]
    limits = norm.isf(evidence.spending_levels(FIFTHS, obrien_fleming))
    assert limits == pytest.approx([4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=2e-4)
    limits = norm.isf(evidence.spending_levels(FIFTHS, pocock))
    assert limits == pytest.approx([2.4380, 2.4268, 2.4101, 2.3966, 2.3859], abs=2e-4)


def test_crossings_add_up_to_what_is_spent() -> None:
    """An independent count: random walks against the boundary. The chance is never overdrawn."""
    random, steps = np.random.default_rng(0), np.diff([0, *LOOKS])
    walks = np.cumsum(random.standard_normal((200_000, len(LOOKS))) * np.sqrt(steps), 1)
    crossed = walks / np.sqrt(LOOKS) > norm.isf(list(evidence.levels().values()))
    by_look = np.logical_or.accumulate(crossed, 1).mean(0)
    used = [evidence.spent(look) for look in LOOKS]
    assert by_look == pytest.approx(used, abs=0.0015)
    assert used == sorted(used) and evidence.spent(evidence.PLANNED) == pytest.approx(
        0.8 * evidence.ERROR
    )
    assert used[-1] < evidence.spent(10**9) <= evidence.ERROR


def test_the_resampled_t_by_hand() -> None:
    """Differences 1, 2, 3, 4: s^2 = 5/3, var = 5/3 (1/4 + 1/9) = 65/108."""
    difference = evidence.resampled_t(np.array([1.0, 2.0, 3.0, 4.0]), 1 / 9)
    assert (difference.mean, difference.df) == (2.5, 3)
    assert difference.se == pytest.approx(math.sqrt(65 / 108))
    assert difference.reach(0.025) == pytest.approx(3.182446 * math.sqrt(65 / 108), rel=1e-6)


def test_what_is_known_of_the_error() -> None:
    """One repeat of folds is a t test of their means; nothing is known from one run or one graph;
    and runs that agree by chance are not sure: ten folds of 20 graphs, each one graph better.
    """
    random = np.random.default_rng(0)
    better, tested = np.array([[0.1], [0.3], [0.5], [0.7], [0.9]]), np.eye(5).repeat(40, 1) > 0
    values = np.where(tested, random.random((5, 200)) < better, NAN)
    low, high = ttest_1samp(np.nanmean(values, 1), 0).confidence_interval(0.95)
    assert by_graph(values).reach(0.025) == pytest.approx((high - low) / 2)
    for shape in ((4, 1), (1, 4)):
        assert by_graph(np.ones(shape)).se == math.inf
    values = np.where(np.eye(10).repeat(20, 1) > 0, 0.0, NAN)
    values[range(10), range(0, 200, 20)] = 1.0
    assert by_graph(values).se == pytest.approx(math.sqrt(10) / 200)
    assert judged(values).answer is Answer.CANNOT_TELL


def test_expectations_are_those_of_explicit_matrices() -> None:
    """E[y' P y] = tr(P Sigma), with matrices over all cells, counted twice where tested twice."""
    random = np.random.default_rng(1)
    counts = random.integers(0, 3, (4, 7)).astype(float)
    row, column = (index.ravel() for index in np.indices(counts.shape))
    n, N = counts.ravel(), counts.sum()
    alike = [np.equal.outer(group, group).astype(float) for group in (row, column, np.arange(28))]
    centred = np.diag(n) - np.outer(n, n) / N
    slow = np.array([[np.trace(centred.T @ a @ centred @ b) for b in alike] for a in alike])
    assert evidence.expectations(counts)[1] == pytest.approx(slow)


TRUTHS = {
    "mixed": (0.1, 0.07, 0.015),
    "graphs differ": (0.15, 0.15, 0.0),
    "splits differ": (0.1, 0.0, 0.03),
    "chance": (0.1, 0.0, 0.0),
}
"""The share of entries that are not zero, and standard deviations of effects between borderline
graphs, times the root of their share, and of means between splits.
"""
BORDERLINE = 0.2  # share of graphs; only these ever differ


def course(graphs: int, truth: str, random: np.random.Generator, effect: float = EFFECT) -> Array:
    """Thirty splits `[30, graphs]` of -1, 0, 1 and nan, whose expectation is the effect."""
    share, of_graphs, of_splits = TRUTHS[truth]
    fold = np.empty((3, graphs), dtype=int)  # of every graph, anew in every repeat
    for repeat in fold:
        repeat[random.permutation(graphs)] = np.arange(graphs) % 10
    mask = (fold[:, None] == np.arange(10)[:, None]).reshape(30, graphs)
    borderline = random.random(graphs) < BORDERLINE
    width = np.sqrt(3 / BORDERLINE) * of_graphs
    by_graph = effect / BORDERLINE + random.uniform(-width, width, graphs)
    by_split = np.clip(random.standard_normal((30, 1)), -3, 3) * of_splits / BORDERLINE
    expected = np.where(borderline, by_graph + by_split, 0.0)
    differs = np.maximum(np.where(borderline, share / BORDERLINE, 0.0), np.abs(expected))
    drawn = random.random(mask.shape)
    sign = np.where(drawn < (differs + expected) / 2, 1.0, -1.0)
    return np.where(mask, np.where(drawn < differs, sign, 0.0), np.nan)


def answers(graphs: int, truth: str, effect: float, number: int = 400) -> dict[Answer, float]:
    """Of simulated courses of thirty paired runs on ten folds."""
    random = np.random.default_rng(5)
    courses = [course(graphs, truth, random, effect) for _ in range(number)]
    given = [judged(differences).answer for differences in courses]
    return {answer: given.count(answer) / number for answer in Answer}


@pytest.mark.nightly
@pytest.mark.parametrize(("graphs", "truth"), [(188, "mixed"), (300, "splits differ")])
def test_answers_over_whole_courses(graphs: int, truth: str) -> None:
    """Wrong in 5 % at most, give or take 2.5 standard errors of 400 courses, also of a difference
    of the margin; three points are found in four of five courses on 700 graphs.
    """
    shares = answers(graphs, truth, 0.0)
    assert max(shares[Answer.HELPS], shares[Answer.HURTS]) <= 0.05 + 0.027
    shares = answers(graphs, truth, POINTS)
    assert max(shares[Answer.NO_LARGER], shares[Answer.HURTS]) <= 0.05 + 0.027
    assert answers(700, "graphs differ", 0.03, 100)[Answer.HELPS] >= 0.8


@pytest.mark.nightly
@pytest.mark.parametrize("truth", TRUTHS)
def test_coverage_by_graph(truth: str) -> None:
    """94 to 96 %, give or take 2.5 standard errors of 2000 replications."""
    random, covered = np.random.default_rng(11), 0
    for _ in range(2000):
        difference = by_graph(course(60, truth, random))
        covered += abs(difference.mean - EFFECT) <= difference.reach(0.025)
    assert 0.94 - 0.012 <= covered / 2000 <= 0.96 + 0.012
