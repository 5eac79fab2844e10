"""Symbols of elements are those of RDKit's periodic table, and there is one for each value."""

from __future__ import annotations

import pytest

from smixup.datasets.atoms import ATOM_VALUES, SYMBOLS


def test_every_value_of_the_first_column_has_a_symbol() -> None:
    assert len(SYMBOLS) == ATOM_VALUES[0]
    assert len(set(SYMBOLS)) == len(SYMBOLS)
    assert SYMBOLS[-1] == "?", "any other element"


def test_symbols_are_those_of_the_periodic_table() -> None:
    chem = pytest.importorskip("rdkit.Chem", reason="rdkit is not installed")
    table = chem.GetPeriodicTable()
    assert list(SYMBOLS[:-1]) == [table.GetElementSymbol(number) for number in range(1, 119)]
