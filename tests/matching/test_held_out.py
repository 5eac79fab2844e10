"""A tenth of the training graphs is kept apart, if it can tell anything."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from matching.taught import COPIES, QUICK, SIZES, TRIPLETS, with_targets

from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.matching.held_out import split_held_out
from smixup.matching.lessons import triplets_of
from smixup.progress import silent


@pytest.fixture
def graphs(make_graphs: Callable[..., Graphs]) -> Graphs:
    return make_graphs(SIZES)


def numbers(graphs: Graphs) -> set[int]:
    return set(graphs.ids.tolist())


@pytest.mark.parametrize("seed", range(5))
def test_a_tenth_is_kept_apart_and_nothing_is_lost(graphs: Graphs, seed: int) -> None:
    values = with_targets(graphs, torch.arange(30.0).unsqueeze(1))
    known, held_out = split_held_out(values, seed, triplets=True)
    assert (len(known), len(held_out)) == (27, 3)
    assert numbers(known) | numbers(held_out) == set(range(30))
    again = split_held_out(values, seed, triplets=True)[1]
    assert held_out.ids.tolist() == again.ids.tolist(), "the seed decides"
    assert numbers(held_out) != numbers(split_held_out(values, seed + 1, triplets=True)[1])


def test_every_class_must_be_among_those_kept_apart(graphs: Graphs) -> None:
    """Of thirty seeds some leave both classes in three graphs, and some do not."""
    kept = {}
    for seed in range(30):
        known, held_out = split_held_out(graphs, seed, triplets=True)
        kept[seed] = held_out is not known
        if kept[seed]:
            assert set(held_out.labels.tolist()) == set(graphs.labels.tolist())
        else:
            assert known is graphs
    assert len(set(kept.values())) == 2


def test_fewer_than_ten_graphs_are_all_trained_on(graphs: Graphs) -> None:
    few = graphs[:9]
    for train in (few, with_targets(few, torch.arange(9.0).unsqueeze(1))):
        assert split_held_out(train, 0, triplets=True) == (train, train)


def test_a_few_held_out_graphs_decide_when_to_stop(
    make_graphs: Callable[..., Graphs],
) -> None:
    graphs = make_graphs([3, 4, 5, 2] * 15)
    known, held_out = split_held_out(graphs, 0, triplets=True)
    assert (len(known), len(held_out)) == (54, 6)
    assert held_out.labels.unique().numel() == 2
    small = make_graphs([3, 4, 5])
    assert split_held_out(small, 0, triplets=True) == (small, small)


def test_values_matter_where_triplets_are_taught(graphs: Graphs) -> None:
    """Two graphs differ from all others, so that three of these tell nothing of distances; copies
    need no values.
    """
    y = torch.zeros(30, 1)
    y[[3, 4]] = 1
    train = with_targets(graphs, y)
    assert triplets_of(train) is not None
    assert split_held_out(train, 0, triplets=True) == (train, train)
    copies = split_held_out(train, 0, triplets=False)
    assert (len(copies[0]), len(copies[1])) == (27, 3)


def test_held_out_graphs_must_tell_something_too(graphs: Graphs) -> None:
    """Three of thirty are held out; one label that two graphs have is hardly among them."""
    y = torch.zeros(30, 1)
    y[[3, 4]] = 1
    matcher = GraphMatcher(**QUICK).fit(with_targets(graphs, y), silent)
    assert not matcher.held_out
    assert list(matcher.fit_scores) == [TRIPLETS, COPIES]
