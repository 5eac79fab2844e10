"""The demo's page says what was measured, and no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from smixup.datasets import load_dataset
from smixup.lab.pages.demo_report import (
    TABLE_HEADER,
    demo_explorer,
    demo_report,
    score_rows,
    verdict,
)
from smixup.lab.studies.demo import ArmResult, DemoResult, DemoSettings, beside_controls, example
from smixup.matching import Uniform
from smixup.training import History
from smixup.training.history import CURVES


def history(score: float) -> History:
    return History({name: [score] for name in CURVES}, best_epoch=1)


def result_of(*scores: list[float]) -> DemoResult:
    graphs = load_dataset("MOTIF", num_graphs=18).graphs
    names = ["Vanilla", "Random order", "S-Mixup"]
    arms = [
        ArmResult(name, [history(each) for each in row])
        for name, row in zip(names, scores, strict=True)
    ]
    examples = [example(Uniform(), graphs, alike) for alike in (True, False)]
    settings = DemoSettings(seeds=len(scores[0]))
    return DemoResult(
        settings, arms, beside_controls(Uniform(), graphs, 4), Uniform(), examples, 12.0
    )


@pytest.fixture
def result() -> DemoResult:
    return result_of([0.5, 0.6, 0.7], [0.4, 0.7, 0.7], [0.8, 0.9, 0.99])


def test_rows_show_mean_deviation_difference_and_number(result: DemoResult) -> None:
    rows = score_rows(result)
    assert all(len(row) == len(TABLE_HEADER) for row in rows)
    assert rows[0] == ("Vanilla", "60.0 ± 10.0", "reference", "", "0.60 ± 0.10", "3")
    assert rows[2][:3] == ("S-Mixup", "89.7 ± 9.5", "+29.7")
    assert rows[2][3] == "+28.2 to +31.1"


def test_the_verdict_follows_the_intervals(result: DemoResult) -> None:
    words = verdict(result)
    assert "S-Mixup scores higher than Vanilla" in words
    assert (
        "For Random order the interval contains zero: these runs do not tell it from Vanilla."
        in words
    )
    lower = verdict(result_of([0.8, 0.9, 0.99], [0.8, 0.9, 0.95], [0.5, 0.6, 0.7]))
    assert "S-Mixup scores lower than Vanilla" in lower


@pytest.mark.slow
def test_one_seed_has_no_interval() -> None:
    single = result_of([0.5], [0.6], [0.9])
    assert score_rows(single)[1] == (
        "Random order",
        "60.0",
        "+10.0",
        "none from one seed",
        "0.60",
        "1",
    )
    assert "do not tell them from Vanilla" in verdict(single)
    assert "1 seed;" in demo_report(single).html()


@pytest.mark.slow
def test_the_page_has_all_its_parts(result: DemoResult) -> None:
    page = demo_report(result).html()
    headings = ["What was run", "Test scores", "Learning curves", "A mixed pair of one class"]
    headings += [
        "A mixed pair of two classes",
        "Mix pairs by hand",
        "Does the alignment align?",
        "Settings",
        "Commands",
    ]
    places = [page.index(f"<h2>{heading}</h2>") for heading in headings]
    assert places == sorted(places)
    assert page.count("<svg") == 8
    assert "smixup train --dataset MOTIF" in page
    assert "smixup demo --seeds 3 --epochs 100 --graphs 240" in page
    assert "±" in page
    assert demo_report(replace(result, seconds=99.0)).html() != page


def test_the_explorer_shows_test_pairs_of_the_first_seed(result: DemoResult) -> None:
    page = demo_explorer(replace(result, settings=DemoSettings(num_graphs=36)))
    assert len(page.pairs) == 12
    assert all(
        0 <= pair.left.graph < 12 and pair.left.graph != pair.right.graph for pair in page.pairs
    )
    assert page.class_names == ("cycle", "house", "crane")
    assert "S-Mixup" in page.subtitle
