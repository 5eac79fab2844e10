"""One seed for a run, an independent source of randomness for each of its purposes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from hashlib import sha256
from typing import Any

import torch
from torch import Tensor


def derive(seed: int, purpose: str) -> int:
    """Return the seed of one purpose."""
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
    """Draw numbers between 0 and 1, the same on every device, and move them to where `like` is."""
    return torch.rand(size, generator=generator, dtype=dtype).to(like.device)


class RandomSource:
    """Random numbers of one purpose that differ between processes which work on the same data.

    Workers of a data loader and ranks of a distributed run hold copies of one object; each copy
    draws numbers of its own, a worker's from the seed that its loader gave it. A copy by `deepcopy`
    or pickle goes on from the same state, if it is in no such process.

    Args:
        seed: of all numbers; None takes one from torch's own generator at the first draw.
        purpose: what they are for.
    """

    def __init__(self, seed: int | None, purpose: str) -> None:
        self.seed, self.purpose = seed, purpose
        self._rank = 0
        self._made: tuple[str, torch.Generator] | None = None

    @property
    def generator(self) -> torch.Generator:
        """The generator of this process."""
        name = process_name(self._rank)
        if self._made is None or self._made[0] != name:
            seed = int(torch.randint(2**31, ())) if self.seed is None else self.seed
            purpose = f"{self.purpose}/{name}" if name else self.purpose
            self._made = name, generator(seed, purpose)
        return self._made[1]

    def __getstate__(self) -> dict[str, object]:
        # The state goes as bytes: torch would share the memory of a tensor that is gone when a
        # spawned process reads it. The rank goes along, because such a process does not know it.
        made = self._made and (self._made[0], self._made[1].get_state().numpy().tobytes())
        return vars(self) | {"_made": made, "_rank": _rank(self._rank)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if self._made is not None:
            name, values = state["_made"]
            made = torch.Generator()
            made.set_state(torch.frombuffer(bytearray(values), dtype=torch.uint8))
            self._made = name, made


def process_name(rank: int = 0) -> str:
    """Return what tells this process from others that work on the same data, empty if it is alone;
    `rank` is that of the process that sent the data, for one that belongs to no group.
    """
    worker, rank = torch.utils.data.get_worker_info(), _rank(rank)
    names = [] if worker is None else [f"worker {worker.id}, seed {worker.seed}"]
    return "/".join([*names, f"rank {rank}"] if rank else names)


def _rank(otherwise: int) -> int:
    distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
    return torch.distributed.get_rank() if distributed else otherwise
