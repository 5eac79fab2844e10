"""Batch norms of a foreign model go by the originals, over nodes, edges and graphs alike."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import pytest
import torch
from rings import ring
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, global_mean_pool

from smixup import refresh_batch_norm
from smixup.augment.base import Augmentation
from smixup.augment.norms import ByOriginals
from smixup.graphs import Graphs

# Some of these compare with a model that nobody guards.
pytestmark = pytest.mark.filterwarnings("ignore::smixup.augment.base.UnguardedModel")


class Wild(Augmentation):
    """Puts graphs with huge features behind the originals: felt by any norm that sees them."""

    norm_from_originals = True
    num_classes = 2

    def on_batch(self, batch: Graphs) -> Graphs:
        return Graphs.cat([batch, batch.replace(x=40 - 50 * batch.x)[1:]])


@pytest.fixture
def batch() -> Batch:
    torch.manual_seed(0)
    return Batch.from_data_list([ring(5 + i % 4) for i in range(6)])


class Shaped(nn.Module):
    """A norm over nodes whose features have some shape."""

    def __init__(self, norm: nn.Module, *shape: int) -> None:
        super().__init__()
        self.norm, self.shape = norm, shape

    def forward(self, batch: Batch) -> Tensor:
        return self.norm(batch.x.view(-1, *self.shape))


@pytest.mark.parametrize(
    ("make", "shape", "options"),
    [
        (nn.BatchNorm1d, (4,), {}),
        (nn.BatchNorm1d, (4,), {"affine": False}),
        (nn.BatchNorm1d, (4, 3), {"momentum": None}),
        (nn.BatchNorm2d, (4, 3, 2), {"track_running_stats": False}),
        (nn.BatchNorm3d, (4, 3, 2, 2), {}),
    ],
)
def test_mean_and_variance_are_those_of_the_originals(
    make: Any, shape: tuple[int, ...], options: dict[str, Any]
) -> None:
    torch.manual_seed(0)
    ours = make(4, **options)
    for parameter in ours.parameters():
        nn.init.uniform_(parameter, -1.0, 2.0)
    alone, model, mix = copy.deepcopy(ours), Shaped(ours, *shape), Wild()
    for _ in range(3):
        x = 3 + 2 * torch.randn(20, *shape)
        parts = [Data(x[i : i + 5].flatten(1), torch.zeros(2, 0).long()) for i in (0, 5, 10, 15)]
        batch = Batch.from_data_list(parts)
        expected = alone(x)
        with mix.training(model):
            mixed = mix(batch)
            found = model(mixed)
        torch.testing.assert_close(found[:20], expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(dict(ours.state_dict()), dict(alone.state_dict()))


@pytest.mark.parametrize("affine", [True, False])
def test_gradients_flow_through_the_statistics(affine: bool, batch: Batch) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4, affine=affine)).double()
    batch.x, mix, n = batch.x.double(), Wild(), batch.num_nodes
    with mix.training(model):
        mixed = mix(batch)
        found = model(mixed.x)
    h = model[0](mixed.x)
    expected = (h - h[:n].mean(0)) / (h[:n].var(0, correction=0) + model[1].eps).sqrt()
    if affine:
        expected = expected * model[1].weight + model[1].bias
    torch.testing.assert_close(found, expected)
    weight = torch.rand(found.shape, dtype=torch.double)
    one, two = (
        torch.autograd.grad((weight * out).sum(), list(model.parameters()), retain_graph=True)
        for out in (found, expected)
    )
    torch.testing.assert_close(one, two)


class OfEveryKind(nn.Module):
    """A norm over nodes, one over edges and one over graphs."""

    def __init__(self) -> None:
        super().__init__()
        self.of_nodes, self.of_edges, self.of_graphs = (nn.BatchNorm1d(3) for _ in range(3))

    def forward(self, batch: Batch) -> Tensor:
        h = self.of_nodes(batch.x)
        messages = self.of_edges(h[batch.edge_index[0]])
        h = h.index_add(0, batch.edge_index[1], messages)
        return self.of_graphs(global_mean_pool(h, batch.batch))


class Net(nn.Module):
    """A norm over nodes and one over graphs, given the tensors of a batch."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = GCNConv(3, 3), nn.Linear(3, 2)
        self.inner, self.last = nn.BatchNorm1d(3), nn.BatchNorm1d(2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        h = self.inner(self.conv(x, edge_index)).relu()
        return self.last(self.head(global_mean_pool(h, batch)))


def called(model: nn.Module, batch: Batch) -> Tensor:
    return model(batch.x, batch.edge_index, batch.batch) if type(model) is Net else model(batch)


@pytest.mark.parametrize(
    "make",
    [
        OfEveryKind,
        Net,
    ],
    ids=["nodes, edges, graphs", "tensors"],
)
def test_originals_do_not_feel_what_is_mixed_beside_them(make: Any, batch: Batch) -> None:
    torch.manual_seed(1)
    model, mix = make(), Wild()
    alone, unguarded = copy.deepcopy(model), copy.deepcopy(model)
    expected = called(alone, batch)
    assert not torch.allclose(called(unguarded, mix(batch))[:6], expected, atol=0.05)
    with warnings.catch_warnings(), mix.training(model):
        warnings.filterwarnings("error", message="batch norm")
        found = called(model, mix(batch))
    torch.testing.assert_close(found[:6], expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(dict(model.state_dict()), dict(alone.state_dict()))


def test_batches_of_any_time_and_without_mixes(batch: Batch) -> None:
    """Loaders of Lightning and accelerate are one batch ahead of the model."""
    torch.manual_seed(0)
    model, mix = Net(), Wild()
    expected = called(copy.deepcopy(model), batch)
    with warnings.catch_warnings(), mix.training(model):
        warnings.simplefilter("error")
        mixed, _ = mix(batch), mix(Batch.from_data_list(batch.to_data_list()[:2]))
        with pytest.raises(TypeError):
            model(None, None, None)
        torch.testing.assert_close(called(model, mixed)[:6], expected, rtol=1e-4, atol=1e-4)


def test_a_model_is_left_as_it_was_and_copies_are_ordinary(batch: Batch) -> None:
    model, mix = Net(), Wild()
    before = [set(vars(module)) for module in model.modules()]
    with pytest.raises(ZeroDivisionError), mix.training(model):
        mixed = mix(batch)
        assert isinstance(model.inner.forward, ByOriginals)
        for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            expected = Net()
            expected.load_state_dict(twin.state_dict())
            torch.testing.assert_close(called(twin, mixed), called(expected, mixed))
        raise ZeroDivisionError
    assert [set(vars(module)) for module in model.modules()] == before
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_guards_may_be_nested(batch: Batch) -> None:
    torch.manual_seed(0)
    model, first, second = Net(), Wild(), Wild()
    expected = called(copy.deepcopy(model), batch)

    def close(found: Tensor) -> bool:
        return torch.allclose(found[:6], expected, rtol=1e-4, atol=1e-4)

    with first.training(model):
        with second.training(model), first.training(model):
            assert close(called(model, second(batch)))
        assert close(called(model, first(batch)))
    outer, inner = first.guard(model), second.guard(model)
    inner.remove()
    assert close(called(model, first(batch)))
    outer.remove()
    assert not any("forward" in vars(module) for module in model.modules())


def test_frozen_norms_evaluation_autocast_and_a_single_row(batch: Batch) -> None:
    torch.manual_seed(0)
    model, mix = Net(), Wild()
    model.inner.eval()
    before = copy.deepcopy(model.inner.state_dict())
    with mix.training(model):
        mixed = mix(batch)
        called(model, mixed)
        with torch.autocast("cpu", torch.bfloat16):
            half = called(model, mixed)
        model.eval()
        expected = called(copy.deepcopy(model), mixed)
        assert torch.equal(called(model, mixed), expected), "evaluation is left alone"
    torch.testing.assert_close(dict(model.inner.state_dict()), dict(before))
    assert half.dtype == torch.bfloat16
    single, model = Batch.from_data_list(batch.to_data_list()[:1]), OfEveryKind()

    class Twice(Wild):
        def on_batch(self, batch: Graphs) -> Graphs:
            return Graphs.cat([batch, batch.replace(x=-batch.x)])

    twice = Twice()
    with twice.training(model):  # the variance of one row is zero
        assert model(twice(single)).abs().max() < 2


class WithDropout(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(3, momentum=0.3), nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(self.norm(x))


def test_statistics_may_be_taken_again_over_all_batches() -> None:
    torch.manual_seed(0)
    batches = [
        Batch.from_data_list([Data(x=torch.randn(4, 3) + i) for _ in range(size)])
        for i, size in enumerate((5, 5, 2))
    ]
    model = WithDropout()
    model.norm.eval()
    state = torch.get_rng_state()
    refresh_batch_norm(model, batches, lambda batch: model(batch.x))
    means = torch.stack([batch.x.mean(0) for batch in batches])
    variances = torch.stack([batch.x.var(0) for batch in batches])
    torch.testing.assert_close(model.norm.running_mean, means.mean(0))
    torch.testing.assert_close(model.norm.running_var, variances.mean(0))
    assert (int(model.norm.num_batches_tracked), model.norm.momentum) == (3, 0.3)
    assert model.training and not model.norm.training
    assert torch.equal(torch.get_rng_state(), state)
    refresh_batch_norm(nn.Linear(3, 3), batches)  # has no norm, and is not called
