"""What holds for every experiment: real pairs, real settings, real cells."""

from __future__ import annotations

from functools import lru_cache
from inspect import signature

import pytest

from smixup.app.runs.presets import GRIDS
from smixup.app.runs.registry import MATCHERS, METHODS
from smixup.app.sweeps.identity import run_id
from smixup.app.tables.arm import Arm
from smixup.app.tables.cell import Cell
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.registry import NAMES, experiment_named
from smixup.app.tables.scope import Scope

pytestmark = pytest.mark.slow

OF_THE_METHOD = ("method", "method_settings", "teachers")


@lru_cache
def cells(name: str) -> list[Cell]:
    """The grid at two seeds, which is as good as at ten."""
    return experiment_named(name).grid(Scope(seeds=2))


@pytest.fixture(params=NAMES)
def experiment(request: pytest.FixtureRequest) -> Experiment:
    return experiment_named(request.param)


def test_it_has_cells_and_every_cell_has_runs(experiment: Experiment) -> None:
    found = cells(experiment.name)
    blocks = sum(
        column.stands_under(backbone)
        for column in experiment.columns
        for backbone in experiment.backbones
    )
    assert blocks > 0
    assert len(found) == len(experiment.arms) * blocks
    assert all(len(candidate.configs) == 2 for cell in found for candidate in cell.candidates)
    assert experiment.title


def test_names_are_unique(experiment: Experiment) -> None:
    for names in (
        [arm.name for arm in experiment.arms],
        [column.name for column in experiment.columns],
    ):
        assert len({name.lower() for name in names}) == len(names)


def test_published_values_are_shown_somewhere(experiment: Experiment) -> None:
    places = {
        (cell.backbone, cell.row, cell.column): cell.published for cell in cells(experiment.name)
    }
    assert {
        place: cell for place, cell in places.items() if cell is not None
    } == experiment.published


def test_the_reference_is_vanilla(experiment: Experiment) -> None:
    first, *others = experiment.arms
    assert first == Arm("Vanilla", "vanilla")
    assert all(arm.method != "vanilla" or arm.changes for arm in others)
    assert {name for arm in others for name in arm.changes} <= {*OF_THE_METHOD}


def test_rows_differ_in_the_method_alone(experiment: Experiment) -> None:
    """But for settings among which every row may choose."""
    chosen = {name for settings in experiment.settings for name in settings}
    pairs: dict[tuple[str, str, int], list[dict[str, object]]] = {}
    for cell in cells(experiment.name):
        for config in cell.configs:
            shared = {
                name: value
                for name, value in config.to_dict().items()
                if name not in {*OF_THE_METHOD, *chosen}
            }
            pairs.setdefault((cell.backbone, cell.column, config.seed), []).append(shared)
    for (backbone, _, seed), runs in pairs.items():
        assert (runs[0]["backbone"], runs[0]["seed"]) == (backbone, seed)
        assert all(run == runs[0] for run in runs), "a difference would not be paired"


def test_columns_differ(experiment: Experiment) -> None:
    first = [cell.configs[0] for cell in cells(experiment.name) if cell.row == "Vanilla"]
    assert len({config.fingerprint() for config in first}) == len(first)


def test_rows_and_candidates_differ(experiment: Experiment) -> None:
    for cell in cells(experiment.name):
        ids = [run_id(config) for config in cell.configs]
        assert len(set(ids)) == len(ids), f"{cell.row} tries a setting twice"
    for column in experiment.columns:
        at_defaults = [
            cell.candidates[0].ids[0]
            for cell in cells(experiment.name)
            if cell.column == column.name
        ]
        assert len(set(at_defaults)) == len(at_defaults)


def test_grids_are_those_of_the_presets(experiment: Experiment) -> None:
    for arm in experiment.arms:
        for field, values in arm.search.items():
            assert set(values) <= set(GRIDS[arm.method][field].values)
            assert len(set(values)) == len(values) > 1


def test_every_field_is_one_of_the_method_or_its_matcher(experiment: Experiment) -> None:
    for arm in experiment.arms:
        matcher = MATCHERS.factory(str(arm.settings.get("matcher", "graph-matcher")))
        own = {name for each in arm.by_backbone.values() for name in each}
        for field in {*arm.settings, *arm.search, *own} - {"matcher", "matcher.paper"}:
            owner = matcher if field.startswith("matcher.") else METHODS.factory(arm.method)
            assert field.removeprefix("matcher.") in signature(owner).parameters
        assert not set(arm.settings) & set(arm.search), "what is fixed is not searched"


def test_without_a_grid_one_candidate_is_left(experiment: Experiment) -> None:
    small = Scope(seeds=1, search=False, backbones=experiment.backbones[:1])
    assert {len(cell.configs) for cell in experiment.grid(small)} == {1}


def test_a_rehearsal_is_short_everywhere_and_says_so(experiment: Experiment) -> None:
    scope = Scope(seeds=1, epochs=3, search=False)
    assert {config.epochs for config in experiment.runs(scope)} == {3}
    assert experiment.render(scope, {}).scope.rehearsal


def test_filters_keep_a_part(experiment: Experiment) -> None:
    column, backbone, arm = experiment.columns[0], experiment.backbones[-1], experiment.arms[-1]
    scope = Scope((column.dataset.lower(),), (backbone,), (arm.name,), seeds=1, search=False)
    found = experiment.grid(scope)
    assert {cell.backbone for cell in found} == {backbone}
    assert {cell.row for cell in found} == {"Vanilla", arm.name}
    assert {config.dataset for cell in found for config in cell.configs} == {column.dataset}


def test_ten_runs_as_in_the_paper_but_for_first_looks(experiment: Experiment) -> None:
    others = {"quick": 3, "probe": 1, "reddit": 3, "bonds": 3, "few-labels": 20}
    others |= {"icml2026": 15, "icml2026-search": 15}
    assert experiment.seeds == others.get(experiment.name, 10)
