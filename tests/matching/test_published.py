"""The paper's matcher: its own size, and taught by triplets alone."""

from __future__ import annotations

import re

import pytest
from paper import source

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


def test_width_and_rate_are_those_of_the_paper() -> None:
    text = (
        source().split("For the graph matching network used in S-Mixup")[1].split("subsection")[0]
    )
    width, rate = re.search(r"hidden size as (\d+)", text), re.search(r"rate of ([\d.]+\d)", text)
    assert width and rate
    assert PUBLISHED["hidden_channels"] == int(width[1])
    assert PUBLISHED["learning_rate"] == float(rate[1])


def test_every_setting_differs_from_our_defaults() -> None:
    ours = GraphMatcher().settings
    assert [name for name, value in PUBLISHED.items() if ours[name] == value] == []
