"""A table of molecules some rows of which hold none."""

from __future__ import annotations

from collections.abc import Mapping

from smixup.datasets.readers.molecule_table import MoleculeTable


class PartialTable(MoleculeTable):
    """The rows that hold molecules, and beside them those that do not: whoever writes the table
    again can put each row where it was.

    Attributes:
        left_out: the cells of a row by the names of their columns, by the place of the row in the
            file, counted from 0.
    """

    def __init__(
        self,
        columns: Mapping[str, tuple[str, ...]],
        smiles: str,
        left_out: Mapping[int, Mapping[str, str]],
    ) -> None:
        """Take the columns of molecules, the name of that with SMILES, and the other rows."""
        super().__init__(columns, smiles)
        self.left_out = dict(left_out)
