"""The page of a comparison says what was found, and what to type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from app.studies.pretended_runs import DATA, Pretended

from smixup.analysis.matcher_quality import Quality
from smixup.app.pages import compare_page as module
from smixup.app.pages.compare_page import NETWORKS, compare_page, meanings, network
from smixup.app.pages.report import Prose, Section
from smixup.app.runs.registry import BACKBONES
from smixup.app.studies.compare import compare_dataset
from smixup.app.studies.compare_settings import CompareSettings
from smixup.app.studies.comparison import Comparison
from smixup.app.sweeps.in_process import InProcess

RIGHT = {"vanilla": 0.5, "s-mixup": 0.95, "random-order": 0.5}


def compared(tmp_path: Path, **others: Any) -> Comparison:
    settings = CompareSettings("MOTIF", dataset_options=DATA, seeds=10)
    engine = InProcess(Pretended(RIGHT, **others))
    return compare_dataset(settings, tmp_path / "runs.db", engine=engine)


@pytest.mark.slow
def test_everything_is_on_it(tmp_path: Path) -> None:
    found = compared(tmp_path)
    page = compare_page(found, tmp_path / "runs.db").html()
    assert '<h1>Train with <span class="whole">S-Mixup</span>: it helps on MOTIF.</h1>' in page
    headings = ("Verdict", "Paired differences", "Cost", "Learning curves", "How sure", "Settings")
    assert all(f"<h2>{each}" in page for each in headings)
    assert found.command in page and "To train the recommended model and keep it:" in page
    first = page[: page.index("<section")]
    assert first.count("<svg") == 1 and "difference of accuracy, points" in first
    assert "random one-to-one" in page and "random-alignment" not in page.split("<pre>")[0]
    assert "smixup compare MOTIF --backbone gin --seeds 10 --data num_graphs=120" in page
    assert page.count("<svg") == 4
    assert "The alignment helps" in page
    assert "Methods are compared graph by graph" in page
    whole = '<span class="whole">S-Mixup</span>'
    assert f"Vanilla is training without augmentation. {whole} adds mixes" in page
    assert "Random one-to-one adds mixes of two training graphs whose nodes" in page
    assert "src=" not in page and "http" not in page.replace("http://www.w3.org", "").replace(
        "https://matplotlib.org", ""
    ).replace("http://purl.org", "").replace("http://creativecommons.org", ""), "nothing is fetched"


@pytest.mark.slow
def test_a_model_that_was_trained_is_not_asked_for(tmp_path: Path) -> None:
    model = [Section("The model", [Prose("What it learned.")])]
    page = compare_page(compared(tmp_path), tmp_path / "runs.db", model).html()
    assert "To train the recommended model" not in page
    assert "The recommended model was trained" in page and "What it learned." in page


@pytest.mark.slow
def test_scores_of_runs_are_told_as_such(tmp_path: Path) -> None:
    page = compare_page(compared(tmp_path, metric="mae"), tmp_path / "runs.db").html()
    assert "corrected resampled t" in page
    assert "difference of mae" in page
    assert page.count("<svg") == 3, "without log loss"


@pytest.mark.slow
def test_the_alignment_is_measured_where_there_is_a_matcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, quality = compared(tmp_path), Quality(0.91, 1.0, None, None, 0.73, 200)
    assert "Does the alignment align" not in compare_page(found, tmp_path / "runs.db").html()
    monkeypatch.setattr(module, "alignment_quality", lambda *given: {"learned": quality})
    page = compare_page(found, tmp_path / "runs.db").html()
    assert "Does the alignment align" in page and "0.91" in page


@pytest.mark.slow
def test_the_first_lines_say_what_was_trained_and_what_the_numbers_count(tmp_path: Path) -> None:
    settings = CompareSettings("MOTIF", dataset_options=DATA, seeds=12)
    engine = InProcess(Pretended(RIGHT | {"s-mixup": 0.5}))
    found = compare_dataset(settings, tmp_path / "runs.db", engine=engine)
    page = compare_page(found, tmp_path / "runs.db").html()
    first = page[: page.index("<figure")]
    assert "is a GIN, a graph isomorphism network. 12 paired runs so far; " in first
    assert "these rest on the first 10." in first
    assert "The column mean is over all 12 paired runs." in page


def test_every_backbone_is_explained() -> None:
    assert set(NETWORKS) == set(BACKBONES)
    assert network("mine") == "The classifier that was trained is a MINE."


def test_methods_are_explained_to_who_reads_the_page_alone() -> None:
    told = meanings(["vanilla", "identity-alignment", "drop-edge"])
    assert told.startswith("Vanilla is training without augmentation.")
    assert "the same node of the other graph." in told
    assert "drop" not in told
