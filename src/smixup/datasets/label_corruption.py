"""Corrupted training labels (Sec. 6.2)."""

from __future__ import annotations

from typing import TypeVar

import torch
import torch.nn.functional as F

from smixup.errors import UsageError
from smixup.graphs import Graphs, PackedGraphs
from smixup.seeding import generator

Set = TypeVar("Set", Graphs, PackedGraphs)


def corrupt_labels(train: Set, ratio: float, seed: int) -> Set:
    """Flip exactly `round(ratio * G)` labels, each to a different class chosen uniformly.

    Args:
        train: the training split alone.
        ratio: the share of labels to flip; the paper takes 20, 40 and 60 %.
        seed: of the run.
    """
    if not 0 <= ratio <= 1:
        raise UsageError(f"the ratio of corrupted labels must lie between 0 and 1, not be {ratio}.")
    if ratio > 0 and not train.has_classes:
        raise UsageError(
            "labels are corrupted by flipping a graph to another class, and these targets are not "
            "classes: leave the corruption out."
        )
    if train.num_classes < 2 and ratio > 0:
        raise UsageError("labels of a single class cannot be corrupted: there is no other class.")
    random = generator(seed, "label noise")
    chosen = torch.randperm(len(train), generator=random)[: round(ratio * len(train))]
    if chosen.numel() == 0:
        return train
    step = torch.randint(1, train.num_classes, chosen.shape, generator=random)
    if isinstance(train, PackedGraphs):
        labels = train.labels.clone()
        labels[chosen] = (labels[chosen] + step) % train.num_classes
        return train.with_classes(labels)
    chosen, step = chosen.to(train.y.device), step.to(train.y.device)
    y = train.y.clone()
    y[chosen] = F.one_hot((train.labels[chosen] + step) % train.num_classes, train.num_classes).to(
        y.dtype
    )
    return train.replace(y=y)
