"""Splits of small graphs that can be learnt."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from smixup.graphs import Graphs
from smixup.training import Splits


@pytest.fixture
def splits(make_graphs: Callable[..., Graphs]) -> Splits:
    """Forty training graphs and ten each to validate and test; a feature's sign tells the class."""
    graphs = make_graphs([5, 4, 6] * 20)
    sign = (2.0 * graphs.labels - 1.0).repeat_interleave(graphs.sizes)
    graphs = graphs.replace(x=graphs.x + 0.5 * sign.unsqueeze(1))
    return Splits(graphs[range(40)], graphs[range(40, 50)], graphs[range(50, 60)])
