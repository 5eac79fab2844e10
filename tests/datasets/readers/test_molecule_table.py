"""Scaffolds are a column like others, computed when it is asked for."""

from __future__ import annotations

import pytest

from smixup.datasets.readers import molecule_table
from smixup.datasets.readers.molecule_table import MoleculeTable


def test_scaffolds_are_computed_once_and_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def scaffolds(smiles: tuple[str, ...]) -> tuple[str, ...]:
        asked.append(smiles)
        return ("ring",)

    monkeypatch.setattr(molecule_table, "scaffolds_of", scaffolds)
    table = MoleculeTable({"s": ("C",), "y": ("1",)}, "s")
    assert list(table) == ["s", "y"]
    assert (len(table), table["y"], asked) == (2, ("1",), [])
    assert dict(table) == {"s": ("C",), "y": ("1",)}
    assert table["scaffold"] == ("ring",)
    assert (len(table), asked) == (2, [("C",)])
    with pytest.raises(KeyError):
        table["z"]


def test_a_column_of_this_name_stays() -> None:
    table = MoleculeTable({"s": ("C",), "scaffold": ("own",)}, "s")
    assert (list(table), table["scaffold"]) == (["s", "scaffold"], ("own",))
