"""--root, else SMIXUP_ROOT, else the platform's folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs import user_data_path

from smixup.datasets.location import data_root


def test_order_of_precedence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SMIXUP_ROOT", str(tmp_path / "named"))
    assert data_root(tmp_path / "given") == tmp_path / "given"
    assert data_root() == tmp_path / "named"
    monkeypatch.setenv("SMIXUP_ROOT", "")
    assert data_root() == user_data_path("smixup", appauthor=False)
    monkeypatch.delenv("SMIXUP_ROOT")
    assert data_root(None) == user_data_path("smixup", appauthor=False)


def test_home_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMIXUP_ROOT", "~/graphs")
    assert data_root() == Path.home() / "graphs"
