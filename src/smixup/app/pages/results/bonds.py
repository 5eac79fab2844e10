"""The rehearsal on molecules with bonds: what its runs brought, seed by seed."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.words import markdown_table
from smixup.app.tables.cell import FilledCell
from smixup.app.tables.definitions.bonds import EXPERIMENT, REHEARSAL
from smixup.app.tables.published import MOLHIV
from smixup.app.tables.result import ResultTable

PLAIN, MIXED = (arm.name for arm in EXPERIMENT.arms)


def rehearsal(committed: CommittedRecords) -> str:
    """Show test scores, differences at the seeds that both arms have, and the time of an epoch; no
    interval, as so few runs carry none.
    """
    table = committed.table(EXPERIMENT.name)
    done = sum(len(cell.runs) for cell in table.cells)
    wanted = sum(len(cell.configs) for cell in table.cells)
    words = f"{done} of {wanted} runs are on record, of {REHEARSAL['epochs']} epochs each."
    if not done:
        return words
    head = ["", "seeds", PLAIN, MIXED, f"{MIXED} less {PLAIN}"]
    head += [f"{PLAIN}, s per epoch", f"{MIXED}, s per epoch"]
    return f"{words}\n\n{markdown_table(head, _rows(table))}"


def _rows(table: ResultTable) -> Iterator[list[str]]:
    for backbone in table.backbones:
        plain, mixed = (table.cell(backbone, row, MOLHIV) for row in (PLAIN, MIXED))
        without, with_ = plain.scores("test"), mixed.scores("test")
        both = sorted(without.keys() & with_.keys())
        yield [
            f"`{backbone}`",
            _listed(sorted(without.keys() | with_.keys()), "d"),
            _listed([without[seed] for seed in sorted(without)], ".1f"),
            _listed([with_[seed] for seed in sorted(with_)], ".1f"),
            _listed([with_[seed] - without[seed] for seed in both], "+.1f"),
            _per_epoch(plain),
            _per_epoch(mixed),
        ]


def _listed(numbers: list[float] | list[int], form: str) -> str:
    return ", ".join(format(each, form) for each in numbers)


def _per_epoch(cell: FilledCell) -> str:
    results = [record.result for record in cell.runs.values() if record.result is not None]
    return f"{fmean(each.seconds / each.epochs for each in results):.0f}" if results else ""
