"""One way to open a dataset, and no held-out graph that the matcher has learnt from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from smixup.app.runs.config import configure
from smixup.app.runs.fit_matcher import fit_matcher
from smixup.app.runs.opened import open_dataset, open_run
from smixup.errors import SmixupError, UsageError
from smixup.matching import GraphMatcher, Uniform

MOTIFS = {"num_graphs": 60}
SMALL: dict[str, Any] = {"num_layers": 1, "hidden_channels": 4, "max_steps": 1}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opened") / "kept"
    fit_matcher("motif", folder, seed=5, settings=SMALL, dataset_options=MOTIFS)
    return folder


def test_parts_are_those_of_a_run() -> None:
    options = MOTIFS | {"features": "degree"}
    opened = open_dataset("motif", 3, options=options)
    run = open_run(configure("MOTIF", seed=3, dataset_options=options))
    assert (opened.dataset, opened.seed, len(opened.graphs)) == ("MOTIF", 3, 60)
    for part in ("train", "validation", "test"):
        graphs = getattr(opened, part)
        assert graphs.fingerprint() == getattr(run, part).fingerprint()
        assert torch.equal(graphs.ids, getattr(opened.split, part)), "they keep their positions"
    both = torch.cat([opened.validation.ids, opened.test.ids])
    assert torch.equal(opened.held_out.ids, both)
    largest = int(opened.train.adj.row_sums().max())
    assert opened.graphs.num_features == largest + 1, "encoded by the training split"


def test_a_matcher_is_a_name_or_a_folder(saved: Path, tmp_path: Path) -> None:
    uniform = open_dataset("motif", matcher="uniform", options=MOTIFS)
    assert isinstance(uniform.matcher(), Uniform)
    made = open_dataset("motif", 7, "graph-matcher", options=MOTIFS)
    assert isinstance(made.chosen, GraphMatcher)
    assert (made.chosen.seed, made.chosen.fitted) == (7, False)
    for folder in (saved, str(saved)):
        kept = open_dataset("motif", matcher=folder, options=MOTIFS)
        assert kept.matcher() is kept.chosen, "it is not fitted again"
        assert kept.seed == 5
    with pytest.raises(UsageError, match=r"unknown matcher or folder 'unifrom'.*'uniform'"):
        open_dataset("motif", matcher="unifrom")
    with pytest.raises(SmixupError, match="no saved matcher"):
        open_dataset("motif", matcher=str(tmp_path))
    with pytest.raises(SmixupError, match="no saved matcher"):
        open_dataset("motif", matcher=tmp_path / "nowhere")


def test_a_matcher_is_fitted_on_the_training_split() -> None:
    opened = open_dataset("motif", 0, "graph-matcher", options=MOTIFS)
    assert isinstance(opened.chosen, GraphMatcher)
    opened.chosen.max_steps = 1
    opened.matcher()
    assert opened.chosen.train_fingerprint == opened.train.fingerprint()


@pytest.mark.parametrize("seed", [None, 5, 0, 1, 2])
def test_a_saved_matcher_has_seen_none_of_the_held_out_graphs(
    saved: Path, seed: int | None
) -> None:
    opened = open_dataset("motif", seed, saved, options=MOTIFS)
    learnt_from = set(open_dataset("motif", 5, options=MOTIFS).train.ids.tolist())
    assert len(learnt_from) == 48
    assert not learnt_from & set(opened.held_out.ids.tolist())
    assert opened.seed == (5 if seed is None else seed), "other draws follow the seed"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_graphs": 61}, "fitted on other graphs than this training split of MOTIF"),
        ({"num_graphs": 60, "seed": 1}, "may have seen held-out ones"),
        ({"num_graphs": 60, "features": "degree"}, "give the data settings and the seed"),
    ],
)
def test_other_graphs_are_refused(saved: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(SmixupError, match=words):
        open_dataset("motif", matcher=saved, options=options)


def test_another_dataset_is_refused(saved: Path, tmp_path: Path) -> None:
    matcher = GraphMatcher.load(saved)
    matcher.dataset, matcher.train_fingerprint = "NCI1", "0"
    matcher.save(tmp_path / "m")
    with pytest.raises(SmixupError, match=r"fitted on NCI1, not on MOTIF: .*--dataset MOTIF"):
        open_dataset("motif", matcher=tmp_path / "m", options=MOTIFS)


def test_what_cannot_be_checked_is_refused(saved: Path, tmp_path: Path) -> None:
    """Matchers of one's own know their graphs, and those of earlier versions know nothing."""
    matcher = GraphMatcher.load(saved)
    matcher.dataset = None
    matcher.save(tmp_path / "own")
    assert open_dataset("motif", matcher=tmp_path / "own", options=MOTIFS).seed == 5
    matcher.train_fingerprint = None
    matcher.save(tmp_path / "old")
    with pytest.raises(SmixupError, match="does not say which graphs it was fitted on"):
        open_dataset("motif", matcher=tmp_path / "old", options=MOTIFS)


def test_a_wrong_seed_is_refused_with_a_saved_matcher_too(saved: Path) -> None:
    for matcher in (None, saved):
        with pytest.raises(UsageError, match="seed must be 0 or more, not -1"):
            open_dataset("motif", -1, matcher, options=MOTIFS)
