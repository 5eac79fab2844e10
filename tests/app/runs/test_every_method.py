"""Every method of the registry trains on real data with both backbones."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from pathlib import Path

import pytest

from smixup.app.runs.config import configure
from smixup.app.runs.registry import METHODS, SAME_NODES
from smixup.app.runs.run import run

TINY_MATCHER = {"matcher.num_layers": 1, "matcher.hidden_channels": 8, "matcher.max_steps": 2}
QUICK = {"s-mixup": TINY_MATCHER, "s-cut": TINY_MATCHER}
"""Settings of methods that would take long."""


@pytest.mark.parametrize("method", [name for name in METHODS if name not in SAME_NODES])
def test_two_epochs_on_mutag(method: str, real_data: Callable[[str], Path]) -> None:
    root = real_data("MUTAG.zip")
    for backbone in ("gcn", "gin"):
        config = configure(
            "MUTAG",
            method=method,
            backbone=backbone,
            epochs=2,
            method_settings=QUICK.get(method, {}),
            batch_size=64,
        )
        result = run(config, root)
        assert result.epochs == 2
        assert all(isfinite(loss) for loss in result.curves["train_loss"])
