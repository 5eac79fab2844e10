"""Autocast and another default dtype change neither alignments nor mixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup import (
    RRWM,
    AlignedCut,
    Augmentation,
    DropNode,
    GMixup,
    GraphMatcher,
    IfMixup,
    Matcher,
    SiameseMatcher,
    SMixup,
    SubMix,
    Uniform,
    from_pyg,
)
from smixup.precision import single_precision

SMALL: dict[str, Any] = {
    "max_steps": 4,
    "evaluate_every": 2,
    "hidden_channels": 8,
    "num_layers": 2,
}
MATCHERS: dict[str, Callable[[], Matcher]] = {
    "graph matcher": lambda: GraphMatcher(**SMALL),
    "columns": lambda: GraphMatcher(**SMALL, normalization="columns", perplexity=2.0),
    "consensus": lambda: GraphMatcher(**SMALL, normalization="consensus"),
    "siamese": lambda: SiameseMatcher(**SMALL, normalization="sinkhorn"),
    "rrwm": RRWM,
    "neighbours alone": lambda: Uniform(normalization="one-to-one"),
}
METHODS: dict[str, Callable[[], Augmentation]] = {
    "s-mixup": lambda: SMixup(GraphMatcher(**SMALL), label="arrived", adaptive=True, seed=0),
    "paper": lambda: SMixup.as_published(GraphMatcher(**SMALL, normalization="columns"), seed=0),
    "s-cut": lambda: AlignedCut(GraphMatcher(**SMALL), seed=0),
    "if-mixup": lambda: IfMixup(seed=0),
    "g-mixup": lambda: GMixup(seed=0, amount=0.5),
    "submix": lambda: SubMix(seed=0),
    "drop-node": lambda: DropNode(seed=0),
}


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


LOOPS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "double": lambda: default_dtype(torch.float64),
}


def cycle(n: int, label: int) -> Data:
    i = torch.arange(n)
    there, back = torch.stack([i, (i + 1) % n]), torch.stack([(i + 1) % n, i])
    x = torch.rand(n, 2, generator=torch.Generator().manual_seed(n), dtype=torch.float)
    return Data(x=x, edge_index=torch.cat([there, back], dim=1), y=torch.tensor([label]))


@pytest.fixture
def train() -> list[Data]:
    return [cycle(5 + k % 4, k % 2) for k in range(20)]


def fields(batch: Batch) -> dict[str, torch.Tensor]:
    return {name: batch[name] for name in ("x", "edge_index", "edge_weight", "y") if name in batch}


def same(first: Batch, second: Batch) -> bool:
    left, right = fields(first), fields(second)
    return left.keys() == right.keys() and all(
        left[name].dtype == right[name].dtype and torch.equal(left[name], right[name])
        for name in left
    )


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("matcher", MATCHERS)
def test_alignments_are_the_same(matcher: str, loop: str, train: list[Data]) -> None:
    plain = MATCHERS[matcher]().fit(train)
    graphs, every = from_pyg(train), torch.arange(len(train))
    expected = plain.assign(plain.prepare(graphs), every, every.flip(0)).to_dense()
    with LOOPS[loop]():
        inside = MATCHERS[matcher]().fit(train)
        assigned = inside.assign(inside.prepare(from_pyg(train)), every, every.flip(0))
        called = inside(graphs, graphs[every.flip(0)])
        pair = plain.match(train[1], train[2])
    for found in (assigned.to_dense(), called.to_dense()):
        assert expected.dtype == found.dtype == torch.float32
        assert torch.equal(found, expected)
    assert torch.equal(pair, plain.match(train[1], train[2]))


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("method", METHODS)
def test_mixes_are_the_same(method: str, loop: str, train: list[Data]) -> None:
    fitted, batch = METHODS[method]().fit(train), Batch.from_data_list(train)
    longer = Batch.from_data_list(fitted.extend(train))
    later, expected = deepcopy(fitted), fitted(batch)
    with LOOPS[loop]():
        inside = METHODS[method]().fit(train)
        again = Batch.from_data_list(inside.extend(train))
        found, fitted_before = inside(batch), later(batch)
    assert same(longer, again)
    assert same(expected, found)
    assert same(expected, fitted_before)


def test_the_loop_has_its_own_precision_again() -> None:
    with torch.autocast("cpu", torch.bfloat16), default_dtype(torch.float64):
        with single_precision():
            assert not torch.is_autocast_enabled("cpu")
            assert torch.ones(1).dtype == torch.float32
        assert torch.is_autocast_enabled("cpu")
        with pytest.raises(KeyError), single_precision():
            raise KeyError
        A = torch.ones(2, 2, dtype=torch.float)
        assert (A @ A).dtype == torch.bfloat16
        assert torch.ones(1).dtype == torch.float64
