"""The records behind the page: exports of sweeps, read without a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from smixup.app.sweeps.merging import read_source
from smixup.app.sweeps.record import Record
from smixup.app.tables.judged import Comparison, compare_rows
from smixup.app.tables.registry import experiment_named
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope
from smixup.errors import SmixupError

PATTERN = "*.csv.gz"


@dataclass(frozen=True)
class CommittedRecords:
    """Runs as the page reads them.

    Attributes:
        records: by the identity that their configurations have today, whatever code ran them.
        kept: their predictions, by the identity that they had when they were run.
        folder: where they stand.
    """

    records: Mapping[str, Record]
    kept: Mapping[str, bytes]
    folder: Path
    _tables: dict[tuple[str, Scope], ResultTable] = field(
        default_factory=dict, compare=False, repr=False
    )
    _comparisons: dict[tuple[str, Scope, str, str, str], Comparison] = field(
        default_factory=dict, compare=False, repr=False
    )

    @classmethod
    def of_folder(cls, folder: Path) -> CommittedRecords:
        """Read all exports in a folder; of a run that was done several times, the last."""
        paths = sorted(folder.glob(PATTERN))
        if not paths:
            raise SmixupError(f"there are no records ({PATTERN}) in {folder}; name another folder.")
        runs = [run for path in paths for run in read_source(path).runs]
        runs.sort(key=lambda run: (run.done, run.finished))
        kept = {run.id: run.result.predictions for run in runs if run.result is not None}
        today = {id: run for run in runs if (id := run.current_id()) is not None}
        return cls(today, kept, folder)

    def table(self, name: str) -> ResultTable:
        """Return an experiment at the defaults of its methods, as far as it was run."""
        return self._rendered(name, Scope(search=False))

    def searched_table(self, name: str) -> ResultTable:
        """Return an experiment at the settings that its validation scores choose."""
        return self._rendered(name, Scope())

    def compare(
        self, table: ResultTable, row: str, against: str, outcome: str = "accuracy"
    ) -> Comparison:
        """Compare two rows of a table; what several parts of the page ask is computed once."""
        asked = (table.name, table.scope, row, against, outcome)
        if asked not in self._comparisons:
            self._comparisons[asked] = compare_rows(table, self.kept, row, against, outcome)
        return self._comparisons[asked]

    def _rendered(self, name: str, scope: Scope) -> ResultTable:
        place = (name, scope)
        if place not in self._tables:
            self._tables[place] = experiment_named(name).render(scope, self.records)
        return self._tables[place]
