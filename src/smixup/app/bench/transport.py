"""Couplings by optimal transport: all pairs at once, beside POT pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.graphs import Graphs
from smixup.matching.couplings import Couplings, feature_cost
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.matching.pairs import PairBlock, Pairs
from smixup.matching.pairwise import PairwiseMatcher

PAIRS = 512
MATCHER = FusedGromovWasserstein()


@dataclass(frozen=True)
class TransportWork:
    """The work that both ways do.

    Attributes:
        blocks: pairs of graphs, padded.
    """

    blocks: list[PairBlock]

    @classmethod
    def of(cls, graphs: Graphs, count: int) -> TransportWork:
        """Draw so many pairs of graphs."""
        random = torch.Generator().manual_seed(0)
        first, second = torch.randint(len(graphs), (2, count), generator=random)
        graphs = graphs.floating()
        return cls(list(Pairs.of(graphs[first], graphs[second]).blocks()))

    def ours(self) -> list[Tensor]:
        """Return the couplings of all pairs, block by block."""
        return [MATCHER._solve(block) for block in self.blocks]

    def plain(self) -> list[Tensor]:
        """Return couplings of the same pairs, one after the other."""
        return [PairwiseMatcher._solve(MATCHER, block) for block in self.blocks]

    def distortion(self, couplings: list[Tensor]) -> float:
        """Return the mean distortion."""
        found = [
            _problem(block).distortion(T.double())
            for block, T in zip(self.blocks, couplings, strict=True)
        ]
        return float(torch.cat(found).mean())


def _problem(block: PairBlock) -> Couplings:
    cost, masks = feature_cost(block.x1, block.x2), (block.mask1, block.mask2)
    return Couplings(cost, block.A1, block.A2, *masks, MATCHER.structure_weight).double()


def compare_couplings(settings: Settings) -> Iterator[Comparison]:
    """Compare pairs per second, and how much the couplings distort on average."""
    for dataset in settings.loaded():
        count = settings.size or PAIRS
        work, case = TransportWork.of(dataset.graphs, count), f"{count} pairs"
        times = alternate(work.ours, work.plain, settings.repeat)
        rates = times.rates(count)
        row = ("transport", dataset.name, case, "pairs/s", *rates)
        yield Comparison(*row, quartiles=times.quartiles)
        found = work.distortion(work.ours()), work.distortion(work.plain())
        yield Comparison("transport", dataset.name, case, "distortion", *found, spent=True)
