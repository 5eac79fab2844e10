"""A matcher is fitted on a training split, saved as what it is, and says what it was fitted on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from smixup.app.runs.fit_matcher import fit_matcher
from smixup.app.runs.opened import open_dataset
from smixup.errors import SmixupError, UsageError
from smixup.matching import GraphMatcher
from smixup.matching.siamese import SiameseMatcher
from smixup.progress import Progress
from smixup.training import Interrupted

MOTIFS = {"num_graphs": 60}
SMALL = {"num_layers": 1, "hidden_channels": 8, "max_steps": 4, "evaluate_every": 2}
OPTIONS: dict[str, Any] = {"dataset_options": MOTIFS}


@pytest.mark.parametrize("settings", [{}, {"seed": 3}])
def test_it_says_what_it_was_fitted_on(tmp_path: Path, settings: dict[str, int]) -> None:
    """The seed of the matcher is that of the split, wherever it was given."""
    fit_matcher("motif", tmp_path / "m", 3 - len(settings), None, SMALL | settings, **OPTIONS)
    matcher = GraphMatcher.load(tmp_path / "m")
    train = open_dataset("motif", 3, options=MOTIFS).train
    assert (matcher.dataset, matcher.seed) == ("MOTIF", 3)
    assert matcher.train_fingerprint == train.fingerprint()


def test_paper_settings_reach_the_matcher(tmp_path: Path) -> None:
    few = {"epochs": 1, "hidden_channels": 8, "num_layers": 1}
    matcher = fit_matcher("motif", tmp_path / "m", settings=few, paper=True, dataset_options=MOTIFS)
    assert (matcher.similarity, matcher.batch_size, matcher.epochs) == ("cosine", 256, 1)
    assert GraphMatcher.load(tmp_path / "m") == matcher


def test_any_matcher_that_learns_is_fitted_saved_and_loaded_as_what_it_is(tmp_path: Path) -> None:
    matcher = fit_matcher(
        "motif", tmp_path / "m", settings=SMALL, dataset_options=MOTIFS, name="siamese"
    )
    assert type(matcher) is SiameseMatcher
    assert type(GraphMatcher.load(tmp_path / "m")) is SiameseMatcher
    assert GraphMatcher.load(tmp_path / "m") == matcher
    with pytest.raises(UsageError, match="matcher uniform has nothing to fit"):
        fit_matcher("motif", tmp_path / "u", dataset_options=MOTIFS, name="uniform")


def test_an_occupied_place_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(SmixupError, match="holds no matcher"):
        fit_matcher("motif", tmp_path, dataset_options=MOTIFS)


def test_an_interrupted_fit_says_how_to_go_on(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.metrics:  # it has looked at the held-out graphs, and kept its state
            raise KeyboardInterrupt

    arguments: dict[str, Any] = {"settings": SMALL, "dataset_options": MOTIFS}
    file, out = tmp_path / "fit.safetensors", tmp_path / "out"
    with pytest.raises(Interrupted, match=f"{file} keeps the state: repeat the command"):
        fit_matcher("motif", out, checkpoint=file, report=stop, **arguments)
    with pytest.raises(Interrupted, match="nothing was kept"):
        fit_matcher("motif", out, report=stop, **arguments)
    assert not out.exists()
    resumed = fit_matcher("motif", out, checkpoint=file, **arguments)
    whole = fit_matcher("motif", tmp_path / "whole", **arguments)
    assert resumed.fit_scores == whole.fit_scores
    assert (out / "matcher.safetensors").read_bytes() == (
        tmp_path / "whole" / "matcher.safetensors"
    ).read_bytes()


def test_what_is_fitted_already_is_not_fitted_again(tmp_path: Path) -> None:
    fit_matcher("motif", tmp_path / "m", settings=SMALL, **OPTIONS)
    with pytest.raises(UsageError, match="m has nothing to fit"):
        fit_matcher("motif", tmp_path / "n", name=str(tmp_path / "m"), **OPTIONS)


def test_unknown_settings(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown setting of matcher graph-matcher 'depth'"):
        fit_matcher("motif", tmp_path / "m", settings={"depth": 3})
