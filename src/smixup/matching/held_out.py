"""Training graphs that are kept apart, to see how well a matcher does what it was trained for."""

from __future__ import annotations

import torch

from smixup.graphs import Graphs
from smixup.matching.lessons import triplets_of
from smixup.seeding import generator

HELD_OUT = 0.1


def split_held_out(train: Graphs, seed: int, triplets: bool) -> tuple[Graphs, Graphs]:
    """Return the graphs to train on, and those to keep apart; twice all if these are too few.

    Too few are those among which a class is missing, or whose values tell none from another: their
    loss would say little of it.

    Args:
        train: all training graphs.
        seed: of the draw.
        triplets: whether triplets are taught; values matter for these alone.
    """
    order = torch.randperm(len(train), generator=generator(seed, "matcher split"))
    count = int(HELD_OUT * len(train))
    held_out = train[order[:count]]
    if not train.has_classes:
        copies_alone = not triplets or triplets_of(train, seed) is None
        told = copies_alone or triplets_of(held_out, seed) is not None
        return (train[order[count:]], held_out) if count and told else (train, train)
    if count == 0 or held_out.labels.unique().numel() < train.labels.unique().numel():
        return train, train
    return train[order[count:]], held_out
