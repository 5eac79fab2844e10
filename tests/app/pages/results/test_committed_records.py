"""Exports become records; the last of several counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.tables.export import to_csv
from smixup.errors import SmixupError
from smixup.files import write_whole


def test_of_a_run_that_was_done_twice_the_last_counts(
    committed: CommittedRecords, tmp_path: Path
) -> None:
    table = committed.table("few-labels")
    again = {
        id: replace(record, id=f"again {id}", finished="2999", seconds=99.0)
        for id, record in committed.records.items()
    }
    for name, records in (("b_first", committed.records), ("a_again", again)):
        write_whole(tmp_path / f"{name}.csv.gz", to_csv(table, records, {}), "the runs")
    found = CommittedRecords.of_folder(tmp_path)
    assert found.records.keys() == committed.records.keys()
    assert {record.seconds for record in found.records.values()} == {99.0}


def test_a_folder_without_exports(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"no records \(\*\.csv\.gz\) in"):
        CommittedRecords.of_folder(tmp_path)
