"""REDDIT-BINARY, whose graphs are the paper's largest: a step of the matcher beside the dense way,
an epoch of S-Mixup beside Vanilla's, and what comes before the first epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import torch
from torch import Tensor

from smixup.app.bench.epoch import epoch_of
from smixup.app.bench.machine import memory_of, seconds_and_memory
from smixup.app.bench.plain_matching import plain_step_losses
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate, turns
from smixup.app.runs.opened import open_dataset
from smixup.app.runs.presets import preset_for
from smixup.augment import Augmentation, SMixup
from smixup.classifiers import GCN
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.matching.controls import RandomOrder
from smixup.matching.correspondence import CorrespondenceObjective, shuffled_copy
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.triplet import TripletObjective
from smixup.progress import silent

DATASET = "REDDIT-BINARY"
PARTNERS = 4
AMOUNTS = {"mixes in place": None, "a mix per graph": 1.0}
INPUT_SAMPLE = 100
"""Graphs that the input's scale is taken from: it makes no step longer or shorter."""


def compare_steps(settings: Settings) -> Iterator[Comparison]:
    """Compare training steps of the default matcher, forward and backward: as many triplets and as
    many shuffled copies as its batch has.

    Every round has another batch, and the rates are those of all rounds together: the dense way
    spends most of its time on the few largest graphs, which not every batch has. Encodings of
    training graphs are computed once per fit, so that they are no part of our step; the dense way
    computes those of every graph of every pair. On graphs of more than 256 nodes our step asks for
    256 nodes of a copy, the dense one for all.
    """
    for train in training_graphs(settings):
        work = StepWork(train, GraphMatcher(), settings.size)
        memory = memory_of(partial(work.our_step, 0))
        ours, dense = zip(*turns(work.our_step, work.plain_step, settings.repeat), strict=True)
        done = len(ours) * work.count
        case = f"{work.count} triplets, {work.count} copies : dense"
        rates = done / sum(ours), done / sum(dense)
        yield Comparison("reddit-step", DATASET, case, "triplets/s", *rates, memory_mb=memory)


def compare_epochs(settings: Settings) -> Iterator[Comparison]:
    """Compare original graphs per second under S-Mixup with Vanilla's, both at the paper's
    settings.

    A ratio of 0.5 means that an epoch costs two of Vanilla's. Partners are aligned in random order,
    since an epoch does not depend on how good alignments are.
    """
    for train in training_graphs(settings):
        train = train if settings.size is None else train[: settings.size].renumbered()
        preset = preset_for(DATASET)
        sizes = preset.hidden_channels, preset.num_layers
        model = GCN(train.num_features, train.num_classes, *sizes)
        for what, amount in AMOUNTS.items():
            mix = SMixup(RandomOrder(partial=True), partners=PARTNERS, amount=amount, seed=0)
            mix.fit(train, silent)
            epoch = partial(epoch_of, model, train, batch_size=preset.batch_size)
            times = alternate(epoch(mix), epoch(Augmentation()), settings.repeat)
            case = f"gcn, s-mixup, {what} : vanilla"
            rates = times.rates(len(train))
            row = ("reddit-epoch", DATASET, case, "graphs/s", *rates)
            yield Comparison(*row, quartiles=times.quartiles)


def measure_fit(settings: Settings) -> Iterator[Comparison]:
    """Measure seconds of all that S-Mixup does before the first epoch, and the most memory that the
    process held.
    """
    for train in training_graphs(settings):
        train = train if settings.size is None else train[: settings.size].renumbered()
        matcher = GraphMatcher()
        mix = SMixup(matcher, partners=PARTNERS, seed=0)
        parts: dict[str, Callable[[], object]] = {
            f"fit, {matcher.max_steps} steps": partial(matcher.fit, train, silent),
            f"{PARTNERS} partners per graph": partial(mix.fit, train, silent),
        }
        for what, work in parts.items():
            spent, memory = seconds_and_memory(work)
            case = f"{what}, {len(train):,} graphs"
            yield Comparison("reddit-fit", DATASET, case, "s", spent, memory_mb=memory, spent=True)


def training_graphs(settings: Settings) -> Iterator[Graphs]:
    """Yield the training split, or nothing and a note where it is not to be had."""
    try:
        yield open_dataset(DATASET, 0, root=settings.root).train.renumbered()
    except UsageError:
        raise
    except SmixupError as reason:
        settings.note(f"{DATASET} is left out: {reason}")


@dataclass(frozen=True)
class StepWork:
    """The work that both ways do: a batch of triplets and one of copies, one network.

    Attributes:
        train: the graphs that are learnt from.
        matcher: whose network and objectives these are.
        size: triplets in the batch, and copies; the matcher's own if None.
    """

    train: Graphs
    matcher: GraphMatcher
    size: int | None

    @property
    def count(self) -> int:
        """Triplets in the batch, and copies."""
        return self.size or self.matcher.batch_size

    @cached_property
    def parts(self) -> tuple[MatchingNetwork, NodeInput]:
        """An untrained network, and its input on the scale of some graphs."""
        torch.manual_seed(0)
        network, inputs = self.matcher.build(self.train.num_features)
        inputs.fit(self.train[:INPUT_SAMPLE])
        return network, inputs

    @cached_property
    def objectives(self) -> tuple[TripletObjective, CorrespondenceObjective]:
        """What is learnt, from graphs that are encoded once."""
        _, inputs = self.parts
        prepared = inputs.prepare(self.train)
        return (
            TripletObjective(prepared, inputs, self.matcher.margin),
            CorrespondenceObjective(prepared, inputs, self.matcher.max_drop),
        )

    def drawn(
        self, seed: int
    ) -> tuple[tuple[Graphs, Graphs, Graphs], tuple[Graphs, Graphs, Tensor]]:
        """Return the graphs that our objectives draw: triplets; graphs, their copies, and the node
        that each of the copies' is.
        """
        random = seeded(seed)
        anchor, positive, negative = self.objectives[0].sampler.draw(self.count, random)
        triplets = self.train[anchor], self.train[positive], self.train[negative]
        original = self.train[torch.randint(len(self.train), (self.count,), generator=random)]
        drop = (2 * torch.rand(self.count, generator=random) - 1).clamp(min=0)
        copy, origin = shuffled_copy(original, random, drop * self.matcher.max_drop)
        return triplets, (original, copy, origin)

    def our_step(self, seed: int) -> Tensor:
        """Return the loss of a training step after its backward pass."""
        network, _ = self.parts
        network.zero_grad()
        random = seeded(seed)
        losses = (objective(network, self.count, random).loss for objective in self.objectives)
        return torch.stack([_descended(loss) for loss in losses]).sum()

    def plain_step(self, seed: int) -> Tensor:
        """Return the same loss, the dense way."""
        network, inputs = self.parts
        network.zero_grad()
        losses = plain_step_losses(network, inputs, *self.drawn(seed), self.matcher.margin)
        return torch.stack([_descended(loss) for loss in losses]).sum()


def _descended(loss: Tensor) -> Tensor:
    loss.backward()
    return loss.detach()


def seeded(seed: int) -> torch.Generator:
    """Return the source of a batch."""
    return torch.Generator().manual_seed(seed)
