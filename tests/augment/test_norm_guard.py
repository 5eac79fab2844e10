"""The guard of batch norms in other people's models: pools, copies, compilers, trainers."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    ASAPooling,
    EdgePooling,
    GCNConv,
    SAGPooling,
    TopKPooling,
    global_mean_pool,
)
from torch_geometric.utils import to_dense_batch

from smixup.augment.base import Augmentation
from smixup.augment.batch_norm import is_guarded
from smixup.augment.norm_guard import BatchRows, NormGuard, pooled_rows
from smixup.graphs import Graphs

# Some of these compare with a model that nobody guards.
pytestmark = pytest.mark.filterwarnings(
    "ignore::smixup.augment.first_pass.UnguardedBatchNorm", "ignore:Sparse:UserWarning"
)


class Wild(Augmentation):
    """Puts graphs with huge features behind the originals: felt by any norm that sees them."""

    norm_from_originals = True
    num_classes = 2
    resting = False

    def on_batch(self, batch: Graphs) -> Graphs:
        if self.resting:
            return batch
        return Graphs.cat([batch, batch.replace(x=40 - 50 * batch.x)[1:]])


def graph(n: int) -> Data:
    ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    edge_index = torch.cat([ring, ring.flip(0)], dim=1)
    return Data(x=torch.rand(n, 3), edge_index=edge_index, y=torch.tensor([0]))


@pytest.fixture
def batch() -> Batch:
    """Rings of five nodes and more: in one of four, the scores of an edge pool are tied."""
    torch.manual_seed(0)
    return Batch.from_data_list([graph(5 + i % 4) for i in range(6)])


class Net(nn.Module):
    """A norm over nodes and one over graphs; given a batch, or its tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = GCNConv(3, 3), nn.Linear(3, 2)
        self.inner, self.last = nn.BatchNorm1d(3), nn.BatchNorm1d(2)

    def forward(self, batch: Batch) -> Tensor:
        return self.tensors(batch.x, batch.edge_index, batch.batch)

    def tensors(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        h = self.inner(self.conv(x, edge_index)).relu()
        return self.last(self.head(global_mean_pool(h, batch)))


class ByTensors(Net):
    forward = Net.tensors  # type: ignore[assignment]


class Pooled(nn.Module):
    """A norm behind a pool."""

    def __init__(self, pool: nn.Module) -> None:
        super().__init__()
        self.before, self.pool = nn.BatchNorm1d(3), pool
        self.behind, self.last = nn.BatchNorm1d(3), nn.BatchNorm1d(3)

    def forward(self, batch: Batch) -> Tensor:
        out = self.pool(self.before(batch.x), batch.edge_index, batch=batch.batch)
        kept = out[2] if isinstance(self.pool, EdgePooling) else out[3]
        return self.last(global_mean_pool(self.behind(out[0]), kept))


def assert_unfelt(model: nn.Module, batch: Batch, mix: Augmentation | None = None) -> Batch:
    """Originals come out of the model as if alone, and leave the same running statistics."""
    mix = mix or Wild()
    alone, number = copy.deepcopy(model), batch.num_graphs
    expected = alone(batch)
    ordinary = copy.deepcopy(model)(mix(batch))
    with warnings.catch_warnings(), mix.training(model):
        warnings.filterwarnings("error", message="batch norm")
        mixed = mix(batch)
        found = model(mixed)
    torch.testing.assert_close(found[:number], expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(dict(model.state_dict()), dict(alone.state_dict()))
    assert not torch.allclose(ordinary[:number], expected, atol=0.05), "unguarded, they are felt"
    return mixed


@pytest.mark.parametrize(
    "make",
    [
        partial(TopKPooling, 3, ratio=0.5),
        partial(SAGPooling, 3, ratio=0.6),
        partial(ASAPooling, 3, ratio=0.5),
        partial(EdgePooling, 3),  # its rows are in no order of graphs
        partial(TopKPooling, 3, ratio=1),  # as many rows as graphs
    ],
    ids=["topk", "sag", "asap", "edge", "one each"],
)
def test_norms_behind_a_pool(make: Callable[[], nn.Module], batch: Batch) -> None:
    torch.manual_seed(1)
    assert_unfelt(Pooled(make()), batch)


def test_rows_of_an_edge_pool_are_not_in_the_order_of_graphs(batch: Batch) -> None:
    """If they were, the test above would show less than it says."""
    torch.manual_seed(1)
    kept = EdgePooling(3)(batch.x, batch.edge_index, batch.batch)[2]
    assert (kept.diff() < 0).any()


class Dense(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Linear(3, 3))
        self.channels, self.flat = nn.BatchNorm1d(3), nn.BatchNorm1d(3)
        self.block = DenseBlock()

    def forward(self, batch: Batch) -> Tensor:
        h, _ = to_dense_batch(self.first(batch.x), batch.batch)
        h = self.block(self.channels(h.mT).mT)
        return self.flat(h.reshape(-1, 3)).view(h.shape).sum(1)


class DenseBlock(nn.Module):
    def forward(self, h: Tensor) -> Tensor:
        return h.relu()


def test_dense_graphs(batch: Batch) -> None:
    torch.manual_seed(1)
    assert_unfelt(Dense(), batch)


class Uneven(nn.Module):
    """Keeps the rows that it is told to."""

    keep: Tensor

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> tuple[Tensor, ...]:
        return x[self.keep], edge_index, edge_index, batch[self.keep]


class TwoKinds(nn.Module):
    """A norm over the rows behind a pool, and one over edges."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = Uneven()
        self.behind, self.of_edges = nn.BatchNorm1d(3), nn.BatchNorm1d(3)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        rows = self.pool(batch.x, batch.edge_index, batch.batch)[0]
        return self.behind(rows), self.of_edges(batch.x[batch.edge_index[0]])


@pytest.mark.parametrize("past", [True, False])
def test_a_pool_that_leaves_as_many_rows_as_there_are_edges(batch: Batch, past: bool) -> None:
    """Both kinds have as many rows, but not as many of originals: each norm keeps to the kind that
    it has seen before. Without a past, all take the latest kind, and edges are taken for the other.
    """
    model, mix = TwoKinds(), Wild()
    with mix.training(model):
        mixed = mix(batch)
        every = torch.arange(mixed.num_nodes)
        if past:
            model.pool.keep = every[1:]
            model(mixed)
        model.pool.keep = torch.cat([every.new_zeros(mixed.num_edges - len(every)), every])
        behind, of_edges = model(mixed)
    kept, edges = mixed.x[model.pool.keep], mixed.x[mixed.edge_index[0]]
    assert len(kept) == len(edges)
    originals = mixed.batch[model.pool.keep] < 6
    expected = nn.BatchNorm1d(3)(kept[originals])
    torch.testing.assert_close(behind[originals], expected, rtol=1e-4, atol=1e-4)
    first = mixed.batch[mixed.edge_index[0]] < 6
    found, expected = of_edges[first], nn.BatchNorm1d(3)(edges[first])
    assert torch.allclose(found, expected, rtol=1e-4, atol=1e-4) is past


def test_what_only_looks_like_a_vector_of_graphs() -> None:
    batch = BatchRows(3, 2, {"graphs": (3, 2), "nodes": (9, 5), "edges": (18, 10)})
    x, edge_index = torch.rand(4, 2), torch.zeros(2, 6, dtype=torch.long)
    vector, kept = torch.tensor([0, 0, 1, 2]), torch.tensor([0, 1, 4, 6])
    assert pooled_rows([x, edge_index, vector, kept], batch) == (4, 3)
    assert pooled_rows([x, edge_index, kept], batch) is None
    assert pooled_rows([x, edge_index, torch.tensor([0, 0, 1, 1])], batch) is None
    assert pooled_rows([x, vector[:3]], batch) is None
    assert pooled_rows([x, vector.float()], batch) is None
    found = pooled_rows([x, torch.tensor([2, 0, 1, 0])], batch)
    assert found is not None
    assert found[1].tolist() == [False, True, True, True]  # type: ignore[union-attr]


def test_degrees_beside_nodes_are_not_taken_for_graphs(batch: Batch) -> None:
    class Degrees(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return x, torch.arange(len(x)) % 11  # every number of a graph is among them

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.degrees, self.norm = Degrees(), nn.BatchNorm1d(3)

        def forward(self, batch: Batch) -> Tensor:
            return global_mean_pool(self.norm(self.degrees(batch.x)[0]), batch.batch)

    assert Wild()(batch).num_graphs == 11
    assert_unfelt(Model(), batch)


def test_rows_of_unknown_origin_are_said_once(batch: Batch) -> None:
    class Loops(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1d(3)

        def forward(self, batch: Batch) -> Tensor:
            loops = torch.cat([batch.edge_index[0], torch.arange(batch.num_nodes)])
            out: Tensor = self.norm(batch.x[loops])
            return out

    model, mix = Loops(), Wild()
    with mix.training(model):
        with pytest.warns(UserWarning, match="batch norm 'norm' sees"):
            model(mix(batch))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model(mix(batch))


# Which batch is it?


def test_a_batch_that_was_made_earlier(batch: Batch) -> None:
    """Loaders of Lightning and accelerate are one batch ahead of the model."""
    later = Batch.from_data_list(batch.to_data_list()[:2])
    for make in (Net, ByTensors):
        torch.manual_seed(0)
        model, mix = make(), Wild()
        arguments = (lambda b: (b,)) if make is Net else (lambda b: (b.x, b.edge_index, b.batch))
        expected = copy.deepcopy(model)(*arguments(batch))
        with warnings.catch_warnings(), mix.training(model):
            warnings.simplefilter("error")
            mixed, _ = mix(batch), mix(later)
            found = model(*arguments(mixed))
        torch.testing.assert_close(found[:6], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_a_batch_that_a_worker_made(batch: Batch) -> None:
    torch.manual_seed(0)
    mix, model = Wild(), Net()
    expected = copy.deepcopy(model)(batch)
    loader = DataLoader(batch.to_data_list(), 6, num_workers=1)
    loader.collate_fn = partial(_mixed, mix)
    with mix.training(model):
        (mixed,) = loader
        torch.testing.assert_close(model(mixed)[:6], expected, rtol=1e-4, atol=1e-4)


def _mixed(mix: Augmentation, data: list[Data]) -> Batch:
    return mix(Batch.from_data_list(data))


def test_a_batch_without_mixes_is_normalised_as_usual(batch: Batch) -> None:
    torch.manual_seed(0)
    model, mix, other = Net(), Wild(), Batch.from_data_list([graph(5) for _ in range(11)])
    for clean in (batch, Batch.from_data_list(batch.to_data_list()[:4])):
        expected = copy.deepcopy(model)(clean)
        with warnings.catch_warnings(), mix.training(model):
            warnings.simplefilter("error")
            mix(batch)
            found = copy.deepcopy(model)(clean)
            torch.testing.assert_close(found, expected)
            assert torch.equal(model(clean), expected) or clean is batch
    with mix.training(model):
        mix(batch)
        mix.resting = True
        assert mix(other) is other
        expected = copy.deepcopy(model)(other)
        assert torch.equal(model(other), expected), "although as many graphs as in the mixed batch"
        assert not hasattr(other, "_smixup_originals"), "inputs are not written on"


def test_a_batch_that_was_transformed_after_mixing(batch: Batch) -> None:
    torch.manual_seed(0)
    model, mix = Net(), Wild()
    mixed = mix(batch)
    parts = [Data(x=d.x[1:], edge_index=_without_first(d.edge_index)) for d in mixed.to_data_list()]
    expected = copy.deepcopy(model)(Batch.from_data_list(parts[:6]))
    with mix.training(model) as guard:
        guard.tell(mixed, 6)
        found = model(Batch.from_data_list(parts))
    torch.testing.assert_close(found[:6], expected, rtol=1e-4, atol=1e-4)


def _without_first(edge_index: Tensor) -> Tensor:
    return edge_index[:, (edge_index > 0).all(0)] - 1


# Copies, nesting, errors.


def test_copies_are_ordinary_models(batch: Batch) -> None:
    torch.manual_seed(0)
    model, mix = Net(), Wild()
    with mix.training(model):
        mixed = mix(batch)
        copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
        methods = [copy.deepcopy(mix), pickle.loads(pickle.dumps(mix))]
        for each in copies:
            assert not any(is_guarded(module) for module in each.modules())
            expected = Net()
            expected.load_state_dict(each.state_dict())
            torch.testing.assert_close(each(mixed), expected(mixed))
        assert all(is_guarded(norm) for norm in (model.inner, model.last))
        for each in methods:
            each(batch)
            assert each._guards == ()
    again = copy.deepcopy(copies[0])
    assert again.inner.forward.__self__ is again.inner


def test_a_model_is_left_as_it_was(batch: Batch) -> None:
    model, mix = Net(), Wild()

    def calm(x: Tensor) -> Tensor:
        return x

    model.last.forward = calm  # type: ignore[method-assign]
    before = [dict(vars(module)) for module in model.modules()]
    with pytest.raises(ZeroDivisionError), mix.training(model):
        model(mix(batch))
        raise ZeroDivisionError
    for module, attributes in zip(model.modules(), before, strict=True):
        assert set(vars(module)) == set(attributes)
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
    assert model.last.forward is calm
    assert mix(batch) is not batch
    assert mix._guards == ()


def test_guards_may_be_nested_and_removed_in_any_order(batch: Batch) -> None:
    torch.manual_seed(0)
    model, first, second = Net(), Wild(), Wild()
    expected = copy.deepcopy(model)(batch)

    def close(found: Tensor) -> bool:
        return torch.allclose(found[:6], expected, rtol=1e-4, atol=1e-4)

    with first.training(model):
        with second.training(model), first.training(model):
            assert close(model(second(batch)))
            assert close(model(first(batch)))
        assert close(model(first(batch)))
    outer, inner = first.guard(model), second.guard(model)
    outer.remove()
    assert close(model(second(batch)))
    outer.remove()
    inner.remove()
    assert not any("forward" in vars(module) for module in model.modules())


def test_an_error_in_the_model_does_not_confuse_the_guard(batch: Batch) -> None:
    torch.manual_seed(0)
    model, mix = Net(), Wild()
    expected = copy.deepcopy(model)(batch)
    with mix.training(model):
        mixed = mix(batch)
        with pytest.raises(AttributeError):
            model(None)
        later = mix(Batch.from_data_list(batch.to_data_list()[:2]))
        assert later.num_graphs == 3
        torch.testing.assert_close(model(mixed)[:6], expected, rtol=1e-4, atol=1e-4)


def test_frozen_norms_stay_frozen(batch: Batch) -> None:
    torch.manual_seed(0)
    model, mix = Net(), Wild()
    model.inner.eval()
    before = copy.deepcopy(model.inner.state_dict())
    assert_unfelt(model, batch, mix)
    torch.testing.assert_close(dict(model.inner.state_dict()), dict(before))


def test_one_original_row_is_too_few(batch: Batch) -> None:
    """Its variance would be zero, and mixes would be scaled by the root of 1 / eps."""
    single = Batch.from_data_list(batch.to_data_list()[:1])

    class Twice(Wild):
        def on_batch(self, batch: Graphs) -> Graphs:
            return Graphs.cat([batch, batch.replace(x=-batch.x)])

    torch.manual_seed(0)
    model, mix = Net(), Twice()
    with mix.training(model):
        out = model(mix(single))
    assert out.abs().max() < 2


def test_a_norm_that_is_lazy(batch: Batch) -> None:
    class Lazy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.LazyBatchNorm1d()

        def forward(self, batch: Batch) -> Tensor:
            return global_mean_pool(self.norm(batch.x), batch.batch)

    model, mix = Lazy(), Wild()
    with mix.training(model):
        found = model(mix(batch))
    expected = global_mean_pool(nn.BatchNorm1d(3)(batch.x), batch.batch)
    torch.testing.assert_close(found[:6], expected)


def test_autocast(batch: Batch) -> None:
    torch.manual_seed(0)
    model, mix = Net(), Wild()
    expected = copy.deepcopy(model)(batch)
    mixed = mix(batch)
    with mix.training(model) as guard, torch.autocast("cpu", torch.bfloat16):
        guard.tell(mixed, 6)
        found = model(mixed)
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found[:6].float(), expected, rtol=0.1, atol=0.2)
    found.float().sum().backward()


def test_nothing_is_installed_where_nothing_is_to_do() -> None:
    for guard in (NormGuard(nn.Linear(2, 2)).install(), NormGuard(Net(), active=False).install()):
        assert not guard.handles
        assert not guard.installed


@pytest.mark.slow
@pytest.mark.parametrize("when", ["compiled before", "compiled within"])
def test_compiled_models(when: str, batch: Batch) -> None:
    from torch._dynamo import reset
    from torch._dynamo.testing import CompileCounter

    reset()
    torch.manual_seed(0)
    plain, mix, counter = ByTensors(), Wild(), CompileCounter()
    model = torch.compile(plain, backend=counter, dynamic=True)
    data = batch.to_data_list()
    with torch.no_grad():
        if when == "compiled before":
            model(batch.x, batch.edge_index, batch.batch)
        counts = []
        with mix.training(model):
            for number in (6, 5, 4, 3, 6):
                part = Batch.from_data_list(data[:number])
                expected = copy.deepcopy(plain)(part.x, part.edge_index, part.batch)
                mixed = mix(part)
                found = model(mixed.x, mixed.edge_index, mixed.batch)
                torch.testing.assert_close(found[:number], expected, rtol=1e-3, atol=1e-3)
                counts.append(counter.frame_count)
        assert counts[0] == counts[-1], "compiled once"
        expected = copy.deepcopy(plain)(mixed.x, mixed.edge_index, mixed.batch)
        outside = model(mixed.x, mixed.edge_index, mixed.batch)
        torch.testing.assert_close(outside, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.slow
def test_a_compiled_model_with_a_pool(batch: Batch) -> None:
    from torch._dynamo import reset

    reset()
    torch.manual_seed(1)
    plain, mix = Pooled(TopKPooling(3, ratio=0.5)), Wild()
    model = torch.compile(plain, backend="eager", dynamic=True)
    expected = copy.deepcopy(plain)(batch)
    with warnings.catch_warnings(), mix.training(model):
        warnings.simplefilter("ignore")  # torch's own, about itself
        warnings.filterwarnings("error", message="batch norm")
        found = model(mix(batch))
    torch.testing.assert_close(found[:6], expected, rtol=1e-3, atol=1e-3)
