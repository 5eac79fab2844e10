"""One seed for a run, an independent source of randomness for each of its purposes."""

from __future__ import annotations

from hashlib import sha256

import torch


def derive(seed: int, purpose: str) -> int:
    """Return the seed of one purpose: methods that share a run's seed share its split and its
    initial weights.
    """
    return int.from_bytes(sha256(f"{seed}/{purpose}".encode()).digest()[:4], "little")


def generator(seed: int, purpose: str) -> torch.Generator:
    """Return a generator of its own for one purpose of a run."""
    return torch.Generator().manual_seed(derive(seed, purpose))
