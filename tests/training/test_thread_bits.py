"""What the number of threads may change: sums over all nodes at once, by a rounding, and nothing
else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.augment import Augmentation
from smixup.classifiers import GCN
from smixup.datasets import load_dataset
from smixup.training import Splits, TrainSettings, fit

BOUND = 1e-5
ROWS = 2000


@contextmanager
def threads(number: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def at_one_two_and_four(compute: Callable[[], Tensor]) -> list[Tensor]:
    found = []
    for number in (1, 2, 4):
        with threads(number):
            found.append(compute())
    return found


def rows() -> Tensor:
    return torch.randn(ROWS, 32, generator=torch.Generator().manual_seed(0))


def summed_neighbours() -> Tensor:
    index = torch.arange(4 * ROWS) * 7 % ROWS
    begin = torch.arange(0, 4 * ROWS, 4)
    weight = torch.ones(4 * ROWS)
    return F.embedding_bag(index, rows(), begin, mode="sum", per_sample_weights=weight)


@pytest.mark.parametrize(
    "compute",
    [
        lambda: rows() @ rows()[:32],
        lambda: rows().T @ rows(),
        lambda: rows().view(20, 100, 32) @ rows().view(20, 100, 32).transpose(1, 2),
        lambda: rows().sum(0),
        lambda: rows().softmax(1),
        summed_neighbours,
    ],
)
def test_products_and_sums_over_nodes_keep_their_bits(compute: Callable[[], Tensor]) -> None:
    one, *more = at_one_two_and_four(compute)
    assert all(torch.equal(one, each) for each in more)


@pytest.mark.parametrize(
    "compute",
    [
        lambda: F.batch_norm(rows(), None, None, training=True),
        lambda: torch.dot(rows().flatten(), rows().flatten()),
        lambda: rows().abs().mean(),
    ],
)
def test_statistics_of_all_nodes_differ_by_a_rounding(compute: Callable[[], Tensor]) -> None:
    one, *more = at_one_two_and_four(compute)
    assert all(float((one - each).abs().max() / one.abs().max()) < BOUND for each in more)


def test_without_batch_norm_a_run_has_the_same_bits_at_two_threads() -> None:
    graphs = load_dataset("MOTIF", num_graphs=60).graphs

    def losses() -> Tensor:
        torch.manual_seed(0)
        model = GCN(1, 3, hidden_channels=16, num_layers=2, batch_norm=False)
        splits = Splits(graphs[:40], graphs[40:], graphs[40:])
        done = fit(model, splits, Augmentation(), TrainSettings(3, 0.01, 16))
        return torch.tensor(done.history.curves["train_loss"])

    one, *more = at_one_two_and_four(losses)
    assert all(torch.equal(one, each) for each in more)
