"""What targets tell decides what a matcher learns."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from matching.taught import COPIES, QUICK, SIZES, TRIPLETS, with_targets

from smixup import SmixupError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.matching.lessons import triplets_of
from smixup.matching.near_far import NearAndFar
from smixup.matching.triplet import TripletSampler
from smixup.progress import silent


@pytest.fixture
def graphs(make_graphs: Callable[..., Graphs]) -> Graphs:
    return make_graphs(SIZES)


def test_classes_are_told_by_class(graphs: Graphs) -> None:
    assert isinstance(triplets_of(graphs), TripletSampler)
    assert triplets_of(graphs.replace(y=torch.tensor([[1.0, 0.0]]).repeat(30, 1))) is None


def test_values_and_labels_are_told_by_distance(graphs: Graphs) -> None:
    values = graphs.sizes.float().unsqueeze(1)
    assert isinstance(triplets_of(with_targets(graphs, values)), NearAndFar)
    assert isinstance(triplets_of(with_targets(graphs, (values > 5).float())), NearAndFar)
    assert triplets_of(with_targets(graphs, torch.ones(30, 1))) is None


@pytest.mark.parametrize("columns", [1, 3])
def test_a_matcher_learns_from_values(graphs: Graphs, columns: int) -> None:
    y = torch.randn(30, columns, generator=torch.Generator().manual_seed(0))
    matcher = GraphMatcher(**QUICK).fit(with_targets(graphs, y), silent)
    assert list(matcher.fit_scores) == [TRIPLETS, COPIES]
    alone = GraphMatcher(correspondences=False, **QUICK).fit(with_targets(graphs, y), silent)
    assert list(alone.fit_scores) == [TRIPLETS]


def test_the_distance_of_values_is_learnt(make_graphs: Callable[..., Graphs]) -> None:
    """Of graphs whose value is their size, most unseen triplets end up in the right order."""
    sizes = torch.randint(3, 20, (120,), generator=torch.Generator().manual_seed(0))
    graphs = make_graphs(sizes.tolist())
    y = graphs.sizes.float().unsqueeze(1)
    settings = {"num_layers": 2, "hidden_channels": 16, "max_steps": 60, "batch_size": 16}
    matcher = GraphMatcher(correspondences=False, **settings).fit(with_targets(graphs, y), silent)
    assert matcher.held_out
    assert matcher.fit_scores[TRIPLETS] > 0.8


@pytest.mark.parametrize(
    ("y", "words"),
    [(torch.ones(30, 2), "all the same"), (torch.full((30, 2), torch.nan), "not known of any")],
)
def test_targets_that_tell_nothing(graphs: Graphs, y: torch.Tensor, words: str) -> None:
    with pytest.warns(UserWarning, match=f"{words}.*shuffled copies alone"):
        matcher = GraphMatcher(**QUICK).fit(with_targets(graphs, y), silent)
    assert list(matcher.fit_scores) == [COPIES]
    with pytest.raises(SmixupError, match=f"{words}.*teach correspondences"):
        GraphMatcher(correspondences=False, **QUICK).fit(with_targets(graphs, y), silent)


@pytest.mark.filterwarnings("error")
def test_nobody_is_told_what_was_asked_for(graphs: Graphs) -> None:
    graphs = with_targets(graphs, torch.ones(30, 2))
    assert GraphMatcher(triplets=False, **QUICK).fit(graphs, silent).fitted
