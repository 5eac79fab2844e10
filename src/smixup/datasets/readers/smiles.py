"""A table with a molecule in every row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.molecules import (
    ATOM_VALUES,
    BOND_VALUES,
    Molecules,
    MoleculeTable,
    read_molecules,
)
from smixup.datasets.readers.assembly import dataset_of, graphs_of, one_hot_columns
from smixup.datasets.readers.labels import Answers, known_task, read_targets, target_names
from smixup.datasets.readers.registry import options_of
from smixup.datasets.readers.tables import Table, listed, read_table, require_column
from smixup.errors import SmixupError, UsageError, require, shown
from smixup.graphs.ragged import offsets

USUAL = (
    *("smiles", "smile", "smi", "mol", "molecule", "structure", "smiles_string"),
    *("canonical_smiles", "isomeric_smiles", "standardized_smiles"),
)
"""Names that a column of SMILES usually has, in any case."""
EDGES = {"source", "target"}
"""Columns by which a table of edges is known that somebody takes for one of molecules."""
SHOWN, LONG = 3, 60
REFUSE, SKIP, LIST = "refuse", "skip", "list"


def read_smiles(
    path: Path,
    like: Reading | None = None,
    *,
    smiles: str = "",
    target: str = "",
    task: str = "",
    metric: str = "",
    invalid: str = REFUSE,
) -> Dataset:
    """Molecules as SMILES with targets, one per row of a table (CSV or parquet).

    Atoms and bonds are one-hot by OGB's vocabularies (`datasets/molecules.py`): 174 features of an
    atom, and 13 of a bond in `edge_attrs["edge_attr"]`, in both directions. All columns stay in
    `Dataset.table`, and scaffolds are there as `scaffold`.

    Args:
        path: of the table.
        like: of molecules that were read before: columns and classes are theirs, and targets may
            be missing.
        smiles: the column of SMILES; by default the one with a usual name, such as `smiles`.
        target: the column to predict, or several parted by commas; by default the only other one.
        task: `classes`, `labels` or `values`; by default what `task_of_columns` says.
        metric: what is reported; by default the usual one of the task.
        invalid: what to do with rows that RDKit cannot read: `refuse` them and name the first,
            `list` them all instead, or `skip` them.

    Example::

        dataset = load_dataset("molecules.csv", target="active", invalid="skip")
        dataset.notes                     # what was read as what
        dataset.table["scaffold"]         # computed now
    """
    known = known_task(like)
    given = {"smiles": smiles, "target": target, "task": task, "metric": metric, "invalid": invalid}
    options, _ = options_of(read_smiles, given, like)
    invalid = options["invalid"]
    require(invalid in (REFUSE, SKIP, LIST), "invalid", invalid, f"{REFUSE}, {LIST} or {SKIP}")
    path = Path(path)
    table = read_table(path)
    smiles = _smiles_column(path, table, str(options["smiles"]))
    targets = target_names(table, smiles, str(options["target"]), path.name, known, usual=())
    if not table[smiles]:
        raise SmixupError(f"{path.name} has no rows behind its first line.")
    found = read_molecules(table[smiles])
    notes = _left_out(path, table[smiles], found, smiles, invalid)
    without = {at: {name: cells[at] for name, cells in table.items()} for at in found.invalid}
    rows = [at + 1 for at in range(len(table[smiles])) if at not in without]
    table = {name: tuple(cells[row - 1] for row in rows) for name, cells in table.items()}
    columns = {name: table[name] for name in targets}
    asked, y, note = read_targets(columns, task, known, path.name, rows)
    graphs = graphs_of(
        offsets(torch.from_numpy(found.sizes)),
        one_hot_columns(found.atoms, ATOM_VALUES),
        torch.from_numpy(found.ends).T,
        edge_attr=one_hot_columns(found.bonds, BOND_VALUES),
        both_ways=True,
    )
    answered = Answers(asked, y, MoleculeTable(table, smiles, without), (), (note,))
    options |= {"smiles": smiles, "target": options["target"] or ",".join(targets)}
    reading = Reading("smiles", options | {"task": asked.kind}, {})
    return dataset_of(path, graphs, answered, reading, notes)


def _smiles_column(path: Path, table: Table, given: str) -> str:
    if given:
        require_column(path.name, given, tuple(table))
        return given
    usual = [name for name in table if name.lower().replace(" ", "_") in USUAL]
    if len(usual) == 1:
        return usual[0]
    if not usual and {name.lower() for name in table} >= EDGES:
        raise UsageError(
            f"{path.name} has columns of edges and none of molecules: put it into a folder as "
            f"edges{path.suffix}, beside a table graphs.csv with the targets, and name the folder."
        )
    which = "several columns that may hold" if usual else "no column that is known to hold"
    raise UsageError(
        f"{path.name} has {which} SMILES among {listed(usual or tuple(table))}: name it by "
        "smiles=COLUMN (--data smiles=COLUMN)."
    )


def _left_out(
    path: Path, smiles: Sequence[str], found: Molecules, column: str, invalid: str
) -> tuple[str, ...]:
    """Refuse texts that are no molecules, or say which are skipped."""
    if not found.invalid:
        return ()
    number, total = len(found.invalid), len(smiles)
    most = number if invalid == LIST else SHOWN
    some = ", ".join(f"row {at + 1} '{shown(smiles[at], LONG)}'" for at in found.invalid[:most])
    some += f", and {number - most:,} more" if number > most else ""
    words = f"{number:,} of {total:,} rows of {path.name} hold no molecule"
    if invalid == SKIP and number < total:
        return (f"{words} and are left out: {some}.",)
    raise SmixupError(
        f"{words} in column '{column}': {some}; name another column by smiles=COLUMN, or correct "
        "them, or leave them out by invalid=skip (--data invalid=skip); invalid=list names all."
    )
