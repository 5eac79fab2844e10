"""The demo trains paired arms as ordinary runs, and its page says what was measured and no more."""

from __future__ import annotations

import re
from html import unescape

import pytest
import torch

from smixup.app.demo import (
    ARMS,
    OURS,
    PUBLISHED,
    RANDOM,
    SCORES_HEADER,
    SHARES_HEADER,
    UNIFORM,
    DemoSettings,
    Runs,
    Shares,
    demo_page,
    motif_shares,
    paired_runs,
)
from smixup.app.pictures.mixed_pair import MixedPair
from smixup.app.runs.run import RunResult, run
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching import Identity, RandomOrder
from smixup.progress import Progress


def runs_of(*scores: list[float]) -> Runs:
    results = [
        [RunResult("accuracy", each, each, 1, 2, 1.0, each, 0.1, {}) for each in row]
        for row in scores
    ]
    return Runs(DemoSettings(seeds=len(scores[0])), dict(zip(ARMS, results, strict=True)))


@pytest.fixture
def runs() -> Runs:
    return runs_of([0.5, 0.6, 0.7], [0.4, 0.7, 0.7], [0.8, 0.9, 0.99])


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


def test_rows_show_mean_deviation_and_difference(runs: Runs) -> None:
    rows = runs.rows()
    assert all(len(row) == len(SCORES_HEADER) for row in rows)
    assert rows[0] == ("Vanilla", "60.0 ± 10.0", "", "reference", "0.60")
    assert rows[2] == ("S-Mixup", "89.7 ± 9.5", "+29.7", "+28.2 to +31.1", "0.90")


def test_the_verdict_follows_the_intervals(runs: Runs) -> None:
    control, ours, alignment = runs.sentences()
    assert control.startswith(
        "These runs do not decide between random alignment and Vanilla: 0.0 points, with an "
    )
    assert ours == "S-Mixup is 29.7 points above Vanilla, with an interval of [+28.2, +31.1]."
    assert alignment.startswith("What the alignment adds: S-Mixup is ")
    lower = runs_of([0.8, 0.9, 0.99], [0.8, 0.9, 0.95], [0.5, 0.6, 0.7]).sentences()
    assert lower[1].startswith("S-Mixup is 29.7 points below Vanilla")
    equal = runs_of([0.8, 0.9, 0.99], [0.1, 0.2, 0.3], [0.1, 0.3, 0.2]).sentences()
    assert equal[0].startswith("Random alignment is "), "a sentence begins with a capital"
    assert "these runs do not decide between S-Mixup and random alignment" in equal[2]


@pytest.mark.parametrize("number", [1, 2])
def test_one_or_two_runs_have_no_interval(number: int) -> None:
    few = runs_of([0.5] * number, [0.6] * number, [0.9] * number)
    assert few.rows()[1][2:4] == ("+10.0", "none below n = 3")
    assert all("cannot decide anything" in sentence for sentence in few.sentences())


def test_the_page_begins_with_the_answer(runs: Runs, shares: Shares) -> None:
    page = demo_page(shares, runs, "explore.html", "smixup compare mine.csv")
    (title,) = re.findall("<h1>(.*)</h1>", page)
    assert unescape(re.sub("<[^>]*>", "", title)) == shares.sentence()
    words = re.sub("<[^>]*>", "", page)
    assert "Accuracy with 25 labels: S-Mixup is 29.7 points above Vanilla" in words
    headings = ("What was found", "One pair", "Accuracy with 25", "Mix pairs", "Settings", "Comm")
    places = [page.index(f"<h2>{heading}") for heading in headings]
    assert places == sorted(places)
    assert page.count("<svg") == 4
    assert page.index("<svg") < page.index("<table"), "the pictures come first"
    for part in ("smixup compare mine.csv", "smixup demo --seeds 3 --labels 25", "explore.html"):
        assert part in page


def test_the_control_differs_in_its_alignment_alone() -> None:
    control, ours = (DemoSettings().config(arm, 0).to_dict() for arm in list(ARMS)[1:])
    assert {name for name in ours if ours[name] != control[name]} == {"method_settings"}
    assert control["method_settings"] == {"matcher": "random-order", "matcher.partial": True}
    first, second = (DemoSettings().config("Vanilla", seed) for seed in (0, 1))
    assert first.dataset_options != second.dataset_options, "seeds have graphs of their own"


def test_too_little_is_refused() -> None:
    with pytest.raises(UsageError, match="seeds must be 1 or more"):
        DemoSettings(seeds=0)
    with pytest.raises(UsageError, match="labels must be 6 or more"):
        DemoSettings(labels=3)


@pytest.mark.nightly
def test_all_arms_run_at_all_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = {"matcher.max_steps": 1, "matcher.batch_size": 4, "matcher.num_layers": 1}
    monkeypatch.setitem(ARMS, "S-Mixup", ("s-mixup", quick))
    settings, told = DemoSettings(2, 12, 2, 20), list[Progress]()
    runs = paired_runs(settings, report=told.append)
    assert [(each.done, each.total) for each in told] == [(number, 6) for number in range(7)]
    assert {arm: len(results) for arm, results in runs.of.items()} == dict.fromkeys(ARMS, 2)
    again = run(settings.config("S-Mixup", 1))
    assert again.test == runs.of["S-Mixup"][1].test
    monkeypatch.setitem(ARMS, "Vanilla", ("s-mixup", {"matcher": "ipf"}))
    with pytest.raises(SmixupError):
        paired_runs(settings)


@pytest.mark.nightly
def test_shares_are_those_of_version_0_2(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = motif_shares()
    assert [row[1:] for row in shares.rows()] == [
        ("7.0", "5.3 to 8.7"),
        ("7.4", "6.1 to 8.7"),
        ("9.0", "7.5 to 10.4"),
        ("99.5", "98.9 to 100.0"),
    ]
