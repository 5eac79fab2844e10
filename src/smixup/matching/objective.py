"""What the matching network is trained for: an objective draws graphs, and returns a loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from smixup.matching.network import MatchingNetwork


@dataclass(frozen=True)
class ObjectiveResult:
    """How it went.

    Attributes:
        loss: what to minimise.
        score: how much of it was right, between 0 and 1.
    """

    loss: Tensor
    score: Tensor


class Objective(Protocol):
    """One thing to learn; `name` says what its score counts."""

    name: str

    def __call__(
        self, network: MatchingNetwork, size: int, generator: torch.Generator
    ) -> ObjectiveResult:
        """Draw `size` examples and run the network on them."""
        ...
