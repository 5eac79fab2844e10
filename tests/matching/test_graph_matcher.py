"""The matcher whose network lets two graphs exchange messages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher


def test_an_unknown_attention() -> None:
    with pytest.raises(UsageError, match="unknown attention 'x'"):
        GraphMatcher(attention="x")


def test_a_node_is_seen_in_the_light_of_the_other_graph(
    tiny: Callable[..., GraphMatcher], graphs: Graphs
) -> None:
    """Unlike the siamese network: G1 has other representations beside another G2."""
    matcher = tiny().fit(graphs)
    network, _ = matcher.ready_for(graphs)
    found = []
    for other in (0, 5):
        pairs = matcher.pairs(graphs[[4]], graphs[[other]])
        found.append(network(pairs)[: pairs.left.num_nodes])
    assert not torch.allclose(found[0], found[1])
