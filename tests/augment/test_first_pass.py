"""The first mixes on their way through a model: what is said, what is not, and that nothing
changes.
"""

from __future__ import annotations

import copy
import faulthandler
import gc
import pickle
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_module
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    GATConv,
    GCNConv,
    GINConv,
    GINEConv,
    GPSConv,
    GraphConv,
    NNConv,
    PNAConv,
    TransformerConv,
    global_mean_pool,
)
from warm_processes import start_ranks

from smixup import Compose, SMixup, hears_edge_weight
from smixup.augment.edge_weight import IgnoredEdgeWeight
from smixup.augment.first_pass import TRIES, UnguardedBatchNorm
from smixup.errors import SmixupError, UsageError
from smixup.matching import Identity
from smixup.nn import WeightedGATConv, WeightedGINConv, WeightedGINEConv, WeightedSAGEConv

Said = list[tuple[type[Warning], str]]


@pytest.fixture
def batch() -> Batch:
    torch.manual_seed(0)
    return Batch.from_data_list([graph(5 + i % 3) for i in range(6)])


def graph(n: int) -> Data:
    ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    chords = torch.tensor([[0, 1], [2, 3]])
    edges = torch.cat([ring, ring.flip(0), chords, chords.flip(0)], dim=1)
    edges = torch.unique(edges, dim=1)
    attributes = torch.rand(edges.size(1), 3)
    return Data(x=torch.rand(n, 3), edge_index=edges, edge_attr=attributes, y=torch.tensor([n % 2]))


@pytest.fixture
def mix() -> SMixup:
    return SMixup(Identity(), num_classes=2, edges="weighted", seed=0)


@pytest.fixture(autouse=True)
def no_hooks_left() -> Iterator[None]:
    yield
    gc.collect()
    assert not torch_module._has_any_global_hook()


def said(call: Callable[[], object]) -> Said:
    """What is warned of while something is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(each.category, str(each.message)) for each in caught]


class Net(nn.Module):
    """One layer, called in a given way, and a readout."""

    def __init__(self, conv: nn.Module, way: str = "", norm: bool = False) -> None:
        super().__init__()
        self.conv, self.way, self.head = conv, way, nn.LazyLinear(2)
        self.norm = nn.BatchNorm1d(4) if norm else nn.Identity()

    def forward(self, batch: Batch) -> Tensor:
        weight, attributes = batch.edge_weight, batch.edge_attr
        ways: dict[str, tuple[Any, ...]] = {
            "": (),
            "weight": (weight,),
            "attr": (attributes,),
            "weight as attr": (weight.unsqueeze(1),),
            "attr, weight": (attributes, weight),
            "batch": (batch.batch,),
        }
        more = {"edge_attr": attributes} if self.way == "batch" else {}
        h = self.conv(batch.x, batch.edge_index, *ways[self.way], **more)
        return self.head(global_mean_pool(self.norm(h).relu(), batch.batch))


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4))


def gps() -> nn.Module:
    return GPSConv(3, GINEConv(nn.Linear(3, 3)), heads=1, norm=None)


def pna() -> nn.Module:
    return PNAConv(3, 4, ["mean", "max"], ["identity"], deg=torch.tensor([0, 1, 2, 3]), edge_dim=3)


DEAF: dict[str, Callable[[], Net]] = {
    "GIN": lambda: Net(GINConv(mlp())),
    "GINE": lambda: Net(GINEConv(mlp()), "attr"),
    "GAT": lambda: Net(GATConv(3, 4)),
    "GAT with attributes": lambda: Net(GATConv(3, 4, edge_dim=3), "attr"),
    "NNConv": lambda: Net(NNConv(3, 4, nn.Linear(3, 12)), "attr"),
    "PNA": lambda: Net(pna(), "attr"),
    "GPS": lambda: Net(gps(), "batch"),
    "Transformer": lambda: Net(TransformerConv(3, 4, edge_dim=3), "attr"),
    "GCN without its weights": lambda: Net(GCNConv(3, 4)),
}
HEARING: dict[str, Callable[[], Net]] = {
    "GCN": lambda: Net(GCNConv(3, 4), "weight"),
    "GraphConv": lambda: Net(GraphConv(3, 4), "weight"),
    "GINE with weights": lambda: Net(GINEConv(mlp(), edge_dim=1), "weight as attr"),
    "GAT with weights": lambda: Net(GATConv(3, 4, edge_dim=1), "weight as attr"),
    "weighted GIN": lambda: Net(WeightedGINConv(mlp()), "weight"),
    "weighted GINE": lambda: Net(WeightedGINEConv(mlp()), "attr, weight"),
    "weighted SAGE": lambda: Net(WeightedSAGEConv(3, 4), "weight"),
    "weighted GAT": lambda: Net(WeightedGATConv(3, 4), "attr, weight"),
}


def test_nothing_is_mixed_for_a_deaf_model_unless_asked_for(batch: Batch) -> None:
    mix, model = SMixup(Identity(), num_classes=2, seed=0), DEAF["GIN"]()
    first = mix(batch)
    assert (first.edge_weight != 1).any()
    ((_, message),) = said(lambda: model(first))
    assert message.endswith("until then, nothing is mixed.")
    assert mix(batch).num_graphs == batch.num_graphs


def test_a_deaf_model_takes_no_step_on_mixes(batch: Batch) -> None:
    model = DEAF["GIN"]()
    mix = SMixup(Identity(), num_classes=2, seed=0)
    mixed = mix(batch)
    with pytest.warns(IgnoredEdgeWeight):
        logits = model(mixed)
    batch.edge_weight = torch.ones(batch.num_edges)
    alone = torch.autograd.grad(model(batch).sum(), list(model.parameters()))
    found = torch.autograd.grad(logits.sum(), list(model.parameters()))
    torch.testing.assert_close(found, alone)
    assert len(logits) == 2 * batch.num_graphs


def test_sampled_edges_are_no_weights(batch: Batch) -> None:
    model = DEAF["GIN"]()
    sampled = SMixup(Identity(), num_classes=2, edges="sampled", seed=0)
    for _ in range(2):
        mixed = sampled(batch)
        assert (mixed.edge_weight == 1).all()
        assert said(lambda: model(mixed)) == []  # noqa: B023
        assert mixed.num_graphs == 2 * batch.num_graphs


@pytest.mark.parametrize("name", DEAF)
def test_deaf_models_are_found(name: str, batch: Batch, mix: SMixup) -> None:
    model, mixed = DEAF[name](), mix(batch)
    ((category, message),) = said(lambda: model(mixed))
    assert category is IgnoredEdgeWeight
    assert ("conv.conv (GINEConv)" if name == "GPS" else f"conv ({type(model.conv).__name__})") in (
        message
    )
    assert 'SMixup(edges="sampled")' in message
    assert said(lambda: model(mix(batch))) == [], "once"
    assert not hears_edge_weight(model, mixed)


@pytest.mark.parametrize("name", HEARING)
def test_models_that_hear_are_left_alone(name: str, batch: Batch, mix: SMixup) -> None:
    model, mixed = HEARING[name](), mix(batch)
    assert said(lambda: model(mixed)) == []
    assert hears_edge_weight(model, mixed)


@pytest.mark.parametrize(
    ("model", "line"),
    [
        (Net(GINConv(mlp())), "put smixup.nn.WeightedGINConv in the place of conv (GINConv)"),
        (Net(GCNConv(3, 4)), "pass batch.edge_weight to conv (GCNConv)"),
        (Net(pna(), "attr"), "replace conv (PNAConv) by a layer with an edge_weight argument"),
    ],
    ids=["replace", "pass", "other"],
)
def test_what_to_do_is_said(model: Net, line: str, batch: Batch, mix: SMixup) -> None:
    mixed = mix(batch)
    assert line in said(lambda: model(mixed))[0][1]


def test_the_augmentation_is_told(batch: Batch) -> None:
    class Listening(SMixup):
        told = 0

        def on_deaf_model(self) -> None:
            self.told += 1

    alone, part = Listening(Identity(), num_classes=2), Listening(Identity(), num_classes=2)
    for each in (alone, Compose([part])):
        mixed = each(batch)
        said(lambda mixed=mixed: Net(GINConv(mlp()))(mixed))
    assert (alone.told, part.told) == (1, 1)


# What a model is given.


class Given(nn.Module):
    """Takes anything, and hears what it is told to."""

    def __init__(self, hears: bool) -> None:
        super().__init__()
        self.conv, self.hears = GraphConv(3, 2), hears

    def forward(self, x: Tensor, edge_index: Tensor, *others: Any, **named: Any) -> Tensor:
        weight = (*others, *named.values())[0] if self.hears else None
        if weight is not None and weight.dim() > 1:
            weight = weight[:, -1]
        out: Tensor = self.conv(x, edge_index, weight)
        return out


WAYS: dict[str, Callable[[Batch], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "position": lambda b: ((b.edge_weight,), {}),
    "keyword": lambda b: ((), {"edge_weight": b.edge_weight}),
    "clone": lambda b: ((b.edge_weight.clone(),), {}),
    "column": lambda b: ((torch.cat([b.edge_attr, b.edge_weight.view(-1, 1)], 1),), {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_give_weights(way: str, batch: Batch) -> None:
    for hears in (True, False):
        mix = SMixup(Identity(), num_classes=2, seed=0)
        model, mixed = Given(hears), mix(batch)
        args, named = WAYS[way](mixed)
        found = said(lambda: model(mixed.x, mixed.edge_index, *args, **named))  # noqa: B023
        assert [category for category, _ in found] == ([] if hears else [IgnoredEdgeWeight])


def test_what_may_have_been_made_of_weights_is_not_judged(batch: Batch, mix: SMixup) -> None:
    mixed = mix(batch)
    assert said(lambda: Given(False)(mixed.x, mixed.edge_index, 1 / mixed.edge_weight)) == []


def test_attributes_that_the_batch_had_are_known(batch: Batch, mix: SMixup) -> None:
    mixed = mix(batch)
    found = said(lambda: Given(False)(mixed.x, mixed.edge_index, mixed.edge_attr.clone()))
    assert [category for category, _ in found] == [IgnoredEdgeWeight]


def test_a_model_that_writes_on_its_batch(batch: Batch, mix: SMixup) -> None:
    class Writing(Net):
        def forward(self, batch: Batch) -> Tensor:
            batch.x = torch.cat([batch.x, batch.x], 1)[:, :3] + 1
            batch.edge_weight = None
            batch.edge_attr = None
            return self.head(self.conv(batch.x, batch.edge_index))

    mixed = mix(batch)
    found = said(lambda: Writing(GraphConv(3, 4))(mixed))
    assert [category for category, _ in found] == [IgnoredEdgeWeight]


def test_a_head_of_zeros_does_not_make_a_model_deaf(batch: Batch, mix: SMixup) -> None:
    hearing, deaf = Net(GCNConv(3, 4), "weight"), Net(GCNConv(3, 4))
    for model in (hearing, deaf):
        model.head = nn.Linear(4, 2)
        nn.init.zeros_(model.head.weight)
    mixed = mix(batch)
    assert said(lambda: hearing(mixed)) == []
    assert hears_edge_weight(hearing, mixed)
    assert not hears_edge_weight(deaf, mixed)


def test_layers_without_a_model_around_them(batch: Batch, mix: SMixup) -> None:
    """As in a LightningModule that calls its own layers."""
    conv, norm, mixed = GCNConv(3, 4), nn.BatchNorm1d(4), mix(batch)
    found = said(lambda: norm(conv(mixed.x, mixed.edge_index)))
    assert [category for category, _ in found] == [IgnoredEdgeWeight, UnguardedBatchNorm]


# Batch norms.


def test_norms_without_a_guard(batch: Batch, mix: SMixup) -> None:
    model = Net(GCNConv(3, 4), "weight", norm=True)
    mixed = mix(batch)
    ((category, message),) = said(lambda: model(mixed))
    assert category is UnguardedBatchNorm
    assert "norm (BatchNorm1d)" in message
    assert "with mix.training(model):" in message
    assert said(lambda: model(mix(batch))) == [], "once"


def test_norms_that_need_no_guard(batch: Batch) -> None:
    def fresh() -> SMixup:
        return SMixup(Identity(), num_classes=2, seed=0)

    model = Net(GCNConv(3, 4), "weight", norm=True)
    guarded, plain = fresh(), SMixup(Identity(), num_classes=2, norm_from_originals=False)
    with guarded.training(model):
        assert said(lambda: model(guarded(batch))) == []
    assert said(lambda: model(plain(batch))) == []
    model.norm.eval()
    mixed = fresh()(batch)
    assert said(lambda: model(mixed)) == []
    model.eval()
    model.norm.train()
    mixed = fresh()(batch)
    assert said(lambda: model(mixed)) == [], "a model in evaluation does not train"


def test_the_warnings_point_here(batch: Batch, mix: SMixup) -> None:
    model = Net(GINConv(mlp()), norm=True)
    mixed = mix(batch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model(mixed)
    assert [Path(each.filename) for each in caught] == [Path(__file__)] * 2


# Nothing is disturbed.


def test_the_model_and_its_random_numbers_stay(batch: Batch, mix: SMixup) -> None:
    class Dropping(Net):
        def forward(self, batch: Batch) -> Tensor:
            return nn.functional.dropout(super().forward(batch), 0.5, self.training)

    torch.manual_seed(0)
    model = Dropping(GCNConv(3, 4), "weight", norm=True)
    model(batch_with_ones(batch))
    other = copy.deepcopy(model)
    model.head.eval()
    other.head.eval()
    mixed = mix(batch)
    torch.manual_seed(1)
    with mix.training(model):
        mixed = mix(batch)
        torch.manual_seed(1)
        watched = model(mixed)
        after = torch.rand(1)
    watched.sum().backward()
    silent = SMixup(Identity(), num_classes=2, seed=0)
    silent(batch)
    with silent.training(other):
        again = silent(batch)
        assert silent._first_pass is not None
        if silent._first_pass.watch:
            silent._first_pass.watch.stop()
        torch.manual_seed(1)
        unwatched = other(again)
        assert torch.equal(torch.rand(1), after)
    unwatched.sum().backward()
    assert torch.equal(watched, unwatched)
    torch.testing.assert_close(dict(model.state_dict()), dict(other.state_dict()))
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(one.grad, two.grad)  # type: ignore[arg-type]
    assert [each.training for each in model.modules()] == [e.training for e in other.modules()]
    assert not any(each._forward_hooks for each in model.modules())


def batch_with_ones(batch: Batch) -> Batch:
    plain = copy.copy(batch)
    plain.edge_weight = torch.ones(batch.num_edges)
    return plain


def test_errors_of_the_model_are_its_own(batch: Batch, mix: SMixup) -> None:
    class Failing(Net):
        fails = True

        def forward(self, batch: Batch) -> Tensor:
            if self.fails or not self.training:
                raise ZeroDivisionError
            return super().forward(batch)

    model, mixed = Failing(GraphConv(3, 4), "weight"), mix(batch)
    with pytest.raises(ZeroDivisionError):
        model(mixed)
    model.fails = False
    assert said(lambda: model(mixed)) == [], "and the probe's are nobody's"
    assert model.training


def test_it_gives_up_when_no_model_comes(batch: Batch, mix: SMixup) -> None:
    for _ in range(TRIES):
        mixed = mix(batch)
        assert len(torch_module._global_forward_hooks) == 1, "one at a time"
    mixed = mix(batch)
    assert not torch_module._global_forward_hooks
    assert said(lambda: Net(GINConv(mlp()))(mixed)) == []


def test_it_ends_with_the_batch(batch: Batch, mix: SMixup) -> None:
    mixed = mix(batch)
    edges = mixed.edge_index
    del mixed
    gc.collect()
    assert torch_module._global_forward_hooks, "a model may be given the edges"
    del edges
    gc.collect()
    assert not torch_module._global_forward_hooks


def test_other_models_and_other_batches_are_not_meant(batch: Batch, mix: SMixup) -> None:
    mixed = mix(batch)
    model = Net(GINConv(mlp()), norm=True)
    assert said(lambda: model(batch_with_ones(batch))) == []
    assert said(lambda: nn.BatchNorm1d(3)(mixed.x)) == []
    assert {category for category, _ in said(lambda: model(mixed))} == {
        IgnoredEdgeWeight,
        UnguardedBatchNorm,
    }


def test_a_mix_inside_a_running_model(batch: Batch, mix: SMixup) -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Net(GINConv(mlp()))

        def forward(self, batch: Batch) -> Tensor:
            out: Tensor = self.inner(mix(batch))
            return out

    assert [category for category, _ in said(lambda: Outer()(batch))] == [IgnoredEdgeWeight]


def test_copies_begin_anew(batch: Batch, mix: SMixup) -> None:
    mixed = mix(batch)
    others = [copy.deepcopy(mix), pickle.loads(pickle.dumps(mix))]
    assert len(torch_module._global_forward_hooks) == 1
    assert all(each._first_pass.tries == 0 for each in others)
    del mixed


def test_workers_have_no_model(batch: Batch, mix: SMixup) -> None:
    loader = DataLoader(batch.to_data_list(), 6, num_workers=1)
    loader.collate_fn = lambda data: (
        mix(Batch.from_data_list(data)),
        len(torch_module._global_forward_hooks),
    )
    ((mixed, hooks),) = loader
    assert mixed.num_graphs == 12
    assert hooks == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # torch, of itself
@pytest.mark.parametrize("in_place", [True, False])
def test_compiled_models(in_place: bool, batch: Batch, mix: SMixup) -> None:
    """A model that is compiled in its place is all compiled code, into which nobody can look; while
    the hooks are there, it is compiled for them.
    """
    from torch._dynamo import reset
    from torch._dynamo.testing import CompileCounter

    reset()
    counter = CompileCounter()
    model = Net(GCNConv(3, 4), norm=True)
    model.head = nn.Linear(4, 2)
    if in_place:
        model.compile(backend=counter, dynamic=True)
    else:
        model = torch.compile(model, backend=counter, dynamic=True)
    found, counts = [], []
    for _ in range(TRIES + 2):
        mixed = mix(batch)
        found += [category for category, _ in said(lambda: model(mixed))]  # noqa: B023
        assert not hears_edge_weight(model, mixed)
        counts.append(counter.frame_count)
    ours = [kind for kind in found if kind in (IgnoredEdgeWeight, UnguardedBatchNorm)]
    assert ours == ([] if in_place else [UnguardedBatchNorm, IgnoredEdgeWeight])
    assert not torch_module._has_any_global_hook()
    assert counts[1] == counts[-1], "neither hooks nor probes have it compiled again"
    assert in_place or counts[0] == counts[1]


def test_torch_does_not_complain_of_hooks(batch: Batch, mix: SMixup) -> None:
    before = list(warnings.filters)
    model = torch.compile(Net(GCNConv(3, 4), "weight"), backend="eager")
    mixed = mix(batch)
    assert warnings.filters[1:] == before
    model.eval()  # not looked at: the hooks stay
    model._orig_mod.forward = lambda batch: batch.x
    model(mixed)
    mix(batch)
    del mixed
    gc.collect()
    assert list(warnings.filters) == before


@pytest.mark.slow
def test_two_processes_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """One rank has mixes and looks at its model, the other has none."""
    start_ranks(_rank, (str(tmp_path / "meet"), str(tmp_path)))
    found = [(tmp_path / str(rank)).read_text() for rank in range(2)]
    assert found == ["IgnoredEdgeWeight", ""]


def _rank(rank: int, meeting: str, folder: str) -> None:
    from torch import distributed

    faulthandler.dump_traceback_later(120, exit=True)  # if they wait after all
    distributed.init_process_group("gloo", f"file://{meeting}", world_size=2, rank=rank)
    names = _step(rank)
    distributed.barrier()
    distributed.destroy_process_group()
    Path(folder, str(rank)).write_text(" ".join(names))


def _step(rank: int) -> list[str]:
    torch.manual_seed(0)
    batch, model = Batch.from_data_list([graph(5 + i) for i in range(4)]), Net(GCNConv(3, 4))
    model.head = nn.Linear(4, 2)
    parallel = nn.parallel.DistributedDataParallel(model)
    mix = SMixup(Identity(), num_classes=2, seed=0)
    mixed = mix(batch) if rank == 0 else batch_with_ones(batch)
    kinds = said(lambda: parallel(mixed).sum().backward())
    return [kind.__name__ for kind, _ in kinds if issubclass(kind, IgnoredEdgeWeight)]


# On request.


def test_asking_needs_weights(batch: Batch) -> None:
    model = Net(GCNConv(3, 4), "weight")
    for given in (batch, batch_with_ones(batch)):
        with pytest.raises(UsageError, match="an edge_weight that is not 1 everywhere"):
            hears_edge_weight(model, given)


def test_asking_a_model_of_tensors(batch: Batch, mix: SMixup) -> None:
    mixed, model = mix(batch), GraphConv(3, 4)
    assert hears_edge_weight(model, mixed, lambda b: model(b.x, b.edge_index, b.edge_weight))
    assert not hears_edge_weight(model, mixed, lambda m, b: m(b.x, b.edge_index))
    with pytest.raises(SmixupError, match="say how the model is called"):
        hears_edge_weight(model, mixed)
    assert model.training
