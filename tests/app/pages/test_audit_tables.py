"""The tables of an audit, from made-up numbers."""

from __future__ import annotations

import pytest

from smixup.analysis.drift import Drift
from smixup.analysis.interpolation import InterpolationError
from smixup.analysis.label_fidelity import LabelFidelity
from smixup.analysis.row_sums import RowSums
from smixup.analysis.transport_error import TransportError
from smixup.app.pages.audit_tables import RATIOS, markdown, tables
from smixup.app.studies import audit_rows
from smixup.app.studies.audit_report import AlignmentQuality, Audited, AuditReport, Effort
from smixup.app.studies.properties import Properties

FULL = Audited(
    title="mine",
    method="s-mixup",
    settings={},
    mixes=40,
    pairs=0.9,
    lam=0.75,
    edit=InterpolationError(0.125, 0.1, 0.15, 0.5, 1.5, 20),
    transport=TransportError(0.0625, 1.25, 20),
    label=LabelFidelity(0.4, 0.3, 0.1, 15),
    drift=Drift(1.1, 0.2, 0.9, 0.3, 0.05, 40),
    duplicates=0.025,
    outside=0.5,
    originals_std=0.61,
    alignment=AlignmentQuality(RowSums(1.01, 0.5, 7.0), 0.58, 0.95),
    properties=Properties(True, 0.95, True, True, 0.0),
    seconds=1.0,
)
EMPTY = Audited(
    "other", "m-mixup", {}, 40, *[None] * 10, Properties(True, None, True, False, 0.0), 1.0
)  # type: ignore[arg-type]


@pytest.fixture
def report() -> AuditReport:
    return AuditReport("MOTIF", 3, "gin", 0.98, "uniform", 30, 1, Effort(), [FULL, EMPTY])


def test_cells(report: AuditReport) -> None:
    lie, say, see, aligned, properties = tables(report)
    assert list(lie.rows[0]) == [
        *("mine", "36", "0.75", "0.125", "0.10-0.15", "50%", "1.50"),
        *("0.062", "1.25"),
    ]
    assert list(say.rows[0]) == ["mine", "15", "0.400", "0.300", "0.100", "1.33"]
    assert list(see.rows[0]) == [
        *("mine", "1.10", "0.20", "0.90", "0.30", "0.05", "50.0%", "2.5%", "0.61")
    ]
    assert list(aligned.rows[0]) == ["mine", "1.01", "0.50", "7.00", "0.58", "0.95"]
    assert list(properties.rows[0]) == ["mine", "✓", "✓ 95%", "✓", "✓", "✓ 0.00"]


def test_a_dash_for_what_a_method_does_not_have(report: AuditReport) -> None:
    lie, say, see, aligned, _ = tables(report)
    assert list(lie.rows[1]) == ["other", *["-"] * 8]
    assert list(say.rows[1]) == ["other", *["-"] * 5]
    assert list(see.rows[1]) == ["other", *["-"] * 8]
    assert len(aligned.rows) == 1, "methods without matcher are left out"


def test_every_row_has_a_cell_per_column(report: AuditReport) -> None:
    for table in tables(report):
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_no_table_of_alignments_without_matchers() -> None:
    report = AuditReport("MOTIF", 3, "gin", 0.98, "own", 30, 12, Effort(), [EMPTY])
    assert len(tables(report)) == 4


def test_markdown_and_what_was_measured(report: AuditReport) -> None:
    text = markdown(report)
    assert "**MOTIF: where mixes lie**\n\n| method | pairs |" in text
    assert "|---|---|---|---|---|---|\n| mine | 1.01 |" in text
    assert "| outside | duplicates | std of originals |" in text
    for words in ("among 1 graph up to 16 nodes", "30 held-out graphs", "GIN that is right on 98%"):
        assert words in text
    assert RATIOS.keys() == audit_rows.RATIOS.keys()
