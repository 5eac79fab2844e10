"""A graph that cannot be trained on is named before the first step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn

from smixup.augment import Augmentation, SMixup
from smixup.classifiers import GCN, GIN, Classifier
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching import RandomOrder
from smixup.memory import set_budget
from smixup.training import TrainSettings, fit
from smixup.training.loop import Splits
from smixup.training.room import memory_of_step


@pytest.fixture(autouse=True)
def default_budget() -> Iterator[None]:
    yield
    set_budget(None)


@pytest.fixture
def data(make_graphs: Callable[..., Graphs]) -> Splits:
    graphs = make_graphs([5, 6, 400, 7, 5, 6, 7, 8])
    return Splits(graphs[:6], graphs[6:7], graphs[7:])


SETTINGS = TrainSettings(epochs=1, learning_rate=0.01, batch_size=4)


def test_the_graph_is_named_with_what_it_needs(data: Splits) -> None:
    set_budget("100KB")
    with pytest.raises(
        SmixupError,
        match=r"training on graph 2, with 400 nodes, needs about 2 MB of memory, and 1 MB may be "
        r"used: leave it out, cut it into parts, or make the model smaller, or allow more",
    ):
        fit(GCN(3, 2), data, Augmentation(), SETTINGS)


def test_what_fits_is_trained_on(data: Splits) -> None:
    set_budget("64MB")
    result = fit(GCN(3, 2), data, Augmentation(), SETTINGS)
    assert result.history.epochs == 1


def test_a_mix_of_the_graph_counts_too(data: Splits) -> None:
    model = GCN(3, 2)
    set_budget(int(1.5 * memory_of_step(model, 400, 3)))
    fit(model, data, Augmentation(), SETTINGS)
    with pytest.raises(SmixupError, match="graph 2"):
        fit(model, data, SMixup(RandomOrder(), partners=1), SETTINGS)


@pytest.mark.parametrize("backbone", [GCN, GIN])
def test_the_estimate_is_no_less_than_what_autograd_keeps(
    backbone: type[Classifier], make_graphs: Callable[..., Graphs]
) -> None:
    """Tensors that the backward pass holds, counted one by one."""
    graphs = make_graphs([500])
    model = backbone(3, 2, hidden_channels=32, num_layers=4)
    kept: dict[int, int] = {}

    def remember(tensor: torch.Tensor) -> torch.Tensor:
        if not isinstance(tensor, nn.Parameter):
            kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(remember, lambda tensor: tensor):
        model(graphs).sum().backward()
    assert sum(kept.values()) <= memory_of_step(model, 500, 3)
