"""Splits of small graphs that can be learnt."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warm_processes import WARM

from smixup.graphs import Graphs
from smixup.training import Splits, TrainSettings, loop
from smixup.training.parallel import Processes, make_fabric


@pytest.fixture
def splits(make_graphs: Callable[..., Graphs]) -> Splits:
    """Forty training graphs and ten each to validate and test; a feature's sign tells the class."""
    graphs = make_graphs([5, 4, 6] * 20)
    sign = (2.0 * graphs.labels - 1.0).repeat_interleave(graphs.sizes)
    graphs = graphs.replace(x=graphs.x + 0.5 * sign.unsqueeze(1))
    return Splits(graphs[range(40)], graphs[range(40, 50)], graphs[range(50, 60)])


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork processes that train together from a warm server; without it, they are spawned."""
    from lightning_fabric import Fabric
    from lightning_fabric.strategies import DDPStrategy

    def make(settings: TrainSettings) -> Processes:
        if settings.devices == 1:
            return make_fabric(settings)
        strategy = DDPStrategy(start_method=WARM)  # type: ignore[arg-type]
        return Fabric(accelerator="cpu", strategy=strategy, devices=settings.devices)

    monkeypatch.setattr(loop, "make_fabric", make)
