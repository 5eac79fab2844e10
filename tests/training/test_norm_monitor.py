"""What mixes do to the originals behind a batch norm, computed by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from smixup.classifiers import GCN, GIN
from smixup.graphs import Graphs
from smixup.training.norm_monitor import farthest_from_one, originals_std


class OneNorm(nn.Module):
    """A norm over nodes and nothing else."""

    def __init__(self, norm: nn.BatchNorm1d) -> None:
        super().__init__()
        self.norm = norm

    def forward(self, batch: Graphs) -> Tensor:
        found: Tensor = self.norm(batch.x)
        return found.relu_()


class FromFirst(nn.BatchNorm1d):
    """Takes mean and variance from the first nodes alone."""

    number = 0

    def forward(self, x: Tensor) -> Tensor:
        first = x[: self.number]
        z = (x - first.mean(0)) / (first.var(0, correction=0) + self.eps).sqrt()
        return z * self.weight + self.bias


@pytest.fixture
def mixes(graphs: Graphs) -> Graphs:
    return graphs.replace(x=3 * graphs.x + 1)


@pytest.fixture
def norm() -> nn.BatchNorm1d:
    """With a scale and a shift, which do not count."""
    norm = nn.BatchNorm1d(3)
    norm.weight.data, norm.bias.data = torch.tensor([2.0, -0.5, 3.0]), torch.tensor([1.0, 2.0, -4])
    return norm


def test_by_hand(graphs: Graphs, mixes: Graphs, norm: nn.BatchNorm1d) -> None:
    everything = torch.cat([graphs.x, mixes.x])
    variance = graphs.x.var(0, correction=0) / (everything.var(0, correction=0) + norm.eps)
    found = originals_std(OneNorm(norm), graphs, mixes)
    assert found == {"norm": pytest.approx(float(variance.mean().sqrt()))}
    assert found["norm"] < 0.7


def test_mixes_like_originals_do_not_matter(graphs: Graphs, norm: nn.BatchNorm1d) -> None:
    assert originals_std(OneNorm(norm), graphs, graphs)["norm"] == pytest.approx(1, abs=1e-4)


def test_a_norm_of_another_kind(graphs: Graphs, mixes: Graphs) -> None:
    norm = FromFirst(3)
    norm.number = graphs.num_nodes
    assert originals_std(OneNorm(norm), graphs, mixes)["norm"] == pytest.approx(1, abs=1e-4)


def test_channels_without_variance_are_left_out(graphs: Graphs, mixes: Graphs) -> None:
    dead, more = (each.replace(x=each.x.clone()) for each in (graphs, mixes))
    dead.x[:, 1], more.x[:, 1] = 0.0, 5.0
    all_three = originals_std(OneNorm(nn.BatchNorm1d(3)), dead, more)["norm"]
    kept = [each.replace(x=each.x[:, [0, 2]]) for each in (dead, more)]
    assert all_three == pytest.approx(originals_std(OneNorm(nn.BatchNorm1d(2)), *kept)["norm"])
    flat = graphs.replace(x=torch.ones_like(graphs.x))
    assert originals_std(OneNorm(nn.BatchNorm1d(3)), flat, mixes) == {}


def test_every_norm_of_a_classifier_and_the_model_stays(
    graphs: Graphs, mixes: Graphs, make_graphs: Callable[..., Graphs]
) -> None:
    model = GIN(3, 2, hidden_channels=8, num_layers=2, dropout=0.5).eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    state = torch.random.get_rng_state()
    found = originals_std(model, graphs, mixes)
    places = [f"layers.{i}.{which}_norm" for i in range(2) for which in ("inner", "outer")]
    assert list(found) == places
    assert not model.training
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert torch.equal(state, torch.random.get_rng_state())
    assert not any(module._forward_hooks for module in model.modules())
    repaired = originals_std(model, graphs, mixes, norm_from_originals=True)
    assert repaired.keys() == found.keys()
    assert all(abs(each - 1) < 0.05 for each in repaired.values())
    assert originals_std(GCN(3, 2), graphs, mixes) == {}


def test_the_worst_layer() -> None:
    assert farthest_from_one({"a": 0.9, "b": 1.2, "c": 1.0}) == 1.2
    assert farthest_from_one({"a": 0.7, "b": 1.2}) == 0.7
    assert farthest_from_one({}) is None
