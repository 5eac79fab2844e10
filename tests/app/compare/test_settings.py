"""What may be asked of a comparison."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from smixup.app.compare.settings import CONTROL, VANILLA, CompareSettings, seconds_of
from smixup.datasets import load_dataset
from smixup.datasets.packed_set import pack_dataset
from smixup.errors import UsageError

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"methods": ("s-mixup(alpa=1)",)}, "alpa"),
    ({"methods": ("s-mixpu",)}, "Did you mean 's-mixup'"),
    ({"methods": ("vanilla",)}, "vanilla is what methods are compared with"),
    ({"num_folds": 2}, "folds must be 3 or more"),
    ({"changes": {"fold": 1}}, "'fold' is no setting of a comparison"),
]


def test_what_makes_no_sense_is_refused_before_anything_runs() -> None:
    for changes, words in REFUSED:
        with pytest.raises(UsageError, match=words):
            CompareSettings("MOTIF", **changes)


def test_alignments_that_have_names(tmp_path: Path) -> None:
    """The control differs from S-Mixup in the alignment alone; matrices with the same nodes are
    aligned by the identity.
    """
    method, control = (CompareSettings("MOTIF").config(name, 3) for name in ("s-mixup", CONTROL))
    assert control.method_settings == {"matcher": "random-order", "matcher.partial": True}
    assert replace(control, method_settings={}) == method
    np.savez(tmp_path / "subjects.npz", m=np.ones((12, 3, 3)), y=np.arange(12) % 2)
    regions = load_dataset(str(tmp_path / "subjects.npz"))
    for data in (regions, pack_dataset(regions, tmp_path / "packed")):
        settings = CompareSettings("MOTIF").suiting(data, 10)
        assert settings.methods == ("forest", "identity-alignment")
        assert settings.config(settings.methods[1], 0).method_settings == {"matcher": "identity"}


def test_durations() -> None:
    seconds = {"30 min": 1800, "1h30m": 5400, "90s": 90, "90": 90, "1.5h": 5400}
    assert {text: seconds_of(text) for text in seconds} == seconds
    for text in ("", "soon", "0m", "-5m", "m"):
        with pytest.raises(UsageError, match="30m, 1h30m or 90s"):
            seconds_of(text)


def test_settings_of_a_method_stand_behind_its_name() -> None:
    methods = ("s-mixup(alpha=0.5, matcher=identity)", "drop-edge()", "random-alignment(alpha=2)")
    expected = [
        {"alpha": 0.5, "matcher": "identity"},
        {},
        {"alpha": 2.0, "matcher": "random-order", "matcher.partial": True},
    ]
    settings = CompareSettings("MOTIF", methods)
    assert [settings.config(name, 0).method_settings for name in methods] == expected


def test_every_graph_is_tested_once_in_ten_runs_and_methods_share_the_split() -> None:
    settings = CompareSettings("MOTIF", ("s-mixup", "random-alignment", "drop-edge"))
    for seed in range(20):
        configs = [settings.config(arm, seed) for arm in (VANILLA, *settings.methods)]
        places = {(each.seed, each.fold, each.split_seed, each.split) for each in configs}
        assert places == {(seed, seed % 10, seed // 10, "fold")}
    drawn = CompareSettings("MOTIF", split="random")
    assert [drawn.config(VANILLA, seed).seed_of_split for seed in (0, 1)] == [0, 1]


def suited(
    *methods: str, name: str = "MUTAG", graphs: int = 150, edges: int = 0, **settings: Any
) -> CompareSettings:
    data: Any = SimpleNamespace(reading=None, graphs=SimpleNamespace(num_edge_features=edges))
    return CompareSettings(name, methods, **settings).suiting(data, graphs)


def test_what_is_left_open_suits_the_data() -> None:
    """Small sets are trained on for 300 steps, in batches of 32. What the user says stays."""
    for graphs, epochs in ((20, 300), (40, 150), (150, 100), (80_000, 2), (0, 300)):
        settings = suited("drop-edge", graphs=graphs)
        assert settings.config(VANILLA, 0).epochs == epochs
    assert suited(changes={"epochs": 7}).changes == {"epochs": 7}
    assert suited(name="NCI1", backbone="gin").changes == {}
    assert (suited().methods, suited().backbone) == (("forest", "s-mixup"), "wide")
    forest = suited().config("forest", 3)
    assert (forest.backbone, forest.method, forest.fold) == ("forest", "vanilla", 3)
    assert suited(edges=4, backbone="gcn").backbone == "gcn"
    for method in ("g-mixup", "r-mixup"):
        assert suited("s-mixup", method, edges=4).backbone == "gin"
