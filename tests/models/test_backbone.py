"""Backbones by name are those of the command line; files cannot name anything else."""

from __future__ import annotations

from typing import Any

import pytest

from smixup.app.runs.registry import BACKBONES
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.models.backbone import Backbone, backbones


def test_names_are_those_of_the_command_line() -> None:
    assert set(backbones()) == set(BACKBONES)
    for name, kind in backbones().items():
        assert BACKBONES.factory(name) is kind


def test_it_is_built_for_graphs(motif: Graphs) -> None:
    found = Backbone.of("gcn", motif, hidden_channels=4, num_layers=1)
    assert (found.kind, found.name) == ("GCN", "gcn")
    assert found.build()(motif[:2]).shape == (2, motif.num_classes)
    assert all(each.is_meta for each in found.build("meta").parameters())
    with pytest.raises(UsageError, match=r"unknown backbone 'gni'\. Did you mean 'gin'"):
        Backbone.of("gni", motif)


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        ("Module", {}, "knows no backbone Module"),
        ("Classifier", {}, "knows no backbone Classifier"),
        ("GIN", {"num_features": "7"}, "no settings of GIN"),
        ("GIN", {"colour": 7}, "no settings of GIN"),
    ],
)
def test_other_classes_and_settings_are_refused(
    kind: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(SmixupError, match=message):
        Backbone(kind, settings).build()
