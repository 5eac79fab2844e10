"""One seed, many independent sources; neither autocast nor another default dtype changes what is
drawn, aligned or mixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import pytest
import torch
from rings import ring
from torch_geometric.data import Batch

from smixup import (
    RRWM,
    AlignedCut,
    Augmentation,
    DropNode,
    GMixup,
    GraphMatcher,
    IfMixup,
    SiameseMatcher,
    SMixup,
    SubMix,
    Uniform,
)
from smixup.augment import DropEdge
from smixup.precision import single_precision
from smixup.seeding import derive, generator, process_name, rand, random_state_kept


def draws(seed: int, purpose: str) -> list[float]:
    return torch.rand(4, generator=generator(seed, purpose)).tolist()


def test_purposes_and_seeds_are_independent_and_repeat() -> None:
    torch.manual_seed(1)
    before, purposes = torch.get_rng_state(), ("split", "matcher", "batches", "weights")
    sources = [draws(seed, purpose) for seed in range(5) for purpose in purposes]
    assert len({tuple(source) for source in sources}) == 20
    assert torch.equal(torch.get_rng_state(), before), "the global source does not move"
    torch.manual_seed(2)
    assert draws(0, "split") == sources[0], "nor matter"
    drawn = rand(4, generator=generator(0, "split"), like=torch.zeros(1)).tolist()
    assert drawn == sources[0]
    # `printf 0/split | sha256sum` begins with these eight digits.
    assert derive(0, "split") == int.from_bytes(bytes.fromhex("68a30a9f"), "little")
    assert 0 <= derive(123, "weights") < 2**32
    before = torch.get_rng_state()
    with random_state_kept():
        torch.manual_seed(1)
        assert not torch.equal(torch.get_rng_state(), before)
    assert torch.equal(torch.get_rng_state(), before)


def test_ranks_of_a_distributed_run_draw_different_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first rank draws what a process alone would draw."""
    alone, states = DropEdge(seed=3).random.get_state(), []
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    for rank in range(3):
        monkeypatch.setattr(torch.distributed, "get_rank", lambda rank=rank: rank)
        states.append(DropEdge(seed=3).random.get_state())
        assert process_name() == (f"rank {rank}" if rank else "")
    assert [torch.equal(state, alone) for state in states] == [True, False, False]
    assert not torch.equal(states[1], states[2])


SMALL: dict[str, Any] = {"max_steps": 4, "evaluate_every": 2, "hidden_channels": 8, "num_layers": 2}
METHODS: dict[str, Callable[[], Augmentation]] = {
    "s-mixup": lambda: SMixup(GraphMatcher(**SMALL), seed=0),
    "paper": lambda: SMixup.as_published(GraphMatcher(**SMALL, normalization="columns"), seed=0),
    "siamese": lambda: SMixup(SiameseMatcher(**SMALL, normalization="sinkhorn"), seed=0),
    "rrwm": lambda: SMixup(RRWM(), seed=0),
    "neighbours alone": lambda: SMixup(Uniform(normalization="one-to-one"), seed=0),
    "s-cut": lambda: AlignedCut(GraphMatcher(**SMALL), seed=0),
    "if-mixup": lambda: IfMixup(seed=0),
    "g-mixup": lambda: GMixup(seed=0, amount=0.5),
    "submix": lambda: SubMix(seed=0),
    "drop-node": lambda: DropNode(seed=0),
}


@contextmanager
def another_loop() -> Iterator[None]:
    """Mixed precision, and another default."""
    torch.set_default_dtype(torch.float64)
    try:
        with torch.autocast("cpu", torch.bfloat16):
            yield
    finally:
        torch.set_default_dtype(torch.float32)


torch.manual_seed(0)
TRAIN = [ring(5 + k % 4, k % 2) for k in range(16)]


def same(first: Batch, second: Batch) -> bool:
    names = [name for name in ("x", "edge_index", "edge_weight", "y") if name in first]
    return all(
        first[name].dtype == second[name].dtype and torch.equal(first[name], second[name])
        for name in names
    )


@pytest.mark.parametrize("name", METHODS)
def test_mixes_are_the_same_in_any_loop(name: str) -> None:
    fitted, batch = METHODS[name]().fit(TRAIN), Batch.from_data_list(TRAIN)
    longer = Batch.from_data_list(fitted.extend(TRAIN))
    later, expected = deepcopy(fitted), fitted(batch)
    with another_loop():
        inside = METHODS[name]().fit(TRAIN)
        again = Batch.from_data_list(inside.extend(TRAIN))
        mixed, fitted_before = inside(batch), later(batch)
    assert same(longer, again) and same(expected, mixed) and same(expected, fitted_before)
    matcher = getattr(fitted, "matcher", None)
    if matcher is not None:
        M = matcher.match(TRAIN[1], TRAIN[2])
        with another_loop():
            assert torch.equal(matcher.match(TRAIN[1], TRAIN[2]), M) and M.dtype == torch.float32


def test_the_loop_has_its_own_precision_again() -> None:
    with another_loop():
        with single_precision():
            assert not torch.is_autocast_enabled("cpu")
            assert torch.ones(1).dtype == torch.float32
        with pytest.raises(KeyError), single_precision():
            raise KeyError
        A = torch.ones(2, 2, dtype=torch.float)
        assert (A @ A).dtype == torch.bfloat16 and torch.is_autocast_enabled("cpu")
        assert torch.ones(1).dtype == torch.float64
