"""The cost of S-Mixup is measured with mixes in it."""

from __future__ import annotations

import pytest

from smixup.app.bench.epoch import compare_epochs, compare_methods
from smixup.app.bench.settings import Settings
from smixup.app.runs.registry import METHODS, SAME_NODES
from smixup.datasets import Dataset
from smixup.graphs import Graphs


@pytest.mark.slow
def test_both_backbones_are_compared(monkeypatch: pytest.MonkeyPatch, graphs: Graphs) -> None:
    monkeypatch.setattr(Settings, "loaded", lambda self: iter([Dataset("tiny", graphs)]))
    found = list(compare_epochs(Settings(("tiny",), 1, None, None, lambda text: None)))
    assert [each.case.split(",")[0] for each in found] == ["gcn", "gin"]
    assert all(each.ours > 0 and each.reference > 0 for each in found)


def test_every_method_is_compared(monkeypatch: pytest.MonkeyPatch, graphs: Graphs) -> None:
    monkeypatch.setattr(Settings, "loaded", lambda self: iter([Dataset("tiny", graphs)]))
    found = list(compare_methods(Settings(("tiny",), 1, None, None, lambda text: None)))
    names = {each.case.split(", ")[1].split(" :")[0] for each in found}
    assert names == set(METHODS) - {"vanilla", "s-mixup"} - SAME_NODES
    before = {each.case.split(", ")[1] for each in found if each.case.startswith("before")}
    assert before == {"g-mixup", "fgw-mixup", "geomix", "ged-mixup"}
