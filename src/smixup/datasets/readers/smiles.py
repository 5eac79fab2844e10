"""A table with a molecule in every row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.molecules import (
    ATOM_VALUES,
    BOND_VALUES,
    MoleculeTable,
    read_molecules,
)
from smixup.datasets.readers.assembly import dataset_of, graphs_of, one_hot_columns
from smixup.datasets.readers.labels import answers
from smixup.datasets.readers.registry import options_of
from smixup.datasets.tables import Table, read_table, require_column
from smixup.errors import SmixupError, UsageError, require, shown
from smixup.graphs.ragged import offsets

USUAL = (
    *("smiles", "smile", "smi", "mol", "molecule", "structure", "smiles_string"),
    *("canonical_smiles", "isomeric_smiles", "standardized_smiles"),
)
"""Names that a column of SMILES usually has, in any case."""
SHOWN, LONG = 3, 60
REFUSE, SKIP = "refuse", "skip"


def read_smiles(
    path: Path,
    like: Reading | None = None,
    smiles: str = "",
    target: Any = None,
    task: str = "",
    invalid: str = REFUSE,
) -> Dataset:
    """Molecules as SMILES with targets, one per row of a table (CSV or parquet).

    Atoms and bonds are one-hot by OGB's vocabularies (`datasets/molecules.py`): 174 features of an
    atom, and 13 of a bond in `edge_attrs["edge_attr"]`, in both directions. All columns stay in
    `Dataset.table`, and scaffolds are there as `scaffold`.

    Args:
        path: of the table.
        smiles: the column of SMILES; by default the one with a usual name, such as `smiles`.
        invalid: what to do with rows that RDKit cannot read: `refuse` or `skip` them.
        like, target, ...: see `readers.registry`.
    """
    options = options_of(read_smiles, locals(), like)
    invalid = options["invalid"]
    require(invalid in (REFUSE, SKIP), "invalid", invalid, f"{REFUSE} or {SKIP}")
    path = Path(path)
    table = read_table(path)
    smiles = _smiles_column(path, table, str(options["smiles"]))
    if not table[smiles]:
        raise SmixupError(f"{path.name} has no rows behind its first line.")
    found = read_molecules(table[smiles])
    notes = _left_out(path, table[smiles], found.invalid, invalid)
    without = {at: {name: cells[at] for name, cells in table.items()} for at in found.invalid}
    rows = [row for row in range(len(table[smiles])) if row not in without]
    answered = answers(table, rows, smiles, options, like, path.name)
    graphs = graphs_of(
        offsets(torch.from_numpy(found.sizes)),
        one_hot_columns(found.atoms, ATOM_VALUES),
        torch.from_numpy(found.ends).T,
        edge_attr=one_hot_columns(found.bonds, BOND_VALUES),
        both_ways=True,
    )
    answered = answered._replace(table=MoleculeTable(answered.table, smiles, without))
    reading = Reading("smiles", options | {"smiles": smiles}, {})
    return dataset_of(path, graphs, answered, reading, notes)


def _smiles_column(path: Path, table: Table, given: str) -> str:
    if given:
        require_column(path.name, given, table)
        return given
    usual = [name for name in table if name.lower().replace(" ", "_") in USUAL]
    if len(usual) == 1:
        return usual[0]
    which = "several columns that may hold" if usual else "no column that is known to hold"
    raise UsageError(
        f"{path.name} has {which} SMILES among {', '.join(usual or table)}: name it by "
        "smiles=COLUMN (--data smiles=COLUMN); a table of edges stands in a folder, as edges.csv."
    )


def _left_out(
    path: Path, smiles: Sequence[str], odd: Sequence[int], invalid: str
) -> tuple[str, ...]:
    """Refuse texts that are no molecules, or say which are skipped."""
    if not odd:
        return ()
    some = ", ".join(f"row {at + 1} '{shown(smiles[at], LONG)}'" for at in odd[:SHOWN])
    some += ", ..." if len(odd) > SHOWN else ""
    words = f"{len(odd):,} of {len(smiles):,} rows of {path.name} hold no molecule"
    if invalid == SKIP and len(odd) < len(smiles):
        return (f"{words} and are left out: {some}.",)
    raise SmixupError(
        f"{words}: {some}; name another column by smiles=COLUMN, or correct them, or leave them "
        "out by invalid=skip (--data invalid=skip)."
    )
