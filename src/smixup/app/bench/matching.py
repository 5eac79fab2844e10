"""The matching network at the paper's sizes (Table 9), beside the plain implementation of the same
mathematics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from smixup.app.bench.machine import matmul_rate, memory_of
from smixup.app.bench.plain_matching import assignments, plain_triplet_loss
from smixup.app.bench.plain_mixing import DenseGraph, mix_pairs
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.app.runs.presets import preset_for
from smixup.augment.mixing import interpolate, transform
from smixup.datasets import Dataset
from smixup.graphs import Graphs
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.normalization import Columns
from smixup.matching.pairs import Pairs
from smixup.matching.published import PUBLISHED
from smixup.matching.triplet import TripletObjective

MARGIN = 1.0
HIDDEN_CHANNELS: int = PUBLISHED["hidden_channels"]


@dataclass(frozen=True)
class MatchingWork:
    """The work that both ways do: one batch of triplets or pairs of a dataset, one network.

    Attributes:
        dataset: where the graphs come from.
        size: triplets or pairs in the batch; the paper's if None.
    """

    dataset: Dataset
    size: int | None

    @cached_property
    def count(self) -> int:
        """Triplets or pairs in the batch."""
        return self.size or preset_for(self.dataset.name).matcher_batch_size

    @cached_property
    def inputs(self) -> NodeInput:
        """The data's own features, as in the paper."""
        none = StructuralEncoding(random_walk=0, degree=False)
        return NodeInput(self.dataset.graphs.num_features, none)

    @cached_property
    def network(self) -> MatchingNetwork:
        """An untrained network of the paper's size."""
        torch.manual_seed(0)
        layers = preset_for(self.dataset.name).matcher_layers
        return MatchingNetwork(self.inputs.width, HIDDEN_CHANNELS, layers)

    @cached_property
    def objective(self) -> TripletObjective:
        """Draws the triplets."""
        return TripletObjective(self.dataset.graphs, self.inputs, MARGIN)

    @cached_property
    def triplets(self) -> tuple[Graphs, Graphs, Graphs]:
        """The triplets that are drawn first."""
        a, b, c = self.objective.sampler.draw(self.count, _first())
        graphs = self.dataset.graphs
        return graphs[a], graphs[b], graphs[c]

    def our_step(self) -> Tensor:
        """Return the loss of a training step after its backward pass."""
        return self._descend(self.objective(self.network, self.count, _first()).loss)

    def plain_step(self) -> Tensor:
        """Return the same loss, the plain way."""
        anchor, positive, negative = (self.inputs(batch) for batch in self.triplets)
        return self._descend(plain_triplet_loss(self.network, anchor, positive, negative, MARGIN))

    @torch.no_grad()
    def our_mix(self) -> Graphs:
        """Align and mix the first two graphs of every triplet."""
        left, right, _ = self.triplets
        pairs = Pairs.of(self.inputs(left), self.inputs(right))
        scores = self.network.pair_scores(self.network(pairs), pairs)
        M = [Columns()(*each) for each in zip(scores, pairs.blocks(), strict=True)]
        return interpolate(left, transform(pairs.operator(M), left, right), self._ratios())

    @torch.no_grad()
    def plain_mix(self) -> list[DenseGraph]:
        """Align and mix the same graphs, the plain way."""
        left, right, _ = self.triplets
        M = assignments(self.network, self.inputs(left), self.inputs(right))
        return mix_pairs(left, right, M, self._ratios())

    def step_operations(self) -> float:
        """Return the floating-point operations of a step's matrix products, forward and backward,
        without padding.
        """
        H, L = HIDDEN_CHANNELS, len(self.network.layers)
        anchor, positive, negative = (batch.sizes.double() for batch in self.triplets)
        nodes = float((2 * anchor + positive + negative).sum())
        cells = float((anchor * (positive + negative)).sum())
        squares = float((2 * anchor.square() + positive.square() + negative.square()).sum())
        forward = (
            nodes * (3 * H * 2 * H + 2 * H * H) * L
            + (3 * cells + squares) * H * L
            + nodes * 2 * H * H
        )
        return 3 * 2 * forward

    def _descend(self, loss: Tensor) -> Tensor:
        self.network.zero_grad()
        loss.backward()
        return loss.detach()

    def _ratios(self) -> Tensor:
        return torch.linspace(0.5, 1.0, self.count)


def compare_steps(settings: Settings) -> Iterator[Comparison]:
    """Compare training steps, forward and backward, on a batch of triplets."""
    for dataset in settings.loaded():
        work = MatchingWork(dataset, settings.size)
        memory = memory_of(work.our_step)
        times = alternate(work.our_step, work.plain_step, settings.repeat)
        ours, plain = times
        share = work.step_operations() / ours / 1e9 / matmul_rate()
        case = f"{work.count} triplets"
        rates = work.count / ours, work.count / plain
        row = ("matcher-step", dataset.name, case, "triplets/s", *rates, share, memory)
        yield Comparison(*row, quartiles=times.quartiles)


def compare_mixes(settings: Settings) -> Iterator[Comparison]:
    """Compare aligning and mixing a batch of pairs."""
    for dataset in settings.loaded():
        work = MatchingWork(dataset, settings.size)
        memory = memory_of(work.our_mix)
        times = alternate(work.our_mix, work.plain_mix, settings.repeat)
        ours, plain = times
        case = f"{work.count} pairs"
        rates = work.count / ours, work.count / plain
        row = ("align-mix", dataset.name, case, "pairs/s", *rates)
        yield Comparison(*row, memory_mb=memory, quartiles=times.quartiles)


def _first() -> torch.Generator:
    return torch.Generator().manual_seed(0)
