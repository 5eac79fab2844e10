"""The demo trains paired arms as ordinary runs, and its page says what was measured and no more."""

from __future__ import annotations

import re
from html import unescape

import pytest
import torch

from smixup.app import demo
from smixup.app.demo import (
    CONTROL,
    OURS,
    PUBLISHED,
    RANDOM,
    SCORES_HEADER,
    SHARES_HEADER,
    SMIXUP,
    UNIFORM,
    Scores,
    Shares,
    arms,
    config_of,
    demo_page,
    motif_shares,
    paired_runs,
)
from smixup.app.pictures.mixed_pair import MixedPair
from smixup.app.runs.run import run
from smixup.graphs import Graphs
from smixup.matching import Identity, RandomOrder
from smixup.progress import Progress


def scores_of(*scores: list[float]) -> Scores:
    return Scores(dict(zip(arms(), scores, strict=True)))


@pytest.fixture
def scores() -> Scores:
    return scores_of([50, 60, 70], [40, 70, 70], [30, 31, 32], [80, 90, 99])


@pytest.fixture
def shares(motif_graphs: Graphs) -> Shares:
    noise = torch.linspace(-5, 5, 20)
    means = {RANDOM: 7, UNIFORM: 8, PUBLISHED: 10, OURS: 99}
    kept = {name: (mean + noise).tolist() for name, mean in means.items()}
    pair = motif_graphs[[0]], motif_graphs[[1]]
    shown = {
        RANDOM: MixedPair.of(RandomOrder(), *pair),
        OURS: MixedPair.of(Identity(partial=True), *pair),
    }
    return Shares(kept, shown, {})


def test_shares_have_names_and_intervals(shares: Shares) -> None:
    rows = shares.rows()
    assert all(len(row) == len(SHARES_HEADER) for row in rows)
    assert rows[0] == ("random alignment", "7.0", "5.5 to 8.5")
    assert rows[3] == ("S-Mixup", "99.0", "97.5 to 100.0"), "never more than the whole motif"
    words = " ".join(shares.sentence().split())
    assert "keeps 99.0 % of the motif, a mix along a random alignment 7.0 %." in words


def test_rows_show_mean_deviation_and_difference(scores: Scores) -> None:
    rows = scores.rows()
    assert all(len(row) == len(SCORES_HEADER) for row in rows)
    assert rows[0] == ("nothing (Vanilla)", "60.0 ± 10.0", "0.0", "reference")
    assert rows[3] == ("S-Mixup", "89.7 ± 9.5", "+29.7", "+28.2 to +31.1")


def test_the_verdict_follows_the_intervals(scores: Scores) -> None:
    control, soft, ours, alignment = scores.sentences()
    assert control.startswith(
        "These runs do not decide between random alignment and Vanilla: 0.0 points, with an "
    )
    assert soft.startswith("The paper's soft alignment is 29.0 points below Vanilla")
    assert ours == "S-Mixup is 29.7 points above Vanilla, with an interval of [+28.2, +31.1]."
    assert alignment.startswith("What the alignment adds: S-Mixup is ")


def test_the_page_begins_with_the_answer(scores: Scores, shares: Shares) -> None:
    page = demo_page(shares, scores, "explore.html", "smixup compare mine.csv")
    (title,) = re.findall("<h1>(.*)</h1>", page)
    assert unescape(re.sub("<[^>]*>", "", title)) == shares.sentence()
    words = re.sub("<[^>]*>", "", page)
    assert "Accuracy with 25 labels: What the alignment adds: S-Mixup is 29.7 points" in words
    assert page.count("<svg") == 4
    assert page.index("<svg") < page.index("<table"), "the pictures come first"
    for part in ("smixup compare mine.csv", "smixup demo", "explore.html"):
        assert part in page


def test_the_control_differs_in_its_alignment_alone() -> None:
    control, ours = (config_of(arm, 0).to_dict() for arm in (CONTROL, SMIXUP))
    assert {name for name in ours if ours[name] != control[name]} == {"method_settings"}
    first, second = (config_of("Vanilla", seed) for seed in (0, 1))
    assert first.dataset_options != second.dataset_options, "seeds have graphs of their own"


@pytest.mark.nightly
def test_all_arms_run_at_all_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SEEDS", 2), ("LABELS", 12), ("EPOCHS", 2), ("TEST_GRAPHS", 20)):
        monkeypatch.setattr(demo, name, value)
    told = list[Progress]()
    scores = paired_runs(report=told.append)
    assert [(each.done, each.total) for each in told] == [(number, 8) for number in range(9)]
    assert {arm: len(each) for arm, each in scores.of.items()} == dict.fromkeys(arms(), 2)
    assert scores.of[SMIXUP][1] == 100 * run(config_of(SMIXUP, 1)).test


@pytest.mark.nightly
def test_shares_are_those_of_version_0_2(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = motif_shares()
    assert [row[1:] for row in shares.rows()] == [
        ("7.0", "5.3 to 8.7"),
        ("7.4", "6.1 to 8.7"),
        ("9.0", "7.5 to 10.4"),
        ("99.5", "98.9 to 100.0"),
    ]
