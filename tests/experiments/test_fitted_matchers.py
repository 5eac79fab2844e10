"""A matcher is fitted once per training split, and never shared between splits."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from smixup.experiments.fitted_matchers import Cache, SharedMatcher
from smixup.graphs import GraphSet
from smixup.matching import Uniform
from smixup.matching.base import Graphs
from smixup.progress import Report, silent


@dataclass
class Counting(Uniform):
    """Counts its fits in a list that all copies share."""

    name: str = "a"
    fits: list[int] = field(default_factory=list, repr=False)

    def __deepcopy__(self, memo: object) -> Counting:
        return Counting(self.name, self.fits)

    def fit(self, train: Graphs, report: Report = silent) -> Counting:
        self.fits.append(1)
        return super().fit(train, report)


def test_the_same_split_is_fitted_once(graphs: GraphSet) -> None:
    cache: Cache = {}
    fits: list[int] = []
    for _ in range(3):
        SharedMatcher(Counting("a", fits), cache).fit(graphs.subset([0, 1, 2]))
    assert len(fits) == 1
    SharedMatcher(Counting("b", fits), cache).fit(graphs.subset([0, 1, 2]))
    assert len(fits) == 2, "other settings are another matcher"
    SharedMatcher(Counting("a", fits), cache).fit(graphs.subset([0, 1, 3]))
    assert len(fits) == 3, "another split is another matcher"


def test_it_assigns_as_the_matcher_inside(graphs: GraphSet) -> None:
    shared = SharedMatcher(Uniform(), {}).fit(graphs)
    left, right = graphs[[0, 2]], graphs[[4, 3]]
    torch.testing.assert_close(shared(left, right).to_dense(), Uniform()(left, right).to_dense())
    assert shared.num_classes == graphs.num_classes
