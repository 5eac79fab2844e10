"""Couplings are compared at equal work, in time and in what they are worth."""

from __future__ import annotations

import pytest

from smixup.app.bench.settings import Settings
from smixup.app.bench.transport import compare_couplings
from smixup.datasets import Dataset
from smixup.graphs import Graphs


def test_speed_and_distortion(monkeypatch: pytest.MonkeyPatch, graphs: Graphs) -> None:
    monkeypatch.setattr(Settings, "loaded", lambda self: iter([Dataset("tiny", graphs)]))
    speed, worth = compare_couplings(Settings(("tiny",), 1, None, 12, lambda text: None))
    assert (speed.case, speed.unit) == ("12 pairs", "pairs/s")
    assert speed.ours > 0
    assert worth.reference is not None
    assert 0 < worth.ours < 1.1 * worth.reference
