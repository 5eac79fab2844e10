"""An experiment is a grid of cells, of which a scope keeps a part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from smixup.app.sweeps.store import Store
from smixup.app.tables.experiment import Column, Experiment, always
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.scope import Scope
from smixup.errors import UsageError

ROWS = ["Vanilla", "M-Mixup", "no alignment, lambda in [0, 1]"]


def names(experiment: Experiment, scope: Scope) -> tuple[list[str], list[str], list[str]]:
    """Backbones, rows and columns of the cells, in order, each once."""
    cells = experiment.grid(scope)
    assert len({(cell.backbone, cell.row, cell.column) for cell in cells}) == len(cells), (
        "no cell twice"
    )
    places = zip(*((cell.backbone, cell.row, cell.column) for cell in cells), strict=True)
    backbones, rows, columns = (list(dict.fromkeys(each)) for each in places)
    return backbones, rows, columns


def test_the_whole_grid(toy: Experiment) -> None:
    cells = toy.grid(Scope())
    assert len(cells) == 2 * 3 * 2
    assert names(toy, Scope()) == (["gcn", "gin"], ROWS, ["MOTIF, 20 %", "MUTAG"])
    assert {cell.row: len(cell.candidates) for cell in cells} == dict(
        zip(ROWS, (1, 2, 1), strict=True)
    )
    assert {len(candidate.configs) for cell in cells for candidate in cell.candidates} == {4}
    assert len(toy.runs(Scope())) == 4 * (1 + 2 + 1) * 2 * 2


def test_a_run_has_the_settings_of_row_column_and_choice(toy: Experiment) -> None:
    by_place = {(cell.backbone, cell.row, cell.column): cell for cell in toy.grid(Scope())}
    cell = by_place["gcn", "M-Mixup", "MOTIF, 20 %"]
    config = next(each for each in cell.candidates if each.settings == {"alpha": 0.2}).configs[3]
    assert (config.dataset, config.backbone, config.method, config.seed) == (
        "MOTIF",
        "gcn",
        "m-mixup",
        3,
    )
    assert (config.epochs, config.label_corruption, config.method_settings) == (
        2,
        0.2,
        {"alpha": 0.2},
    )
    fixed = by_place["gin", ROWS[2], "MUTAG"].candidates[0].configs[0]
    assert fixed.method_settings == {"matcher": "identity", "fold_ratio": False}
    assert fixed.label_corruption == 0.0
    assert cell.published is not None
    assert cell.published.mean == 71.25
    assert by_place["gin", "M-Mixup", "MUTAG"].published is None


def test_settings_that_all_arms_choose_among(toy: Experiment) -> None:
    searched = replace(toy, settings=({}, {"dropout": 0.5, "num_layers": 2}), choose_by_fold=True)
    cells = searched.grid(Scope(backbones=("gin",), datasets=("MUTAG",)))
    assert [len(cell.candidates) for cell in cells] == [2, 4, 2], "twice the grid, for every arm"
    tried = [dict(candidate.settings) for candidate in cells[1].candidates]
    other = {"dropout": 0.5, "num_layers": 2}
    alphas = [candidate.settings for candidate in toy.grid(Scope())[1].candidates]
    assert tried == [dict(alpha) for alpha in alphas] + [other | dict(alpha) for alpha in alphas]
    for cell in cells:
        assert cell.by_fold
        last = cell.candidates[-1].configs[0]
        assert (last.dropout, last.num_layers) == (0.5, 2)
    alone = searched.grid(Scope(search=False))
    assert {len(cell.candidates) for cell in alone} == {1}
    assert [cell.configs for cell in alone] == [
        cell.configs for cell in toy.grid(Scope(search=False))
    ]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(datasets=("motif",)), (["gcn", "gin"], ROWS, ["MOTIF, 20 %"])),
        (Scope(datasets=("motif, 20 %",)), (["gcn", "gin"], ROWS, ["MOTIF, 20 %"])),
        (Scope(datasets=("MUTAG", "motif")), (["gcn", "gin"], ROWS, ["MOTIF, 20 %", "MUTAG"])),
        (Scope(backbones=("GIN",)), (["gin"], ROWS, ["MOTIF, 20 %", "MUTAG"])),
        (Scope(backbones=("gin", "gcn", "gin")), (["gcn", "gin"], ROWS, ["MOTIF, 20 %", "MUTAG"])),
        (Scope(methods=("m-mixup",)), (["gcn", "gin"], ROWS[:2], ["MOTIF, 20 %", "MUTAG"])),
        (
            Scope(methods=("s-mixup",)),
            (["gcn", "gin"], [ROWS[0], ROWS[2]], ["MOTIF, 20 %", "MUTAG"]),
        ),
        (
            Scope(methods=(ROWS[2].upper(),)),
            (["gcn", "gin"], [ROWS[0], ROWS[2]], ["MOTIF, 20 %", "MUTAG"]),
        ),
        (Scope(methods=("vanilla",)), (["gcn", "gin"], ROWS[:1], ["MOTIF, 20 %", "MUTAG"])),
        (Scope(("MUTAG",), ("gcn",), ("M-Mixup",)), (["gcn"], ROWS[:2], ["MUTAG"])),
    ],
)
def test_filters(toy: Experiment, scope: Scope, expected: tuple[list[str], ...]) -> None:
    assert names(toy, scope) == expected


def test_a_row_as_it_is_spelled_is_that_row_and_a_method_is_all_of_its_rows() -> None:
    quick = experiment_named("quick")
    assert names(quick, Scope(methods=("S-Mixup",)))[1] == ["Vanilla", "S-Mixup"]
    assert names(quick, Scope(methods=("s-mixup",)))[1] == ["Vanilla", "random order", "S-Mixup"]
    assert names(quick, Scope(methods=("m-mixup", "S-Mixup")))[1] == [
        "Vanilla",
        "M-Mixup",
        "S-Mixup",
    ]


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (Scope(datasets=("NCI1",)), "NCI1 is no dataset of the experiment "),
        (Scope(datasets=("NCI1",)), "methods are compared on any data by smixup compare NCI1."),
        (Scope(datasets=("NOTHING",)), "unknown dataset of this experiment 'NOTHING'"),
        (Scope(backbones=("gat",)), "unknown backbone of this experiment 'gat'"),
        (
            Scope(methods=("m-mixupp",)),
            "unknown method of this experiment 'm-mixupp'. Did you mean 'm-mixup'?",
        ),
        (Scope(methods=("S-Mixup", "g-mixup")), "unknown method of this experiment 'g-mixup'"),
    ],
)
def test_names_that_it_does_not_have(toy: Experiment, scope: Scope, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        toy.grid(scope)
    assert message in str(caught.value)


def test_seeds_epochs_and_no_grid(toy: Experiment) -> None:
    small = Scope(seeds=2, epochs=7, search=False)
    cells = toy.grid(small)
    assert all(len(cell.candidates) == 1 for cell in cells)
    assert all(cell.candidates[0].settings == {} for cell in cells)
    assert {config.epochs for cell in cells for config in cell.configs} == {7}
    assert {config.seed for cell in cells for config in cell.configs} == {0, 1}
    more = {config.seed for config in toy.runs(Scope(seeds=6))}
    assert more == set(range(6)), "more seeds keep the ones of fewer"


def test_other_seeds_are_the_same_runs_at_other_seeds(toy: Experiment) -> None:
    first, later = (toy.runs(Scope(seeds=2, first_seed=start)) for start in (0, 100))
    assert {config.seed for config in later} == {100, 101}
    assert [replace(config, seed=config.seed - 100) for config in later] == first


def test_a_column_may_stand_under_one_backbone_alone(toy: Experiment) -> None:
    extra = Column("MUTAG, norm", "MUTAG", always(batch_norm=True), backbones=("gcn",))
    wider = replace(toy, columns=[*toy.columns, extra])
    places = {(cell.backbone, cell.column) for cell in wider.grid(Scope())}
    assert ("gcn", "MUTAG, norm") in places
    assert ("gin", "MUTAG, norm") not in places
    assert len(wider.grid(Scope())) == len(toy.grid(Scope())) + len(toy.arms)
    table = wider.render(Scope(seeds=1), {})
    assert table.columns("gcn") == ["MOTIF, 20 %", "MUTAG", "MUTAG, norm"]
    assert table.columns("gin") == ["MOTIF, 20 %", "MUTAG"]
    assert wider.grid(Scope(("MUTAG, norm",), ("gin",))) == []


def test_one_column_of_a_dataset() -> None:
    scope = Scope(datasets=("20 graphs",), seeds=1, search=False)
    assert names(experiment_named("motif"), scope)[2] == ["20 graphs"]
    everything = Scope(datasets=("MOTIF",), seeds=1, search=False)
    assert len(names(experiment_named("motif"), everything)[2]) == 3


def test_changes_depend_on_the_seed_only_if_they_say_so() -> None:
    assert always(epochs=3)(0) == always(epochs=3)(9) == {"epochs": 3}
    runs = experiment_named("motif").runs(Scope(seeds=2, methods=("vanilla",)))
    assert {(run.seed, run.dataset_options["seed"]) for run in runs} == {(0, 1000), (1, 1001)}


def test_a_table_is_what_was_run(toy: Experiment, keep: Callable[..., str], store: Store) -> None:
    (first, *_) = toy.grid(Scope())
    keep(first.configs[0], test=0.625)
    table = toy.render(Scope(), store.records())
    assert (table.name, table.title, table.note, table.reference) == (
        toy.name,
        toy.title,
        toy.note,
        "Vanilla",
    )
    assert table.cell(first.backbone, first.row, first.column).scores("test") == {0: 62.5}
    assert sum(len(cell.runs) for cell in table.cells) == 1
