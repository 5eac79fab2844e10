"""One seed for a run, an independent source of randomness for each of its purposes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from hashlib import sha256

import torch
from torch import Tensor


def derive(seed: int, purpose: str) -> int:
    """Return the seed of one purpose.

    Methods that share a run's seed share its split and its initial weights.
    """
    return int.from_bytes(sha256(f"{seed}/{purpose}".encode()).digest()[:4], "little")


def generator(seed: int, purpose: str) -> torch.Generator:
    """Return a generator of its own for one purpose of a run."""
    return torch.Generator().manual_seed(derive(seed, purpose))


def random_state_kept() -> AbstractContextManager[None]:
    """Give torch its own random state back when the block ends, on every device."""
    # Named one by one: asked for all devices, torch warns where there are several.
    return torch.random.fork_rng(range(torch.cuda.device_count()))


def rand(
    *size: int, generator: torch.Generator, like: Tensor, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Draw numbers between 0 and 1 on the CPU, and move them to where `like` is.

    Drawn on the CPU, they are the same on every device.
    """
    return torch.rand(size, generator=generator, dtype=dtype).to(like.device)


def process_name() -> str:
    """Return what tells this process from others that work on the same data, empty if it is alone.

    Workers of a data loader, and ranks of a distributed run, hold copies of one augmentation; they
    must not draw the same numbers.
    """
    worker = torch.utils.data.get_worker_info()
    names = [] if worker is None else [f"worker {worker.id}"]
    distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
    rank = torch.distributed.get_rank() if distributed else 0
    return "/".join([*names, *([f"rank {rank}"] if rank else [])])
