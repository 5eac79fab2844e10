"""What the matching network is taught: a lesson draws graphs, shows them, and returns a loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from smixup.matching.network import MatchingNetwork


@dataclass(frozen=True)
class Outcome:
    """How a lesson went.

    Attributes:
        loss: what to minimise.
        score: how much of it was right, between 0 and 1.
    """

    loss: Tensor
    score: Tensor


class Lesson(Protocol):
    """One thing to teach; `name` says what its score counts."""

    name: str

    def __call__(self, network: MatchingNetwork, size: int, generator: torch.Generator) -> Outcome:
        """Draw `size` examples and run the network on them."""
        ...
