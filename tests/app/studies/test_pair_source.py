"""Pairs to look at are drawn by seed from what can be drawn, and named in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.app.studies.pair_source import MAX_NODES, PairSource, class_names, feature_word
from smixup.errors import UsageError
from smixup.graphs import Graphs


@pytest.fixture
def source(make_graphs: Callable[..., Graphs]) -> PairSource:
    graphs = make_graphs([5, 6, MAX_NODES + 1, 7, 8])
    return PairSource("SET", graphs, torch.tensor([1, 2, 3, 4]), seed=1)


def test_pairs_are_drawn_by_seed_and_leave_out_what_is_too_large(source: PairSource) -> None:
    pairs = source.choose(6)
    assert sorted(pairs) == [(1, 3), (1, 4), (3, 1), (3, 4), (4, 1), (4, 3)], (
        "all there are, each once"
    )
    assert pairs == source.choose(6) == source.choose(99)
    assert source.choose(3, (0, 1)) == [(0, 1), *pairs[:2]]
    assert source.choose(1, (0, 0)) == [(0, 0)]


def test_wrong_pairs_are_named(source: PairSource) -> None:
    with pytest.raises(UsageError, match=r"SET has no graph 5: its graphs are 0 to 4\."):
        source.choose(3, (0, 5))
    with pytest.raises(UsageError, match=r"SET has no graph -1"):
        source.choose(3, (-1, 0))
    with pytest.raises(
        UsageError,
        match=r"graph 2 of SET has 101 nodes, and the explorer draws graphs of up to 100",
    ):
        source.choose(3, (2, 0))
    with pytest.raises(UsageError, match="number of pairs must be 1 or more, not 0"):
        source.choose(0)
    with pytest.raises(UsageError, match="fewer than two test graphs of up to 100 nodes"):
        PairSource("SET", source.graphs, torch.tensor([0, 2])).choose(3)


def test_words_for_classes_and_features(graphs: Graphs) -> None:
    assert class_names("NCI1", 2) == ["class 0", "class 1"]
    assert feature_word(graphs) == "feature"
    assert feature_word(graphs.replace(x=graphs.x.to(torch.uint8))) == "label"
    assert feature_word(graphs.replace(degree_encoding=lambda degree: degree)) == "degree"
    assert feature_word(graphs.replace(x=graphs.x[:, :1])) == ""
