"""Random graphs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from edited_graphs import draw

from smixup.edits.weighted_graph import WeightedGraph


@pytest.fixture(scope="session")
def random_graph() -> Callable[..., WeightedGraph]:
    return draw
