"""What is known of molecules besides their graphs: the columns of a table, and scaffolds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from smixup.datasets.readers.molecules import scaffolds_of

SCAFFOLD = "scaffold"


class MoleculeTable(Mapping[str, tuple[str, ...]]):
    """Columns by name; Bemis-Murcko scaffolds are computed when somebody asks for the column
    `scaffold`. A table that has a column of this name keeps its own. Whoever goes through the table
    finds the columns that were given, and no more.
    """

    def __init__(self, columns: Mapping[str, tuple[str, ...]], smiles: str) -> None:
        """Take the columns, and the name of the one with SMILES."""
        self._columns, self.smiles = dict(columns), smiles

    def __getitem__(self, name: str) -> tuple[str, ...]:
        if name == SCAFFOLD and name not in self._columns:
            return self._scaffolds
        return self._columns[name]

    @cached_property
    def _scaffolds(self) -> tuple[str, ...]:
        return scaffolds_of(self._columns[self.smiles])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)
