"""Matchers side by side, on pairs that none has seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from smixup.app.runs.fit_matcher import fit_matcher

from smixup.app.runs.opened import open_dataset
from smixup.app.studies import match_quality as module
from smixup.app.studies.look import QUICK_STEPS
from smixup.app.studies.match_quality import comparable_published, match_quality
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.progress import Progress, Report

MOTIFS = {"num_graphs": 60}
SMALL = {
    "num_layers": 1,
    "hidden_channels": 8,
    "max_steps": 4,
    "evaluate_every": 2,
    "batch_size": 8,
}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    fit_matcher("motif", tmp_path / "saved", seed=3, settings=SMALL, dataset_options=MOTIFS)
    return tmp_path / "saved"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the matchers that are fitted on the way small."""
    plain, published = module.make_matcher, module.comparable_published

    def small(name: str, seed: int, settings: Any) -> Any:
        return plain(name, seed, dict(settings) | (SMALL if name == "graph-matcher" else {}))

    monkeypatch.setattr(module, "make_matcher", small)
    monkeypatch.setattr(
        module,
        "comparable_published",
        lambda seed: GraphMatcher(**(published(seed).settings | SMALL)),
    )


@pytest.mark.usefixtures("quick")
def test_all_rows_on_the_same_pairs() -> None:
    report = match_quality("motif", num_pairs=30, dataset_options=MOTIFS)
    ours, uniform, random_order, paper = report.rows
    assert [row.matcher for row in report.rows] == [
        "graph-matcher",
        "uniform",
        "random-order",
        "paper (cosine, temperature 1)",
    ]
    assert (report.dataset, report.seed, report.pairs) == ("MOTIF", 0, 30)
    assert report.motif_chance == pytest.approx(uniform.quality.motif_mass)
    assert ours.quality.triplet_accuracy is not None
    assert paper.quality.triplet_accuracy is not None
    assert uniform.quality.triplet_accuracy is None
    assert random_order.quality.perplexity == pytest.approx(1)
    assert ours.fit_seconds is not None
    assert ours.fit_seconds > 0
    assert ours.milliseconds_per_pair > 0
    assert paper.settings["similarity"] == "cosine"
    assert [row.fit for row in report.rows] == ["full", None, None, "full"]
    found = json.loads(json.dumps(report.to_dict()))
    assert set(found) == {"dataset", "seed", "motif_chance", "pairs", "threads", "matchers"}
    expected = {
        "matcher",
        "motif_mass",
        "self_match",
        "perplexity",
        "triplet_accuracy",
        "fit_seconds",
        "fit",
    }
    assert set(found["matchers"][0]) == expected | {"milliseconds_per_pair", "settings"}


def test_a_saved_matcher_is_measured_on_its_own_held_out_pairs(saved: Path) -> None:
    report = match_quality("motif", num_pairs=20, saved=saved, paper=False, dataset_options=MOTIFS)
    assert report.seed == 3
    assert [row.matcher for row in report.rows] == ["graph-matcher", "uniform", "random-order"]
    assert report.rows[0].fit_seconds is None
    assert report.rows[0].settings["max_steps"] == 4
    other = match_quality(
        "motif", seed=1, num_pairs=20, saved=saved, paper=False, dataset_options=MOTIFS
    )
    assert other.seed == 1


def test_named_matchers_take_the_place_of_the_default_ones(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TIMED_PAIRS", 4)
    names = ["rrwm", "ipfp", "rrwm"]
    report = match_quality(
        "motif", num_pairs=5, saved=saved, dataset_options=MOTIFS, matchers=names
    )
    assert [row.matcher for row in report.rows] == ["saved matcher", "rrwm", "ipfp"]
    _, rrwm, ipfp = report.rows
    assert rrwm.settings["steps"] == 50
    assert ipfp.quality.self_match > 0.8
    with pytest.raises(UsageError, match=r"unknown matcher 'rwm'\. Did you mean 'rrwm'"):
        match_quality("no such dataset", matchers=["rwm"])
    with pytest.raises(UsageError, match="unknown matcher"):
        match_quality("no such dataset", matchers=[str(saved)])


@pytest.mark.parametrize("seed", [None, 3, 5])
def test_pairs_are_held_out_at_any_seed(
    monkeypatch: pytest.MonkeyPatch, saved: Path, seed: int | None
) -> None:
    measured = []
    monkeypatch.setattr(
        module, "measure", lambda *arguments: measured.append(arguments) or _row(arguments[0])
    )
    match_quality("motif", seed, saved=saved, paper=False, dataset_options=MOTIFS)
    splits = open_dataset("motif", 3, options=MOTIFS)
    graphs = measured[0][3]
    assert len(graphs) == 12
    assert torch.equal(graphs.y, torch.cat([splits.validation.y, splits.test.y]))


def _row(title: str) -> module.MatcherQuality:
    quality = module.Quality(1.0, 1.0, None, None, None, 1)
    return module.MatcherQuality(title, quality, None, 0.1, {})


def test_the_comparable_published_matcher() -> None:
    matcher, default = comparable_published(5), GraphMatcher()
    assert (matcher.similarity, matcher.temperature, matcher.correspondences) == (
        "cosine",
        1.0,
        False,
    )
    assert matcher.hidden_channels == default.hidden_channels
    assert matcher.max_steps >= default.max_steps, "it learns no shorter than ours"
    assert matcher.batch_size >= default.batch_size
    assert matcher.patience >= matcher.max_steps, "it never stops early"
    assert matcher.seed == 5


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="number of pairs must be 1 or more"):
        match_quality("motif", num_pairs=0)
    with pytest.raises(SmixupError, match="no saved matcher"):
        match_quality("motif", saved=tmp_path)


def test_a_quick_fit_is_short_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: dict[str, int] = {}

    def noted(matcher: GraphMatcher, train: Graphs, report: Report) -> GraphMatcher:
        steps[type(matcher).__name__] = matcher.max_steps
        matcher.network, matcher.inputs = matcher.build(train.num_features)
        matcher.inputs.fit(train)
        return matcher

    monkeypatch.setattr(GraphMatcher, "fit", noted)
    names = ["graph-matcher", "identity"]
    for fit, expected in (("quick", QUICK_STEPS), ("full", GraphMatcher.max_steps)):
        found = match_quality("motif", num_pairs=5, matchers=names, fit=fit, dataset_options=MOTIFS)
        assert steps == {"GraphMatcher": expected}
        assert [(row.matcher, row.fit) for row in found.rows] == [
            ("graph-matcher", fit),
            ("identity", None),
        ]


def test_it_tells_which_matchers_are_done() -> None:
    told: list[Progress] = []
    match_quality(
        "motif",
        num_pairs=5,
        matchers=["identity", "uniform"],
        report=told.append,
        dataset_options=MOTIFS,
    )
    assert [(each.stage, each.done, each.total) for each in told] == [
        ("measured", 0, 2),
        ("measured", 1, 2),
        ("measured", 2, 2),
    ]
