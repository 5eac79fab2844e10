"""One-to-one alignments of prepared graphs, beside the plain way: one pair after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from smixup.app.bench.epoch import STEPS
from smixup.app.bench.plain_matching import node_representations, one_to_one
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.graphs import Graphs, Operator
from smixup.matching import GraphMatcher, SiameseMatcher
from smixup.matching.consensus import OneToOne
from smixup.matching.learned import LearnedMatcher
from smixup.matching.siamese import EMBEDDING

PAIRS = 512
MATCHERS: dict[str, type[LearnedMatcher]] = {"network": GraphMatcher, "siamese": SiameseMatcher}


@dataclass(frozen=True)
class AlignmentWork:
    """The work that both ways do: pairs drawn from graphs that are prepared once, one matcher.

    Attributes:
        graphs: where the pairs come from.
        matcher: fitted, with a one-to-one normalisation.
        count: pairs.
    """

    graphs: Graphs
    matcher: LearnedMatcher
    count: int

    @cached_property
    def prepared(self) -> Graphs:
        """What is done once per graph."""
        return self.matcher.prepare(self.graphs)

    @cached_property
    def places(self) -> Tensor:
        """The two graphs of every pair, `[2, B]`."""
        random = torch.Generator().manual_seed(0)
        return torch.randint(len(self.graphs), (2, self.count), generator=random)

    def ours(self) -> Operator:
        """Return all alignments as one operator."""
        return self.matcher.assign(self.prepared, *self.places)

    @torch.no_grad()
    def plain(self) -> list[Tensor]:
        """Return the same, one pair after the other."""
        way = self.matcher.normalize
        assert isinstance(way, OneToOne)
        found = []
        for i, j in self.places.T.tolist():
            left, right = self.prepared[[i]], self.prepared[[j]]
            A1, A2 = left.adj.to_dense(), right.adj.to_dense()
            found.append(one_to_one(self._scores(left, right), A1, A2, way))
        return found

    def _scores(self, left: Graphs, right: Graphs) -> Tensor:
        network, inputs = self.matcher.ready_for(left)
        if isinstance(self.matcher, SiameseMatcher):
            h1, h2 = left.node_attrs[EMBEDDING], right.node_attrs[EMBEDDING]
        else:
            h1, h2 = node_representations(network, inputs(left), inputs(right))
        return network.scores(h1[None], h2[None])[0]


def compare_alignments(settings: Settings) -> Iterator[Comparison]:
    """Compare pairs per second from prepared graphs to M, for either learned matcher.

    The siamese one has embedded its graphs before, so that its row is the cost of the alignment
    itself; the other one runs its network on every pair.
    """
    for dataset in settings.loaded():
        for name, kind in MATCHERS.items():
            matcher = kind(max_steps=STEPS, triplets=False).fit(dataset.graphs)
            work = AlignmentWork(dataset.graphs, matcher, settings.size or PAIRS)
            times = alternate(work.ours, work.plain, settings.repeat)
            rates = times.rates(work.count)
            row = ("one-to-one", dataset.name, f"{name}, {work.count} pairs", "pairs/s", *rates)
            yield Comparison(*row, quartiles=times.quartiles)
