"""Benchmarks run offline too: MOTIF stands in, and the user is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.app.bench import settings as module
from smixup.app.bench.settings import Settings
from smixup.datasets import Dataset, load_dataset
from smixup.errors import SmixupError, UsageError


def offline(name: str, root: Path | None) -> Dataset:
    if name == "TYPO":
        raise UsageError("unknown dataset 'TYPO'.")
    if name != "MOTIF":
        raise SmixupError(f"{name} is not here.")
    return load_dataset("MOTIF", root, num_graphs=6)


def test_motif_stands_in_once_with_a_note_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_dataset", offline)
    notes: list[str] = []
    found = list(Settings(("NCI1", "IMDB-BINARY"), 1, None, None, notes.append).loaded())
    assert [dataset.name for dataset in found] == ["MOTIF"]
    assert found[0].graphs.num_features > 0
    assert notes == [
        f"MOTIF stands in for {name}: {name} is not here." for name in ("NCI1", "IMDB-BINARY")
    ]


def test_a_wrong_name_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "load_dataset", offline)
    with pytest.raises(UsageError, match="TYPO"):
        list(Settings(("TYPO",), 1, None, None, lambda text: None).loaded())
