"""Losses are pooled over datasets, and errors of calibration told before and after scaling."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from simulated_runs import predictions

from smixup.app.pages.results.calibration import calibration
from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.sweeps.store import Store
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope

LOSSES = ("log loss", "log loss, scaled", "Brier score", "Brier score, scaled")
SHARES = {"Vanilla": 0.6, "S-Mixup": 0.7, "random one-to-one": 0.64}
PART = Scope(("MUTAG-25", "PROTEINS-25"), ("gin",), tuple(SHARES), seeds=3, search=False)


class PartOfRecords(CommittedRecords):
    """A table as small as what was run: that of all seeds and columns takes a second."""

    def table(self, name: str) -> ResultTable:
        return self._rendered(name, PART)


@pytest.fixture
def part(keep: Callable[..., str], store: Store, tmp_path: Path) -> PartOfRecords:
    """S-Mixup is right more often than Vanilla, as sure as ever; all have an error of 12.5 %."""
    for cell in experiment_named("few-labels").grid(PART):
        for config in cell.configs:
            more = 0.02 * config.seed if cell.row == "S-Mixup" else 0.0
            said = predictions(config.seed, SHARES[cell.row] + more)
            keep(config, predictions=said, calibration_error=0.125)
    return PartOfRecords(store.records(), store.predictions(), tmp_path)


def rows_of(text: str) -> list[list[str]]:
    """The cells of a Markdown table, without the line below its head."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    return [cells[0], *cells[2:]]


def test_every_loss_is_pooled_where_it_was_run(part: PartOfRecords) -> None:
    head, *rows = rows_of(calibration(part).split("\n\n")[0])
    assert head[1:4] == ["datasets", "S-Mixup less Vanilla", "random one-to-one less Vanilla"]
    assert [row[0] for row in rows] == [f"{loss}, 25 labels" for loss in LOSSES]
    for _, datasets, *differences, _ in rows:
        ours, random = (float(each.strip("*").split()[0]) for each in differences)
        assert datasets == "2"
        assert ours < random < 0, "more is right, so the loss is lower"


def test_errors_are_told_by_dataset_before_and_after_scaling(part: PartOfRecords) -> None:
    without = PartOfRecords(part.records, {}, part.folder)
    for records, scaled in ((part, True), (without, False)):
        head, *rows = rows_of(calibration(records).split("\n\n")[1])
        pairs = [each for row in SHARES for each in (row, f"{row}, scaled")]
        assert head == ["calibration error, %", *pairs]
        assert [row[0] for row in rows] == ["PROTEINS-25, GIN", "MUTAG-25, GIN"]
        for _, *cells in rows:
            assert cells[::2] == ["12.5"] * 3, "that of the record"
            assert all(cells[1::2]) if scaled else not any(cells[1::2]), "it takes predictions"
