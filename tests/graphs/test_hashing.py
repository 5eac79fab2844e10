"""Numbers that stand for content: equal for equal content, whatever its order, and hardly else."""

from __future__ import annotations

import torch

from smixup.graphs.hashing import bits, scrambled


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    random = torch.Generator().manual_seed(seed)
    return torch.randint(-(2**62), 2**62, shape, generator=random)


def test_equal_numbers_are_scrambled_alike_and_different_ones_apart() -> None:
    numbers = torch.cat([torch.arange(-50_000, 50_000), drawn(100_000)]).unique()
    found = scrambled(numbers)
    assert torch.equal(scrambled(numbers.flip(0)).flip(0), found)
    assert found.unique().numel() == numbers.numel(), "each number has one of its own"


def test_every_bit_depends_on_every_bit() -> None:
    """Of two numbers that differ in one bit, about half of the bits differ afterwards."""
    numbers, places = drawn(2000), torch.arange(64)
    changed = scrambled(numbers) ^ scrambled(numbers ^ (1 << places).unsqueeze(1))
    flipped = ((changed.unsqueeze(2) >> places) & 1).double().mean(1)
    assert (flipped - 0.5).abs().max() < 0.1


def test_sums_tell_sets_apart_and_do_not_hear_their_order() -> None:
    small = torch.cartesian_prod(*[torch.arange(40)] * 3)  # small numbers, whose sums collide
    sets = small.sort(1).values.unique(dim=0)
    sums = scrambled(sets).sum(1)
    assert torch.equal(scrambled(sets.flip(1)).sum(1), sums)
    assert sets.sum(1).unique().numel() < 120
    assert sums.unique().numel() == len(sets) == 40 * 41 * 42 // 6


def test_values_are_told_apart_by_their_bits() -> None:
    values = torch.tensor([0.0, -0.0, 1.0, -1.0, 1.0 + 2**-23, 1e-40, float("inf")])
    found = bits(values)
    assert found[0] == found[1] == 0, "zero has one sign"
    assert found.unique().numel() == len(values) - 1
    assert torch.equal(bits(values.double()), found)
    assert torch.equal(bits(values.repeat(2, 1).T[:, 0]), found), "wherever they lie in memory"
