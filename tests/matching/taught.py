"""What tests of learned matchers train: thirty small graphs, for a few steps."""

from __future__ import annotations

import torch

from smixup.graphs import Graphs

QUICK = {"num_layers": 1, "hidden_channels": 8, "max_steps": 4, "batch_size": 4}
TRIPLETS, COPIES = "triplet accuracy", "copies found"
SIZES = [5, 4, 6, 3, 7, 5, 4, 6, 5, 5] * 3


def with_targets(graphs: Graphs, y: torch.Tensor) -> Graphs:
    return graphs.replace(y=y, has_classes=False)
