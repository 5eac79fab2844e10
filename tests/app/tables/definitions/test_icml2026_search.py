"""Every arm has the same settings to choose among, and every fold chooses for itself."""

from __future__ import annotations

import pytest

from smixup.app.runs.presets import preset_for
from smixup.app.sweeps.identity import run_id
from smixup.app.tables.definitions import icml2026
from smixup.app.tables.definitions.icml2026_search import CANDIDATES, EXPERIMENT
from smixup.app.tables.published_2026 import DATASETS
from smixup.app.tables.scope import Scope


def test_equal_budgets() -> None:
    for cell in EXPERIMENT.grid(Scope()):
        assert [dict(each.settings) for each in cell.candidates] == [dict(c) for c in CANDIDATES]
        assert {len(each.configs) for each in cell.candidates} == {15}
        assert cell.by_fold
    assert 4 <= len(CANDIDATES) <= 6


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_candidate_differs_from_the_preset(dataset: str) -> None:
    preset = preset_for(dataset)
    for changes in CANDIDATES[1:]:
        known = {name: value for name, value in changes.items() if hasattr(preset, name)}
        assert not known or any(getattr(preset, name) != value for name, value in known.items())


def test_the_first_candidate_is_run_once_for_both_experiments() -> None:
    scope = Scope(("MUTAG",), ("gin",), seeds=2)
    presets = {run_id(run) for run in icml2026.EXPERIMENT.runs(scope)}
    for cell in EXPERIMENT.grid(scope):
        assert set(cell.candidates[0].ids.values()) <= presets
