"""The benchmark of bf16 trains in it on one side alone; its speed is not tested."""

from __future__ import annotations

import pytest
import torch

from smixup.app.bench.precision import compare_precision, epoch_in
from smixup.app.bench.settings import Settings
from smixup.classifiers import GIN
from smixup.datasets import Dataset
from smixup.graphs import Graphs


@pytest.mark.parametrize("half", [True, False])
def test_an_epoch_in_the_precision_asked_for(graphs: Graphs, half: bool) -> None:
    model, seen = GIN(3, 2, 8, 2), set()
    model.layers[1].first.register_forward_hook(lambda *call: seen.add(call[2].dtype))
    before = [each.clone() for each in model.parameters()]
    epoch_in(model, graphs, half)()
    assert seen == {torch.bfloat16 if half else torch.float}
    assert all(each.dtype == torch.float for each in model.parameters())
    assert any((a != b).any() for a, b in zip(before, model.parameters(), strict=True))


def test_both_backbones(monkeypatch: pytest.MonkeyPatch, graphs: Graphs) -> None:
    monkeypatch.setattr(Settings, "loaded", lambda self: iter([Dataset("tiny", graphs)]))
    found = list(compare_precision(Settings(("tiny",), 1, None, 4, pytest.fail)))
    cases = [f"{name} of 300 channels, bf16 : 32" for name in ("gcn", "gin")]
    assert [each.case for each in found] == cases
    assert all(each.ours > 0 and each.reference > 0 for each in found)
