"""A source is one function and one line: the dataset is then known by name, with its options."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from smixup.datasets import Dataset, import_archive, load_dataset
from smixup.datasets.catalogue import available_datasets, canonical_name
from smixup.datasets.motif import motif_dataset
from smixup.datasets.ogb import ogb_dataset
from smixup.datasets.sources import SOURCES, source_of
from smixup.datasets.tu import tu_dataset
from smixup.errors import SmixupError, UsageError


def rings(num_graphs: int = 9) -> Dataset:
    return replace(motif_dataset(num_graphs), name="RINGS")


def file_names(root: Path, name: str, suffix: str = "txt") -> Dataset:
    names = sorted(path.name for path in (root / name).glob(f"*.{suffix}"))
    return replace(motif_dataset(1), name=" ".join(names))


def test_every_source_is_the_function_itself() -> None:
    found = [SOURCES.factory(source_of(name)) for name in ("MOTIF", "ogbg-molhiv", "NCI1", "X")]
    assert found == [motif_dataset, ogb_dataset, tu_dataset, tu_dataset]


def test_a_new_one_is_one_line(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES.entries, "RINGS", rings)
    assert canonical_name("rings") == "RINGS"
    assert len(load_dataset("Rings", root).graphs) == 9
    assert len(load_dataset("RINGS", root, num_graphs=3).graphs) == 3
    assert [entry.name for entry, here in available_datasets(root).items() if here] == [
        "MOTIF",
        "THREADS-5K",
        "RINGS",
    ]
    with pytest.raises(UsageError, match="RINGS has no option 'seed'; it has num_graphs"):
        load_dataset("RINGS", root, seed=1)


def test_one_that_reads_files_is_told_where(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES.entries, "FILES", file_names)
    (root / "FILES").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "c.csv"):
        (root / "FILES" / name).touch()
    assert load_dataset("files", root).name == "a.txt b.txt"
    assert load_dataset("files", root, suffix="csv").name == "c.csv"


def test_its_name_is_taken(tiny: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES.entries, "Tiny", rings)
    with pytest.raises(SmixupError, match="'TINY' cannot be the name"):
        import_archive(tiny, root)
