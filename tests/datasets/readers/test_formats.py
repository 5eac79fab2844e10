"""Every reader tells what it reads, which options it has, and how it is called."""

from __future__ import annotations

from smixup.datasets.readers.formats import formats
from smixup.datasets.readers.registry import EXAMPLES, READERS, RECOGNISED


def test_every_reader_is_there_with_a_sentence() -> None:
    found = {each.name: each for each in formats()}
    assert set(READERS) < set(found)
    for each in found.values():
        assert each.reads.endswith("."), each.name
        assert "\n" not in each.reads
        assert each.example.startswith("smixup ")
        assert not {"path", "like", "name", "root"} & set(each.options)


def test_names_are_those_of_readers() -> None:
    assert set(EXAMPLES) <= set(READERS)
    assert set(RECOGNISED) == set(READERS)


def test_defaults_are_shown() -> None:
    smiles = next(each for each in formats() if each.name == "smiles")
    assert smiles.options == ("smiles", "target", "task", "metric", "invalid=refuse")
