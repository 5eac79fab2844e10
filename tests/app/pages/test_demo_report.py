"""The demo's page begins with the answer, and says what was measured and no more."""

from __future__ import annotations

import re
from html import unescape

import pytest
import torch

from smixup.app.pages.demo_report import (
    SHARES_HEADER,
    TABLE_HEADER,
    Demo,
    demo_report,
    score_rows,
    share_rows,
    share_sentence,
    verdict,
)
from smixup.app.pictures.method_look import title_of
from smixup.app.runs.run import RunResult
from smixup.app.studies.case_study import CaseStudy, MotifShare
from smixup.app.studies.demo import ARMS, ArmResult, Compared, DemoSettings
from smixup.app.studies.match_quality import OURS, PUBLISHED, RANDOM, UNIFORM
from smixup.app.studies.mixed_pair import MixedPair
from smixup.datasets import load_dataset
from smixup.matching import RandomOrder, Uniform
from smixup.training.history import CURVES


def run_of(score: float) -> RunResult:
    curves = {name: [score, score] for name in CURVES}
    return RunResult("accuracy", score, score, 1, 2, 1.0, score, 0.1, {}, curves=curves)


def compared(*scores: list[float]) -> Compared:
    names = [arm.name for arm in ARMS]
    arms = [
        ArmResult(name, [run_of(each) for each in row])
        for name, row in zip(names, scores, strict=True)
    ]
    return Compared(DemoSettings(seeds=len(scores[0])), arms)


@pytest.fixture
def found() -> Compared:
    return compared([0.5, 0.6, 0.7], [0.4, 0.7, 0.7], [0.8, 0.9, 0.99])


@pytest.fixture(scope="module")
def study() -> CaseStudy:
    shares = {RANDOM: 0.07, UNIFORM: 0.08, PUBLISHED: 0.1, OURS: 0.99}
    noise = torch.linspace(-0.05, 0.05, 20)
    rows = [MotifShare.of(name, mean + noise, 1 - noise) for name, mean in shares.items()]
    graphs = load_dataset("MOTIF", num_graphs=18).graphs
    left, right = graphs[[0]], graphs[[1]]
    shown = {
        RANDOM: MixedPair.of(RandomOrder(), left, right),
        OURS: MixedPair.of(Uniform(normalization="one-to-one"), left, right),
    }
    return CaseStudy(0, 20, rows, shown, "quick")


def test_shares_have_names_and_intervals(study: CaseStudy) -> None:
    rows = share_rows(study)
    assert all(len(row) == len(SHARES_HEADER) for row in rows)
    assert rows[0] == ("random order", "7.0", "5.5 to 8.5")
    assert rows[3] == ("S-Mixup", "99.0", "97.5 to 100.0"), "never more than the whole motif"
    words = " ".join(share_sentence(study).split())
    assert "keeps 99.0 % of the motif, a mix in random order 7.0 %." in words


def test_rows_show_mean_deviation_and_difference(found: Compared) -> None:
    rows = score_rows(found)
    assert all(len(row) == len(TABLE_HEADER) for row in rows)
    assert rows[0] == ("Vanilla", "60.0 ± 10.0", "", "reference", "0.60")
    assert rows[2] == ("S-Mixup", "89.7 ± 9.5", "+29.7", "+28.2 to +31.1", "0.90")


def test_the_verdict_follows_the_intervals(found: Compared) -> None:
    control, ours, own = verdict(found)
    assert control.startswith(
        "These runs do not decide between random one-to-one and Vanilla: 0.0 points, with an "
        "interval of ["
    )
    assert ours == "S-Mixup is 29.7 points above Vanilla, with an interval of [+28.2, +31.1]."
    assert own.startswith("What the alignment adds: S-Mixup is ")
    lower = verdict(compared([0.8, 0.9, 0.99], [0.8, 0.9, 0.95], [0.5, 0.6, 0.7]))
    assert lower[1].startswith("S-Mixup is 29.7 points below Vanilla")
    equal = verdict(compared([0.8, 0.9, 0.99], [0.1, 0.2, 0.3], [0.1, 0.3, 0.2]))
    assert equal[0].startswith("Random one-to-one is "), "a sentence begins with a capital"
    assert equal[2].startswith("What the alignment adds: these runs do not decide between S-Mixup ")


def test_methods_are_called_as_in_the_pictures() -> None:
    assert [arm.name for arm in ARMS] == [title_of(arm.name) for arm in ARMS]


@pytest.mark.parametrize("number", [1, 2])
def test_one_or_two_runs_have_no_interval(number: int) -> None:
    few = compared([0.5] * number, [0.6] * number, [0.9] * number)
    assert score_rows(few)[1][2:4] == ("+10.0", "none below n = 3")
    assert all("cannot decide anything" in sentence for sentence in verdict(few))


@pytest.mark.slow
def test_the_page_begins_with_the_answer(found: Compared, study: CaseStudy) -> None:
    page = demo_report(Demo(study, found), "explore.html", "smixup compare mine.csv").html()
    (title,) = re.findall("<h1>(.*)</h1>", page)
    assert unescape(re.sub("<[^>]*>", "", title)) == share_sentence(study)
    words = re.sub("<[^>]*>", "", page)
    assert "Accuracy with 25 labels: S-Mixup is 29.7 points above Vanilla" in words
    headings = ["What was found", "One pair, mixed in two ways", "Accuracy with 25 labels"]
    headings += ["Learning curves", "Mix pairs by hand", "Settings", "Commands"]
    places = [page.index(f"<h2>{heading}</h2>") for heading in headings]
    assert places == sorted(places)
    assert page.count("<svg") == 5
    assert page.index("<svg") < page.index("<table"), "the pictures come first"
    for command in ("smixup compare mine.csv", "smixup train MOTIF", "smixup demo "):
        assert command in page
    assert 'href="explore.html"' in page
    assert "smixup demo --seeds 3 --epochs 240 --labels 25" in page
