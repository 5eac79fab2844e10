"""Statistics of batch norm taken again: what is averaged, and what stays as it was."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

from smixup import refresh_batch_norm
from smixup.errors import SmixupError


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(3, momentum=0.3), nn.Dropout(0.5)
        self.second = nn.BatchNorm2d(1)

    def forward(self, batch: Batch) -> Tensor:
        return self.by(batch.x, batch.num_graphs)

    def by(self, x: Tensor, graphs: int) -> Tensor:
        h = self.drop(self.norm(x))
        return self.second(h.view(graphs, 1, -1, 3)).sum((1, 2, 3))


class ByTensors(Net):
    forward = Net.by  # type: ignore[assignment]


@pytest.fixture
def loader() -> list[Batch]:
    torch.manual_seed(0)
    sizes = (5, 5, 2)
    return [
        Batch.from_data_list([Data(x=torch.randn(4, 3) + i) for _ in range(size)])
        for i, size in enumerate(sizes)
    ]


def test_the_averages_of_all_batches(loader: list[Batch]) -> None:
    model = Net()
    model.norm.eval()
    state, modes = torch.get_rng_state(), [each.training for each in model.modules()]
    refresh_batch_norm(model, loader)
    means = torch.stack([batch.x.mean(0) for batch in loader])
    variances = torch.stack([batch.x.var(0) for batch in loader])
    torch.testing.assert_close(model.norm.running_mean, means.mean(0))
    torch.testing.assert_close(model.norm.running_var, variances.mean(0))
    assert model.second.num_batches_tracked == 3
    assert model.norm.momentum == 0.3
    assert [each.training for each in model.modules()] == modes
    assert torch.equal(torch.get_rng_state(), state)


def test_ways_to_call_the_model(loader: list[Batch]) -> None:
    expected, first, second = Net(), ByTensors(), ByTensors()
    refresh_batch_norm(expected, loader)
    refresh_batch_norm(first, loader, lambda batch: first(batch.x, batch.num_graphs))
    refresh_batch_norm(second, loader, lambda model, batch: model(batch.x, batch.num_graphs))
    for model in (first, second):
        torch.testing.assert_close(model.norm.running_mean, expected.norm.running_mean)


def test_what_fails_leaves_the_statistics(loader: list[Batch]) -> None:
    model = ByTensors()
    model(loader[0].x, 5)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(SmixupError, match="say how the model is called, for example by forward="):
        refresh_batch_norm(model, loader)
    with pytest.raises(SmixupError, match="no batches"):
        refresh_batch_norm(model, [])
    with pytest.raises(ZeroDivisionError):
        refresh_batch_norm(model, loader, lambda batch: 1 / (batch.num_graphs - 2))
    torch.testing.assert_close(dict(model.state_dict()), dict(before))
    assert model.norm.momentum == 0.3
    assert model.training


def test_a_model_without_batch_norm_is_not_called(loader: list[Batch]) -> None:
    refresh_batch_norm(nn.Linear(3, 3), loader)
