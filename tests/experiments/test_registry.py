"""Every registered name can be built; a wrong one suggests a right one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from smixup.augment import Augmentation
from smixup.errors import UsageError
from smixup.experiments.registry import BACKBONES, METHODS, make_backbone, make_method
from smixup.graphs import GraphSet
from smixup.progress import Report, silent


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_is_an_augmentation(name: str) -> None:
    assert isinstance(make_method(name, 0, {}), Augmentation)


@pytest.mark.parametrize("name", list(BACKBONES))
def test_every_backbone_classifies_graphs_of_the_given_width(name: str, graphs: GraphSet) -> None:
    logits = make_backbone(name, graphs, hidden_channels=4, num_layers=1)(graphs[torch.arange(7)])
    assert logits.shape == (7, 2)


def test_wrong_names() -> None:
    with pytest.raises(UsageError, match=r"unknown method 'vanila'\. Did you mean 'vanilla'"):
        make_method("vanila", 0, {})
    with pytest.raises(UsageError, match=r"unknown backbone 'gim'\. Did you mean 'gin'"):
        BACKBONES.factory("gim")


def test_a_class_can_be_registered_and_gets_seed_and_report_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Mine(Augmentation):
        seed: int = 0
        alpha: float = 0.5
        report: Report = silent

    monkeypatch.setitem(METHODS.entries, "mine", Mine)
    assert make_method("mine", 7, {"alpha": "1"}) == Mine(seed=7, alpha=1.0)
    assert make_method("mine", 7, {"seed": 3}) == Mine(seed=3)
    assert make_method("mine", 0, {}, report=print) == Mine(report=print)
    with pytest.raises(UsageError, match="Known: alpha, seed"):
        make_method("mine", 0, {"report": "loud"})
