"""The tables of `docs/drop-in.md`, row by row: what users have, and what happens.

A sentence in `<q>...</q>` must be what the user reads, as an error where the row says "refused",
else as a warning. A row without one must pass without either.
"""

from __future__ import annotations

import copy
import gc
import pickle
import re
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import torch_geometric.transforms as T
from rings import ring, rings
from torch import Tensor, nn
from torch_geometric import EdgeIndex
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, GINConv, GraphConv, TopKPooling, global_mean_pool
from warm_processes import WARM, start_ranks

from smixup import (
    DropEdge,
    DropNode,
    GraphMatcher,
    Identity,
    SMixup,
    Subgraph,
    hears_edge_weight,
    refresh_batch_norm,
)
from smixup.errors import SmixupError
from smixup.graphs.codes import OGB, FromSmiles
from smixup.nn import WeightedGATConv, WeightedGINConv, WeightedGINEConv, WeightedSAGEConv

PAGE = Path(__file__).parents[1] / "docs" / "drop-in.md"
TRIALS: dict[str, Callable[[], object]] = {}
SLOW = {
    "workers that are spawned",
    "`torch.compile`",
    "Lightning",
    "accelerate",
    "`DistributedDataParallel`",
}


def row(key: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Say which row of the page a function tries."""

    def keep(function: Callable[[], object]) -> Callable[[], object]:
        TRIALS[key] = function
        return function

    return keep


CELLS = re.findall(r"^\| (.*) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
ROWS = {key.strip(): outcome for key, outcome in CELLS if key != "you have"}


def test_there_are_forty_rows_and_each_is_tried() -> None:
    assert len(ROWS) >= 40
    assert set(ROWS) == set(TRIALS)


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=[pytest.mark.nightly] * (key in SLOW)) for key in ROWS]
)
def test_it_happens(key: str) -> None:
    outcome, error = ROWS[key], ""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            assert TRIALS[key]() is not False
        except SmixupError as refusal:
            error = str(refusal)
    ours = [str(each.message) for each in seen if issubclass(each.category, UserWarning)]
    aside = ("Sparse invariant checks", "no model is guarded")  # of T.ToDense; rows without a model
    ours = [each for each in ours if "no guard" in key or not each.startswith(aside)]
    sentences = re.findall("<q>(.*?)</q>", outcome)
    if outcome.startswith("refused"):
        assert sentences, "a refusal shows its sentence"
        assert all(each in error for each in sentences), error
        return
    assert not error
    assert bool(ours) == bool(sentences), ours
    for each in sentences:
        assert any(each in warning for warning in ours), ours


# What users have.


def nodes(i: int) -> int:
    return 3 + i % 5


def edges(i: int) -> Tensor:
    return ring(nodes(i)).edge_index


def having(number: int = 18, **fields: Callable[[int], Any]) -> list[Data]:
    """Rings with further fields, each as a function says of the i-th."""
    return rings(number, lambda i: {name: make(i) for name, make in fields.items()})


def tiny(**settings: Any) -> GraphMatcher:
    return GraphMatcher(max_steps=2, hidden_channels=8, num_layers=1, **settings)


def fitted(data: list[Data] | None = None, **settings: Any) -> SMixup:
    return SMixup(Identity(), seed=0, **settings).fit(rings() if data is None else data)


def mixed(data: list[Data], matcher: Any = None, **settings: Any) -> tuple[Batch, Batch]:
    """Fit on the graphs, and mix a batch of six, of which all that can be averaged must stay."""
    mix = SMixup(matcher or Identity(), seed=0, **settings).fit(data)
    batch = Batch.from_data_list(data[:6])
    found = mix(batch)
    assert found.num_graphs == len(found.to_data_list()) == 12
    m = batch.num_edges
    assert torch.equal(found.edge_index[:, :m], batch.edge_index.long())
    tensors = {name: value for name, value in batch if isinstance(value, Tensor)}
    for name in tensors.keys() - {"edge_index", "batch", "ptr"}:
        value = tensors[name]
        if name != "y" or value.is_floating_point():
            same = found[name][: len(value)].to(value.dtype)
            torch.testing.assert_close(same, value, rtol=0, atol=0, equal_nan=True)
    return batch, found


def kept(name: str, dtype: torch.dtype = torch.float, **fields: Callable[[int], Any]) -> Tensor:
    """Mix rings with these fields, and return one of the mixes' own, which has that type."""
    value: Tensor = mixed(having(**fields), tiny())[1][name]
    assert value.dtype == dtype
    return value


def targets(make: Callable[[int], Any], *shape: int) -> Callable[[], Tensor]:
    """Return a trial: targets as `make` says become floats of `shape`."""

    def trial() -> Tensor:
        y = kept("y", y=make)
        assert tuple(y.shape) == shape
        return y

    return trial


@row("integer `y` `[B]`")
def _() -> None:
    y = targets(lambda i: torch.tensor([i % 3]), 12, 3)()
    torch.testing.assert_close(y.sum(1), torch.ones(12))
    assert F.cross_entropy(torch.rand(12, 3), y).isfinite()


@row("integer `y` `[B, 1]`, two classes")
def _() -> None:
    y = targets(lambda i: torch.tensor([[i % 2]]), 12, 1)()
    assert y[:6].flatten().tolist() == [0, 1, 0, 1, 0, 1]
    assert F.binary_cross_entropy_with_logits(torch.rand(12, 1), y).isfinite()


@row("labels `[B, T]` with NaN")
def _() -> None:
    y = targets(lambda i: torch.tensor([[i % 2, float("nan") if i < 4 else 0.0]]), 12, 2)()
    assert y[:4, 1].isnan().all()
    assert y[6:10, 1].isnan().all(), "mixes of the first four"
    assert y[:, 0].isfinite().all()


TRIALS |= {
    "integer `y` `[B, 1]`, more classes": targets(lambda i: torch.tensor([[i % 3]]), 12, 3),
    "bool `y`": targets(lambda i: torch.tensor([i % 2 == 0]), 12, 2),
    "`y=3`, a Python number": targets(lambda i: i % 4, 12, 4),
    "soft labels `[B, C]`": targets(lambda i: torch.tensor([[0.25, 0.75]]), 12, 2),
    "float `y` `[B]`, regression": targets(lambda i: torch.rand(1), 12),
    "float `y` `[B, 1]`": targets(lambda i: torch.rand(1, 1), 12, 1),
    "float `y` `[B, T]`, several targets": targets(lambda i: torch.rand(1, 4), 12, 4),
    "labels `[B, T]`, bool or integer": targets(
        lambda i: torch.tensor([[i % 2, i % 3 == 0]]), 12, 2
    ),
    "values that are all the same": targets(lambda i: torch.ones(1), 12),
    "integer labels `[B, T]` with -1": targets(lambda i: torch.tensor([[i % 2, -1]])),
    "infinite `y`": targets(lambda i: torch.tensor([torch.inf if i == 2 else 1.0])),
    "`y` of -1 and 1": targets(lambda i: torch.tensor([2 * (i % 2) - 1])),
    "`y` for every node": targets(lambda i: torch.rand(nodes(i))),
    "no `y`": targets(lambda i: None),
    "the same with `GraphMatcher(triplets=False)`": lambda: mixed(
        having(y=lambda i: torch.tensor([[1.0, torch.nan]])), tiny(triplets=False)
    ),
    "`y` only for some graphs": lambda: fitted(rings(18, lambda i: {"y": None} if i == 1 else {})),
    "batches of another kind than `fit` saw": lambda: fitted()(
        Batch.from_data_list(having(6, y=lambda i: torch.rand(1)))
    ),
    "integer quantities, 25 of 30 different": lambda: fitted(
        having(30, y=lambda i: torch.tensor([i % 25]))
    ),
    "a class that `fit` has not seen": lambda: fitted()(
        Batch.from_data_list([ring(4, 3), ring(5)])
    ),
    '`pairing="same-class"` with values': lambda: fitted(
        having(y=lambda i: torch.rand(1)), pairing="same-class"
    ),
    "a method that was never fitted": lambda: SMixup(Identity())(Batch.from_data_list(rings())),
    "a wrong value of a field": lambda: SMixup(Identity(), alpha=-1),
}


@row("a part of a dataset that lacks a class")
def _() -> None:
    class Whole(list):  # type: ignore[type-arg]
        num_classes = 3

    part = torch.utils.data.Subset(Whole(rings()), [i for i in range(18) if i % 3 < 2])
    mix = SMixup(Identity()).fit(part)
    assert mix(next(iter(DataLoader(part, 4)))).y.shape == (8, 3)


@row("`double`, `half` or `bfloat16` features")
def _() -> None:
    for dtype in (torch.double, torch.half, torch.bfloat16):
        for name in ("x", "edge_weight"):
            kept(name, dtype, x=lambda i, d=dtype: torch.rand(nodes(i), 3).to(d))


@row("bool or 0/1 integer features")
def _() -> None:
    for dtype in (torch.bool, torch.long):
        kept("x", x=lambda i, d=dtype: F.one_hot(torch.arange(nodes(i)) % 3, 3).to(d))


def codes(i: int) -> Tensor:
    return torch.arange(nodes(i)) % 7


@row('codes, `encode="one-hot"`')
def _() -> None:
    found = mixed(having(x=codes), encode="one-hot")[1]
    assert found.x.dtype == torch.long and set(found.x.tolist()) <= set(range(7))


def molecules(layout: OGB | FromSmiles) -> list[Data]:
    def random(number: int, counts: tuple[int, ...]) -> Tensor:
        return torch.stack([torch.randint(count, (number,)) for count in counts], 1)

    known = layout.known
    return having(
        x=lambda i: random(nodes(i), known.nodes),
        edge_attr=lambda i: random(2 * nodes(i), known.edges),
    )


@row('OGB\'s molecules, `encode="ogb"`')
def _() -> None:
    data = molecules(OGB())
    found = mixed(data, encode="ogb")[1]
    assert found.x.dtype == found.edge_attr.dtype == torch.long
    atoms = {tuple(atom) for each in data for atom in each.x.tolist()}
    assert {tuple(atom) for atom in found.x.tolist()} <= atoms


@row("integer `x` and `DropEdge`, `DropNode`, `Subgraph`")
def _() -> None:
    data = having(x=codes)
    for method in (DropEdge(p=0.3), DropNode(p=0.3), Subgraph()):
        found = method.fit(data)(Batch.from_data_list(data))
        assert found.x.dtype == torch.long and found.x.dim() == 1


@row("`x` `[n]` or `[n, t, f]`")
def _() -> None:
    for shape in ((), (2, 3)):
        assert kept("x", x=lambda i, s=shape: torch.rand(nodes(i), *s)).shape[1:] == shape


TRIALS |= {
    "`double` targets": lambda: kept(
        "y", torch.double, y=lambda i: torch.rand(1, dtype=torch.double)
    ),
    "no `y`, `GraphMatcher(triplets=False)`": lambda: (
        mixed(having(y=lambda i: None), tiny(triplets=False))[1].y is None
    ),
    "no `x`": lambda: mixed(having(x=lambda i: None, num_nodes=nodes), tiny())[1].x is None,
    "a `DataLoader` for `fit`": lambda: (
        SMixup(Identity()).fit(DataLoader(rings(), 4)).num_classes == 3
    ),
    "graphs that `fit` has not seen": lambda: aligned_anew(
        fitted(), Batch.from_data_list([ring(4), ring(5, 1)])
    ),
    "`num_workers=2`, mixing in `collate_fn`": lambda: (
        len(drawn_in_workers()) == len(drawn_in_workers(seed=None)) == 4
    ),
    "workers that are spawned": lambda: len(drawn_in_workers(multiprocessing_context=WARM)) == 4,
    "integer codes `[n]` or `[n, c]`": lambda: mixed(having(x=codes), tiny()),
    "OGB's molecules": lambda: mixed(molecules(OGB()), tiny()),
    "molecules of `from_smiles`": lambda: mixed(molecules(FromSmiles()), tiny()),
    "a code that `fit` has not seen": lambda: fitted(having(x=codes), encode="one-hot")(
        Batch.from_data_list([ring(4, x=torch.full((4,), 9)), ring(5, x=torch.arange(5))])
    ),
    "NaN in `x`": lambda: mixed(having(x=lambda i: torch.full((nodes(i), 3), torch.nan)), tiny()),
    "other features than at `fit`": lambda: SMixup(tiny()).fit(rings())(
        Batch.from_data_list([ring(4, x=torch.rand(4, 5))] * 2)
    ),
    "float or one-hot `edge_attr`": lambda: weighted(torch.ones),
    "weights of zero": lambda: weighted(lambda m: (torch.arange(m) % 3 > 0).float()),
    "integer `edge_attr`": lambda: mixed(
        having(edge_attr=lambda i: torch.arange(2 * nodes(i)) % 4)
    ),
    "`adj_t` (`T.ToSparseTensor`)": lambda: fitted([T.ToSparseTensor()(each) for each in rings()]),
    "dense data (`T.ToDense`)": lambda: fitted([T.ToDense(8)(each) for each in rings()]),
    "pairs of graphs in one `Data` (`edge_index_s`)": lambda: fitted(
        having(edge_index=lambda i: None, edge_index_s=edges)
    ),
    "`follow_batch`": lambda: fitted()(
        next(iter(DataLoader(rings(), 6, follow_batch=["edge_index"])))
    ),
    "indices into nodes (`foo_index`)": lambda: mixed(
        having(foo_index=lambda i: torch.tensor([0, 1]))
    ),
    "rows that belong to nothing": lambda: mixed(having(odd=lambda i: torch.rand(i + 1))),
}


def weighted(weight: Callable[[int], Tensor], matcher: Any = None) -> tuple[Batch, Batch]:
    """Mix rings with weights and one-hot attributes."""

    def kinds(i: int) -> Tensor:
        return F.one_hot(torch.arange(2 * nodes(i)) % 2, 2).float()

    data = having(edge_weight=lambda i: weight(2 * nodes(i)), edge_attr=kinds)
    batch, found = mixed(data, matcher or tiny())
    assert found.edge_weight.isfinite().all()
    torch.testing.assert_close(found.edge_attr.sum(1), torch.ones(found.num_edges))
    return batch, found


@row("no `edge_weight`")
def _() -> None:
    batch, found = mixed(rings(), tiny())
    assert (found.edge_weight[: batch.num_edges] == 1).all()
    assert found.edge_weight.shape == (found.num_edges,)


@row("`edge_weight` `[m]` or `[m, 1]`")
def _() -> None:
    for shape in ((), (1,)):
        _, found = weighted(lambda m, s=shape: torch.rand(m, *s) + 0.1)
        assert found.edge_weight.shape == (found.num_edges, *shape)


@row("weights far below one")
def _() -> None:
    light = weighted(lambda m: torch.full((m,), 1e-6), Identity())[1]
    usual = weighted(torch.ones, Identity())[1]
    torch.testing.assert_close(light.edge_weight * 1e6, usual.edge_weight)


@row("negative weights")
def _() -> None:
    batch, found = weighted(lambda m: torch.where(torch.arange(m) % 2 == 0, -1.0, 1.0))
    assert (found.edge_weight[batch.num_edges :] < 0).any()


@row("self-loops")
def _() -> None:
    def looped(i: int) -> Tensor:
        return torch.cat([edges(i), torch.arange(nodes(i)).expand(2, -1)], 1)

    batch, found = mixed(having(edge_index=looped))
    new = found.edge_index[:, batch.num_edges :]
    loops = found.edge_weight[batch.num_edges :][new[0] == new[1]]
    assert len(loops) == found.num_nodes - batch.num_nodes
    assert (loops > 0.99).any(), "both have it"


@row("parallel edges")
def _() -> None:
    batch, found = mixed(having(edge_index=lambda i: edges(i).repeat(1, 2)))
    new = found.edge_index[:, batch.num_edges :]
    assert new.unique(dim=1).size(1) == new.size(1)
    assert found.edge_weight.max() == 2


@row("directed edges")
def _() -> None:
    batch, found = mixed(having(edge_index=lambda i: edges(i)[:, : nodes(i)]))
    new = found.edge_index[:, batch.num_edges :]
    assert not {tuple(e) for e in new.T.tolist()} & {tuple(e) for e in new.flip(0).T.tolist()}


@row("graphs without edges, of one node, of none")
def _() -> None:
    odd = [ring(2), ring(1), ring(0), ring(4)]
    for train in (rings(), [*rings(), *odd]):
        found = SMixup(tiny(), seed=0).fit(train)(Batch.from_data_list(odd))
        assert [part.num_nodes for part in found.to_data_list()] == [2, 1, 0, 4] * 2


@row("`int32` indices, `EdgeIndex`")
def _() -> None:
    mixed(having(edge_index=lambda i: edges(i).int()), tiny())
    mixed(having(edge_index=lambda i: EdgeIndex(edges(i), sparse_size=(nodes(i),) * 2)), tiny())


@row("`HeteroData`")
def _() -> None:
    data = HeteroData()
    data["atom"].x = torch.rand(3, 2)
    with pytest.raises(SmixupError, match="HeteroData"):
        fitted([data])
    SMixup(Identity())(Batch.from_data_list([data, data]))


@row("`pos`, or other float attributes of nodes, edges, graphs")
def _() -> None:
    batch, found = mixed(
        having(
            pos=lambda i: torch.rand(nodes(i), 2),
            length=lambda i: torch.rand(2 * nodes(i)),
            u=lambda i: torch.rand(1, 4),
        )
    )
    assert all(found[name].isfinite().all() for name in ("pos", "length", "u"))
    assert not torch.equal(found.u[6:], batch.u)


@row("masks, integers, `smiles` and other names")
def _() -> None:
    batch, found = mixed(
        having(
            mask=lambda i: torch.arange(nodes(i)) > 1,
            charge=lambda i: torch.arange(nodes(i)),
            smiles=lambda i: "C" * nodes(i),
        )
    )
    for part, first in zip(found.to_data_list()[6:], batch.to_data_list(), strict=True):
        assert torch.equal(part.mask, first.mask) and torch.equal(part.charge, first.charge)
        assert part.smiles == first.smiles


@row("an attribute that is called `motif`")
def _() -> None:
    for value in (torch.rand, lambda n: torch.tensor([3]), lambda n: "house"):
        assert "motif" in mixed(having(motif=lambda i, value=value: value(nodes(i))), tiny())[1]


class Molecule(Data):
    """A class of somebody's own."""


@row("a class of your own derived from `Data`")
def _() -> None:
    data = [Molecule(**each.to_dict(), energy=torch.rand(1)) for each in rings()]
    for part in mixed(data)[1].to_data_list():
        assert isinstance(part, Molecule) and part.energy.shape == (1,)


@row("`exclude_keys`")
def _() -> None:
    data = having(pos=lambda i: torch.rand(nodes(i), 2))
    assert "pos" not in fitted(data)(next(iter(DataLoader(data, 6, exclude_keys=["pos"]))))


@row("`Data` with explicit `num_nodes`")
def _() -> None:
    found = mixed(having(num_nodes=nodes))[1]
    assert found.num_nodes == len(found.x) == sum(part.num_nodes for part in found.to_data_list())


@row("a list, a dataset, a `Subset`, a generator for `fit`")
def _() -> None:
    data = rings()
    for train in (data, torch.utils.data.Subset(data, range(9)), (each for each in data)):
        assert SMixup(Identity()).fit(train).num_classes == 3


@row("one `Data`, or a list, for `mix`")
def _() -> None:
    mix = fitted()
    with pytest.raises(SmixupError, match="a Batch of graphs is needed, not a list"):
        mix(rings())
    mix(ring(4))


@row("a batch of one, an incomplete last batch")
def _() -> None:
    mix = SMixup(tiny(), seed=0).fit(rings())
    assert [mix(batch).num_graphs for batch in DataLoader(rings(), 17)] == [34, 2]


def aligned_anew(mix: SMixup, batch: Batch) -> bool:
    """Tell whether a batch asks the matcher."""
    asked = []

    class Watched(Identity):
        def __call__(self, *pair: Any) -> Any:
            asked.append(pair)
            return super().__call__(*pair)

    mix.matcher = Watched()
    mix(batch)
    return bool(asked)


@row("training graphs in any order")
def _() -> None:
    mix = fitted()
    assert not any(aligned_anew(mix, batch) for batch in DataLoader(rings(), 5, shuffle=True))


class Mixing:
    """A collate function that mixes where graphs are loaded; targets tell what was drawn."""

    def __init__(self, mix: SMixup) -> None:
        self.mix = mix

    def __call__(self, data: list[Data]) -> Tensor:
        return self.mix(Batch.from_data_list(data)).y


def drawn_in_workers(seed: int | None = 0, **settings: Any) -> set[tuple[float, ...]]:
    """Return what the workers of a loader drew in two epochs."""
    collate = Mixing(SMixup(Identity(), seed=seed).fit(rings()))
    loader = torch.utils.data.DataLoader(rings(), 9, collate_fn=collate, num_workers=2, **settings)
    return {tuple(y[9:].max(1).values.tolist()) for _ in range(2) for y in loader}


@row("`torch.manual_seed`")
def _() -> None:
    data = rings()

    def drawn(torch_seed: int, **settings: Any) -> Tensor:
        torch.manual_seed(torch_seed)
        return SMixup(Identity(), **settings).fit(data)(Batch.from_data_list(data)).y

    assert torch.equal(drawn(1), drawn(1)) and not torch.equal(drawn(1), drawn(2))
    assert torch.equal(drawn(1, seed=5), drawn(2, seed=5))


@row("`copy.deepcopy`, `pickle`")
def _() -> None:
    mix, batch = SMixup(tiny(), seed=0).fit(rings()), Batch.from_data_list(rings())
    mix(batch)
    others = copy.deepcopy(mix), pickle.loads(pickle.dumps(mix))
    expected = mix(batch)
    for other in others:
        found = other(batch)
        assert torch.equal(found.y, expected.y)
        assert torch.equal(found.edge_index, expected.edge_index)


# Models and trainers.


class Model(nn.Module):
    """One layer, a pool and a norm if wished."""

    def __init__(
        self,
        conv: nn.Module,
        weights: bool = True,
        pool: nn.Module | None = None,
        norm: bool = False,
    ) -> None:
        super().__init__()
        self.conv, self.pool, self.weights = conv, pool, weights
        self.norm = nn.BatchNorm1d(8) if norm else nn.Identity()
        self.head = nn.Linear(8, 3)

    def forward(self, batch: Batch) -> Tensor:
        weight, of = batch.edge_weight, batch.batch
        h = self.conv(batch.x, batch.edge_index, *([weight] if self.weights else []))
        if self.pool is not None:
            h, _, _, of, *_ = self.pool(h, batch.edge_index, weight, of)
        return self.head(global_mean_pool(self.norm(h), of, batch.num_graphs))


def normed() -> Model:
    return Model(GCNConv(3, 8), norm=True)


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU())


def trained(model: nn.Module, guarded: bool = True, mix: SMixup | None = None) -> SMixup:
    """Train for a few steps as a user would; the loss must stay finite."""
    mix = mix or fitted()
    optimizer = torch.optim.Adam(model.parameters())
    with mix.training(model) if guarded else nullcontext():
        for batch in DataLoader(rings(), 6, shuffle=True):
            batch = mix(batch)
            loss = F.cross_entropy(model(batch), batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            assert loss.isfinite()
    return mix


def train_without_feeling_mixes(model: nn.Module) -> None:
    """In training, the originals' logits must not depend on the mixes beside them."""
    data = having(edge_weight=lambda i: torch.ones(2 * nodes(i)))
    mix, batch = fitted(data), Batch.from_data_list(data[:6])
    alone = model(batch)
    with mix.training(model):
        torch.testing.assert_close(model(mix(batch))[:6], alone, atol=1e-4, rtol=1e-4)
    trained(model)


@row("batch norms behind `TopKPooling`")
def _() -> None:
    model, mix = Model(GraphConv(3, 8), pool=TopKPooling(8, 0.6), norm=True), fitted()
    with mix.training(model):
        assert model(mix(Batch.from_data_list(rings()))).isfinite().all()


@row("a loader far from the model, `mix.loader(loader, model)`")
def _() -> None:
    model = normed()
    loader = fitted().loader(DataLoader(rings(), 6), model)
    for batch in loader:
        assert batch.num_graphs == 12 and F.cross_entropy(model(batch), batch.y).isfinite()
    model.eval()
    assert [batch.num_graphs for batch in loader] == [6, 6, 6]


@row("a model trained without a guard")
def _() -> None:
    model = normed()
    refresh_batch_norm(model, DataLoader(rings(), 5))
    batch = Batch.from_data_list(rings())
    expected = model.conv(batch.x, batch.edge_index).mean(0)
    torch.testing.assert_close(model.norm.running_mean, expected, atol=0.05, rtol=0.05)


def heard(conv: nn.Module) -> None:
    model = Model(conv)
    mix = trained(model)
    assert not mix.deaf
    assert hears_edge_weight(model, mix(Batch.from_data_list(rings())))


@row("layers that take weights (`GCNConv`, `GraphConv`)")
def _() -> None:
    heard(GCNConv(3, 8))
    heard(GraphConv(3, 8))


def unmixed_for(conv: nn.Module) -> None:
    mix = trained(Model(conv, weights=False))
    assert mix.deaf and mix(Batch.from_data_list(rings())).num_graphs == 18


@row('`GINConv`, `SMixup(edges="sampled")`')
def _() -> None:
    mix = fitted(edges="sampled")
    trained(Model(GINConv(mlp()), weights=False), mix=mix)
    assert mix(Batch.from_data_list(rings())).num_graphs == 36


@row("`smixup.nn.WeightedGINConv` and friends")
def _() -> None:
    heard(WeightedGINConv(mlp()))
    heard(WeightedSAGEConv(3, 8))
    batch = mixed(having(edge_attr=lambda i: torch.rand(2 * nodes(i), 3)))[1]
    for conv in (WeightedGINEConv(mlp()), WeightedGATConv(3, 8, edge_dim=3)):
        assert hears_edge_weight(
            conv, batch, lambda b, conv=conv: conv(b.x, b.edge_index, b.edge_attr, b.edge_weight)
        )


@row("`torch.autocast`, bf16")
def _() -> None:
    batch, mix = Batch.from_data_list(rings()), SMixup(tiny(), seed=0).fit(rings())
    other = copy.deepcopy(mix)
    with torch.autocast("cpu", torch.bfloat16):
        inside = mix(batch)
        trained(normed(), mix=copy.deepcopy(mix))
    outside = other(batch)
    assert torch.equal(inside.x, outside.x)
    assert torch.equal(inside.edge_weight, outside.edge_weight)


@row("a `double` model")
def _() -> None:
    model, data = normed().double(), having(x=lambda i: torch.rand(nodes(i), 3).double())
    mix = fitted(data)
    with mix.training(model):
        assert model(mix(Batch.from_data_list(data))).dtype == torch.double


@row("`torch.compile`")
def _() -> None:
    gc.collect()  # what other rows mixed and gave to no model is no longer followed
    trained(torch.compile(Model(GCNConv(3, 8)), backend="eager", dynamic=True))


TRIALS |= {
    "batch norms, `with mix.training(model):`": lambda: train_without_feeling_mixes(normed()),
    "batch norms, no guard": lambda: trained(normed(), guarded=False),
    "`GINConv`": lambda: unmixed_for(GINConv(mlp())),
    "`GCNConv` without its weights": lambda: unmixed_for(GCNConv(3, 8)),
}


@row("Lightning")
def _() -> None:
    lightning = pytest.importorskip("lightning")
    mix, data = fitted(), rings()

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.model = normed()

        def training_step(self, batch: Batch, _: int) -> Tensor:
            batch = mix(batch)
            return F.cross_entropy(self.model(batch), batch.y)

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.0)

    module = Module()
    alone = copy.deepcopy(module.model)
    for batch in DataLoader(data, 6):
        batch.edge_weight = None
        alone(batch)
    quiet = dict.fromkeys(("logger", "enable_checkpointing", "enable_progress_bar"), False)
    trainer = lightning.Trainer(
        max_epochs=1, accelerator="cpu", enable_model_summary=False, **quiet
    )
    with mix.training(module), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The 'train_dataloader' does not have many workers")
        warnings.filterwarnings("ignore", "Trying to infer the `batch_size`")
        trainer.fit(module, DataLoader(data, 6))
    torch.testing.assert_close(dict(module.model.state_dict()), dict(alone.state_dict()))


@row("accelerate")
def _() -> None:
    accelerate = pytest.importorskip("accelerate")
    accelerator, mix, model = accelerate.Accelerator(cpu=True), fitted(), normed()
    optimizer = torch.optim.Adam(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(rings(), 6))
    with mix.training(model):
        for batch in loader:
            batch = mix(batch)
            loss = F.cross_entropy(model(batch), batch.y)
            accelerator.backward(loss)
            optimizer.step()
            assert loss.isfinite()


def in_a_rank(rank: int, folder: str) -> None:
    """Train as one of two processes, and write down what was drawn."""
    store = f"file://{folder}/store"
    torch.distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    mix, model = fitted(), nn.parallel.DistributedDataParallel(normed())
    with mix.training(model):
        found = mix(Batch.from_data_list(rings()))
        F.cross_entropy(model(found), found.y).backward()
    torch.save(found.y, f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()


@row("`DistributedDataParallel`")
def _() -> None:
    with TemporaryDirectory() as folder:
        start_ranks(in_a_rank, (folder,))
        first, second = (torch.load(f"{folder}/{rank}.pt") for rank in range(2))
    assert first.shape == second.shape and not torch.equal(first, second)
