"""A look has a matcher that was fitted quickly, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.app.runs.opened import open_dataset
from smixup.app.runs.registry import MATCHERS
from smixup.app.studies.look import (
    FULL,
    QUICK,
    QUICK_STEPS,
    described,
    fit_settings,
    learns,
    require_fit,
    with_fit,
)
from smixup.errors import UsageError
from smixup.matching import GraphMatcher, LearnedMatcher

DATA = {"num_graphs": 60}


def test_the_quick_fit_is_much_shorter_than_the_full_one() -> None:
    assert GraphMatcher.max_steps > 4 * QUICK_STEPS
    assert GraphMatcher.evaluate_every <= QUICK_STEPS, "it looks at the held-out graphs once"


def test_only_matchers_with_steps_learn_quickly() -> None:
    assert [name for name in MATCHERS if learns(name)] == ["graph-matcher", "siamese"]
    for name in MATCHERS:
        assert fit_settings(name, FULL) == {}
        assert bool(fit_settings(name, QUICK)) == learns(name)


@pytest.mark.parametrize(("fit", "steps"), [(QUICK, QUICK_STEPS), (FULL, GraphMatcher.max_steps)])
def test_an_opened_dataset_gets_the_fit(fit: str, steps: int) -> None:
    opened = with_fit(open_dataset("MOTIF", 3, "graph-matcher", options=DATA), "graph-matcher", fit)
    assert isinstance(opened.chosen, GraphMatcher)
    assert opened.chosen == GraphMatcher(max_steps=steps, seed=3)


def test_a_saved_matcher_is_taken_as_it_is(tmp_path: Path) -> None:
    train = open_dataset("MOTIF", 0, options=DATA).train
    GraphMatcher(max_steps=2, num_layers=1, batch_size=4).fit(train).save(tmp_path / "kept")
    opened = with_fit(
        open_dataset("MOTIF", None, tmp_path / "kept", options=DATA), str(tmp_path / "kept"), QUICK
    )
    assert isinstance(opened.chosen, LearnedMatcher)
    assert (opened.chosen.fitted, opened.chosen.max_steps) == (True, 2)
    assert described(str(tmp_path / "kept"), QUICK) == "kept"


def test_words() -> None:
    assert described("siamese", QUICK) == f"siamese (quick fit, {QUICK_STEPS} steps)"
    assert described("siamese", FULL) == "siamese"
    assert described("rrwm", QUICK) == "rrwm"
    with pytest.raises(UsageError, match="unknown fit 'ful'"):
        require_fit("ful")
