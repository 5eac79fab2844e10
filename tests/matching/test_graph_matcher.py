"""The matcher whose network lets two graphs exchange messages, and the paper's settings of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.matching.published import PUBLISHED


def test_the_published_matcher() -> None:
    published = GraphMatcher.as_published(num_layers=6, seed=3)
    assert (published.hidden_channels, published.num_layers, published.learning_rate) == (
        256,
        6,
        0.001,
    )
    assert (published.similarity, published.temperature, published.scale) == ("cosine", 1.0, 1.0)
    assert published.triplets
    assert not published.correspondences
    assert (published.batch_size, published.max_steps) == (256, 200)
    assert (published.random_walk, published.degree, published.seed) == (0, False, 3)
    assert GraphMatcher(**published.settings) == published
    assert GraphMatcher.as_published().num_layers == 5


def test_the_paper_s_settings_are_fields_and_changes_prevail() -> None:
    assert PUBLISHED.keys() <= GraphMatcher().settings.keys()
    assert GraphMatcher.as_published(similarity="euclidean").similarity == "euclidean"
    with pytest.raises(TypeError):
        PUBLISHED["scale"] = 2.0  # type: ignore[index]


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
