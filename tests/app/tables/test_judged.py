"""One row against another, cell by cell and over datasets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from simulated_runs import predictions

from smixup.app.evidence.holm import holm
from smixup.app.sweeps.store import Store
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.judged import compare_rows
from smixup.app.tables.scope import Scope

PART = Scope(search=False)
SHARES = {"Vanilla": (0.60, 0.62, 0.61, 0.63), "M-Mixup": (0.70, 0.73, 0.70, 0.74)}


@pytest.fixture
def filled(toy: Experiment, keep: Callable[..., str], store: Store) -> Store:
    for cell in toy.grid(PART):
        for config in cell.configs if cell.row in SHARES else ():
            share = SHARES[cell.row][config.seed] + 0.01 * (cell.column == "MUTAG") * (
                cell.row == "M-Mixup"
            )
            keep(config, predictions=predictions(config.seed, share))
    return store


def test_all_cells_with_both_rows(filled: Store, toy: Experiment) -> None:
    table = toy.render(PART, filled.records())
    found = compare_rows(table, filled.predictions(), "M-Mixup", "Vanilla")
    assert set(found.by_place) == {
        (backbone, column) for backbone in ("gcn", "gin") for column in ("MOTIF, 20 %", "MUTAG")
    }
    assert {each.runs for each in found.cells} == {4}
    means = {place: cell.estimate.mean for place, cell in found.by_place.items()}
    assert means["gin", "MUTAG"] - means["gin", "MOTIF, 20 %"] == pytest.approx(1, abs=0.5)
    assert [each.adjusted_p for each in found.cells] == pytest.approx(
        list(holm([each.estimate.p for each in found.cells]))
    )
    other = compare_rows(table, filled.predictions(), "no alignment, lambda in [0, 1]", "Vanilla")
    assert not other.cells


def test_one_estimate_over_datasets(filled: Store, toy: Experiment) -> None:
    table = toy.render(PART, filled.records())
    found = compare_rows(table, filled.predictions(), "M-Mixup", "Vanilla")
    pooled = found.pooled(["MOTIF, 20 %", "MUTAG"])
    assert pooled is not None
    assert pooled.estimate.number == 2, "backbones are averaged, not counted twice"
    means = [each.estimate.mean for each in found.cells]
    assert min(means) < pooled.estimate.mean < max(means)
    assert found.pooled(["MUTAG", "NCI1"]) is None


def test_two_splits_of_a_dataset_do_not_weigh_in(filled: Store, toy: Experiment) -> None:
    records = {
        id: record
        for id, record in filled.records().items()
        if record.config["dataset"] != "MUTAG" or record.config["seed"] < 2
    }
    found = compare_rows(toy.render(PART, records), filled.predictions(), "M-Mixup", "Vanilla")
    assert ("gin", "MUTAG") in found.by_place, "it is shown,"
    assert list(found.by_column(["MOTIF, 20 %", "MUTAG"])) == ["MOTIF, 20 %"], "and not pooled"
    assert found.pooled(["MOTIF, 20 %", "MUTAG"]) is None
