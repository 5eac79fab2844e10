"""One seed, many independent sources."""

from __future__ import annotations

import pytest
import torch

from smixup.augment import DropEdge
from smixup.seeding import derive, generator, process_name, rand, random_state_kept


def draws(seed: int, purpose: str) -> list[float]:
    return torch.rand(4, generator=generator(seed, purpose)).tolist()


def test_a_purpose_repeats_with_its_seed() -> None:
    assert draws(0, "split") == draws(0, "split")


def test_purposes_and_seeds_are_independent() -> None:
    sources = [
        draws(seed, purpose)
        for seed in range(5)
        for purpose in ("split", "matcher", "batches", "weights")
    ]
    assert len({tuple(source) for source in sources}) == 20


def test_the_global_source_neither_matters_nor_moves() -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = draws(7, "split")
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert draws(7, "split") == first


def test_numbers_are_the_same_on_every_device(device: torch.device) -> None:
    found = rand(4, generator=generator(0, "split"), like=torch.zeros(1, device=device))
    assert found.device == device
    assert found.tolist() == draws(0, "split")


def test_derived_seeds_are_the_same_on_every_machine() -> None:
    """`printf 0/split | sha256sum` begins with these eight digits."""
    assert derive(0, "split") == int.from_bytes(bytes.fromhex("68a30a9f"), "little")
    assert 0 <= derive(123, "weights") < 2**32


def test_a_block_leaves_no_trace_in_the_random_state_of_torch() -> None:
    before = torch.get_rng_state()
    with random_state_kept():
        torch.manual_seed(1)
        inside = torch.get_rng_state()
    assert torch.equal(torch.get_rng_state(), before)
    assert not torch.equal(inside, before)


def test_ranks_of_a_distributed_run_draw_different_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first rank draws what a process alone would draw."""
    method = DropEdge(seed=3)
    alone = method.random.get_state()
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    states = []
    for rank in range(3):
        monkeypatch.setattr(torch.distributed, "get_rank", lambda rank=rank: rank)
        states.append(DropEdge(seed=3).random.get_state())
        assert process_name() == (f"rank {rank}" if rank else "")
    assert torch.equal(states[0], alone)
    assert not torch.equal(states[1], alone)
    assert not torch.equal(states[1], states[2])
