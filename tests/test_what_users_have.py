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
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch
import torch.nn.functional as F
import torch_geometric.transforms as T
from torch import Tensor, nn
from torch_geometric import EdgeIndex
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.loader import DataLoader, DenseDataLoader
from torch_geometric.nn import GCNConv, GINConv, GraphConv, TopKPooling, global_mean_pool
from warm_processes import WARM, start_ranks

from smixup import (
    Augmentation,
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
FUNCTIONS: dict[str, Callable[[], object]] = {}


def row(key: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Say which row of the page a function tries."""

    def keep(function: Callable[[], object]) -> Callable[[], object]:
        FUNCTIONS[key] = function
        return function

    return keep


def rows() -> Iterator[tuple[str, str]]:
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 2 and cells[0] != "you have":
            yield cells[0], cells[1]


ROWS = dict(rows())


def test_there_are_forty_rows_and_each_is_tried() -> None:
    assert len(ROWS) >= 40
    assert set(ROWS) == set(FUNCTIONS)


@pytest.mark.parametrize("key", ROWS)
def test_it_happens(key: str) -> None:
    outcome, error = ROWS[key], ""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            FUNCTIONS[key]()
        except SmixupError as refusal:
            error = str(refusal)
    ours = [str(each.message) for each in seen if issubclass(each.category, UserWarning)]
    ours = [each for each in ours if "Sparse invariant checks" not in each]  # of T.ToDense
    said = re.findall("<q>(.*?)</q>", outcome)
    if outcome.startswith("refused"):
        assert said, "a refusal shows its sentence"
        assert all(each in error for each in said), error
        return
    assert not error
    assert bool(ours) == bool(said), ours
    for each in said:
        assert any(each in warning for warning in ours), ours


# What users have.


def graph(n: int, label: int = 0, **changes: object) -> Data:
    """A ring of n nodes."""
    ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % max(n, 1)])
    edges = torch.cat([ring, ring.flip(0)], 1) if n > 2 else torch.zeros(2, 0, dtype=torch.long)
    fields = {"x": torch.rand(n, 3), "edge_index": edges, "y": torch.tensor([label])} | changes
    return Data(**{key: value for key, value in fields.items() if value is not None})


def graphs(make: Callable[[int], dict[str, object]] = lambda i: {}, number: int = 18) -> list[Data]:
    """Rings of 3 to 7 nodes and three classes, changed as `make` says of the i-th."""
    torch.manual_seed(0)
    return [graph(3 + i % 5, i % 3, **make(i)) for i in range(number)]


def nodes(i: int) -> int:
    return 3 + i % 5


def tiny(**settings: object) -> GraphMatcher:
    return GraphMatcher(max_steps=2, hidden_channels=8, num_layers=1, **settings)


def mixed(data: list[Data], matcher: object = None, **settings: object) -> tuple[Batch, Batch]:
    """Fit on the graphs, and mix a batch of six."""
    mix = SMixup(matcher or Identity(), seed=0, **settings).fit(data)
    batch = Batch.from_data_list(data[:6])
    found = mix(batch)
    assert found.num_graphs == 12
    assert len(found.to_data_list()) == 12
    return batch, found


def targets(make: Callable[[int], object], shape: tuple[int, ...]) -> Callable[[], Tensor]:
    """Return a trial: targets as `make` says become floats of `shape`, originals' as they were."""

    def trial() -> Tensor:
        batch, found = mixed(graphs(lambda i: {"y": make(i)}), tiny())
        assert found.y.is_floating_point()
        assert tuple(found.y.shape) == shape
        if batch.y.is_floating_point():
            torch.testing.assert_close(found.y[: len(batch.y)], batch.y, equal_nan=True)
        return found.y

    return trial


@row("integer `y` `[B]`")
def _() -> None:
    y = targets(lambda i: torch.tensor([i % 3]), (12, 3))()
    torch.testing.assert_close(y.sum(1), torch.ones(12))
    assert F.cross_entropy(torch.rand(12, 3), y).isfinite()


@row("integer `y` `[B, 1]`, two classes")
def _() -> None:
    y = targets(lambda i: torch.tensor([[i % 2]]), (12, 1))()
    assert y[:6].flatten().tolist() == [0, 1, 0, 1, 0, 1]
    assert F.binary_cross_entropy_with_logits(torch.rand(12, 1), y).isfinite()


FUNCTIONS |= {
    "integer `y` `[B, 1]`, more classes": targets(lambda i: torch.tensor([[i % 3]]), (12, 3)),
    "bool `y`": targets(lambda i: torch.tensor([i % 2 == 0]), (12, 2)),
    "`y=3`, a Python number": targets(lambda i: i % 4, (12, 4)),
    "soft labels `[B, C]`": targets(lambda i: torch.tensor([[0.25, 0.75]]), (12, 2)),
    "float `y` `[B]`, regression": targets(lambda i: torch.rand(1), (12,)),
    "float `y` `[B, 1]`": targets(lambda i: torch.rand(1, 1), (12, 1)),
    "float `y` `[B, T]`, several targets": targets(lambda i: torch.rand(1, 4), (12, 4)),
    "labels `[B, T]`, bool or integer": targets(
        lambda i: torch.tensor([[i % 2, i % 3 == 0]]), (12, 2)
    ),
    "values that are all the same": targets(lambda i: torch.ones(1), (12,)),
    "integer labels `[B, T]` with -1": targets(lambda i: torch.tensor([[i % 2, -1]]), ()),
    "infinite `y`": targets(lambda i: torch.tensor([torch.inf if i == 2 else 1.0 * i]), ()),
    "`y` of -1 and 1": targets(lambda i: torch.tensor([2 * (i % 2) - 1]), ()),
    "`y` for every node": targets(lambda i: torch.rand(nodes(i)), ()),
    "no `y`": targets(lambda i: None, ()),
}


@row("labels `[B, T]` with NaN")
def _() -> None:
    y = targets(lambda i: torch.tensor([[i % 2, float("nan") if i < 4 else 0.0]]), (12, 2))()
    assert y[:4, 1].isnan().all()
    assert y[6:10, 1].isnan().all(), "mixes of the first four"
    assert y[:, 0].isfinite().all()


@row("the same with `GraphMatcher(triplets=False)`")
def _() -> None:
    data = graphs(lambda i: {"y": torch.tensor([[1.0, float("nan")]])})
    assert mixed(data, tiny(triplets=False))[1].y.shape == (12, 2)


@row("`y` only for some graphs")
def _() -> None:
    SMixup(Identity()).fit(graphs(lambda i: {"y": None} if i == 1 else {}))


@row("batches of another kind than `fit` saw")
def _() -> None:
    mix = SMixup(Identity()).fit(graphs())
    mix(Batch.from_data_list(graphs(lambda i: {"y": torch.rand(1)})[:6]))


@row("`double` targets")
def _() -> None:
    data = graphs(lambda i: {"y": torch.rand(1, dtype=torch.double)})
    batch, found = mixed(data)
    assert found.y.dtype == torch.double
    assert torch.equal(found.y[:6], batch.y)


@row("integer quantities, 25 of 30 different")
def _() -> None:
    SMixup(Identity()).fit(graphs(lambda i: {"y": torch.tensor([i % 25])}, 30))


@row("a class that `fit` has not seen")
def _() -> None:
    SMixup(Identity()).fit(graphs())(Batch.from_data_list([graph(4, 3), graph(5, 0)]))


@row("a part of a dataset that lacks a class")
def _() -> None:
    class Whole(list):  # type: ignore[type-arg]
        num_classes = 3

    whole = Whole(graphs())
    part = torch.utils.data.Subset(whole, [i for i in range(18) if i % 3 < 2])
    mix = SMixup(Identity()).fit(part)
    assert mix(next(iter(DataLoader(part, 4)))).y.shape == (8, 3)


@row("no `y`, `GraphMatcher(triplets=False)`")
def _() -> None:
    assert mixed(graphs(lambda i: {"y": None}), tiny(triplets=False))[1].y is None


@row('`pairing="same-class"` with values')
def _() -> None:
    SMixup(Identity(), pairing="same-class").fit(graphs(lambda i: {"y": torch.rand(1)}))


@row("a method that was never fitted")
def _() -> None:
    SMixup(Identity())(Batch.from_data_list(graphs()))


@row("no `x`")
def _() -> None:
    assert mixed(graphs(lambda i: {"x": None, "num_nodes": nodes(i)}), tiny())[1].x is None


@row("`double`, `half` or `bfloat16` features")
def _() -> None:
    for dtype in (torch.double, torch.half, torch.bfloat16):
        batch, found = mixed(
            graphs(lambda i, d=dtype: {"x": torch.rand(nodes(i), 3).to(d)}), tiny()
        )
        assert found.x.dtype == found.edge_weight.dtype == dtype
        assert torch.equal(found.x[: batch.num_nodes], batch.x)


@row("bool or 0/1 integer features")
def _() -> None:
    for dtype in (torch.bool, torch.long):
        hot = graphs(lambda i, d=dtype: {"x": F.one_hot(torch.arange(nodes(i)) % 3, 3).to(d)})
        batch, found = mixed(hot, tiny())
        assert found.x.is_floating_point()
        assert torch.equal(found.x[: batch.num_nodes], batch.x.float())


def codes(i: int) -> dict[str, object]:
    return {"x": torch.arange(nodes(i)) % 7}


@row("integer codes `[n]` or `[n, c]`")
def _() -> None:
    mixed(graphs(codes), tiny())


@row('codes, `encode="one-hot"`')
def _() -> None:
    batch, found = mixed(graphs(codes), encode="one-hot")
    assert found.x.dtype == torch.long
    assert torch.equal(found.x[: batch.num_nodes], batch.x)
    assert set(found.x.tolist()) <= set(range(7))


def molecules(layout: OGB | FromSmiles) -> list[Data]:
    def random(number: int, counts: tuple[int, ...]) -> Tensor:
        return torch.stack([torch.randint(count, (number,)) for count in counts], 1)

    known = layout.known
    return graphs(
        lambda i: {
            "x": random(nodes(i), known.nodes),
            "edge_attr": random(2 * nodes(i), known.edges),
        }
    )


@row("OGB's molecules")
def _() -> None:
    mixed(molecules(OGB()), tiny())


@row("molecules of `from_smiles`")
def _() -> None:
    mixed(molecules(FromSmiles()), tiny())


@row('OGB\'s molecules, `encode="ogb"`')
def _() -> None:
    data = molecules(OGB())
    batch, found = mixed(data, encode="ogb")
    assert found.x.dtype == found.edge_attr.dtype == torch.long
    assert torch.equal(found.edge_attr[: batch.num_edges], batch.edge_attr)
    atoms = {tuple(atom) for each in data for atom in each.x.tolist()}
    assert {tuple(atom) for atom in found.x.tolist()} <= atoms


@row("a code that `fit` has not seen")
def _() -> None:
    mix = SMixup(Identity(), encode="one-hot").fit(graphs(codes))
    mix(Batch.from_data_list([graph(4, x=torch.full((4,), 9)), graph(5, x=torch.arange(5))]))


@row("integer `x` and `DropEdge`, `DropNode`, `Subgraph`")
def _() -> None:
    data = graphs(codes)
    for method in (DropEdge(p=0.3), DropNode(p=0.3), Subgraph()):
        found = method.fit(data)(Batch.from_data_list(data))
        assert found.x.dtype == torch.long
        assert found.x.dim() == 1


@row("`x` `[n]` or `[n, t, f]`")
def _() -> None:
    for shape in ((), (2, 3)):
        batch, found = mixed(graphs(lambda i, s=shape: {"x": torch.rand(nodes(i), *s)}), tiny())
        assert found.x.shape[1:] == shape
        assert torch.equal(found.x[: batch.num_nodes], batch.x)


@row("NaN in `x`")
def _() -> None:
    mixed(graphs(lambda i: {"x": torch.full((nodes(i), 3), float("nan"))}), tiny())


@row("other features than at `fit`")
def _() -> None:
    SMixup(tiny()).fit(graphs())(Batch.from_data_list([graph(4, x=torch.rand(4, 5))] * 2))


def weighted(weight: Callable[[int], Tensor], matcher: object = None) -> tuple[Batch, Batch]:
    """Mix rings with weights and one-hot attributes; those of the originals must stay."""
    kind = lambda i: F.one_hot(torch.arange(2 * nodes(i)) % 2, 2).float()  # noqa: E731
    data = graphs(lambda i: {"edge_weight": weight(2 * nodes(i)), "edge_attr": kind(i)})
    batch, found = mixed(data, matcher or tiny())
    m = batch.num_edges
    assert torch.equal(found.edge_weight[:m], batch.edge_weight)
    assert torch.equal(found.edge_attr[:m], batch.edge_attr)
    assert found.edge_weight.isfinite().all()
    torch.testing.assert_close(found.edge_attr.sum(1), torch.ones(found.num_edges))
    return batch, found


@row("no `edge_weight`")
def _() -> None:
    batch, found = mixed(graphs(), tiny())
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
    usual = weighted(lambda m: torch.ones(m), Identity())[1]
    torch.testing.assert_close(light.edge_weight * 1e6, usual.edge_weight)


@row("weights of zero")
def _() -> None:
    weighted(lambda m: (torch.arange(m) % 3 > 0).float())


@row("negative weights")
def _() -> None:
    batch, found = weighted(lambda m: torch.where(torch.arange(m) % 2 == 0, -1.0, 1.0))
    assert (found.edge_weight[batch.num_edges :] < 0).any()


@row("self-loops")
def _() -> None:
    def looped(i: int) -> dict[str, object]:
        every = torch.arange(nodes(i))
        return {"edge_index": torch.cat([graph(nodes(i)).edge_index, torch.stack([every] * 2)], 1)}

    batch, found = mixed(graphs(looped))
    assert torch.equal(found.edge_index[:, : batch.num_edges], batch.edge_index)
    new = found.edge_index[:, batch.num_edges :]
    loops = found.edge_weight[batch.num_edges :][new[0] == new[1]]
    assert len(loops) == found.num_nodes - batch.num_nodes
    assert (loops > 0.99).any(), "both have it"


@row("parallel edges")
def _() -> None:
    batch, found = mixed(graphs(lambda i: {"edge_index": graph(nodes(i)).edge_index.repeat(1, 2)}))
    assert torch.equal(found.edge_index[:, : batch.num_edges], batch.edge_index)
    new = found.edge_index[:, batch.num_edges :]
    assert new.unique(dim=1).size(1) == new.size(1)
    assert found.edge_weight.max() == 2


@row("directed edges")
def _() -> None:
    def one_way(i: int) -> dict[str, object]:
        return {"edge_index": graph(nodes(i)).edge_index[:, : nodes(i)]}

    batch, found = mixed(graphs(one_way))
    new = found.edge_index[:, batch.num_edges :]
    assert not {tuple(e) for e in new.T.tolist()} & {tuple(e) for e in new.flip(0).T.tolist()}


@row("float or one-hot `edge_attr`")
def _() -> None:
    weighted(lambda m: torch.ones(m))


@row("integer `edge_attr`")
def _() -> None:
    mixed(graphs(lambda i: {"edge_attr": torch.arange(2 * nodes(i)) % 4}))


@row("graphs without edges, of one node, of none")
def _() -> None:
    data = graphs()
    mix = SMixup(tiny(), seed=0).fit(data)
    odd = [graph(2), graph(1), graph(0), graph(4)]
    found = mix(Batch.from_data_list(odd))
    assert [part.num_nodes for part in found.to_data_list()] == [2, 1, 0, 4] * 2
    assert SMixup(tiny()).fit([*data, *odd])(Batch.from_data_list(odd)).num_graphs == 8


@row("`int32` indices, `EdgeIndex`")
def _() -> None:
    for made in (lambda e, n: e.int(), lambda e, n: EdgeIndex(e, sparse_size=(n, n))):
        index = lambda i, made=made: made(graph(nodes(i)).edge_index, nodes(i))  # noqa: E731
        mixed(graphs(lambda i, index=index: {"edge_index": index(i)}), tiny())


@row("`adj_t` (`T.ToSparseTensor`)")
def _() -> None:
    SMixup(Identity()).fit([T.ToSparseTensor()(each) for each in graphs()])


@row("dense data (`T.ToDense`, `DenseDataLoader`)")
def _() -> None:
    dense = [T.ToDense(8)(each) for each in graphs()]
    with pytest.raises(SmixupError, match="these are in 'adj'"):
        SMixup(Identity(), num_classes=3)(next(iter(DenseDataLoader(dense, batch_size=2))))
    SMixup(Identity()).fit(dense)


@row("pairs of graphs in one `Data` (`edge_index_s`)")
def _() -> None:
    SMixup(Identity()).fit(
        graphs(lambda i: {"edge_index": None, "edge_index_s": graph(nodes(i)).edge_index})
    )


@row("`HeteroData`")
def _() -> None:
    data = HeteroData()
    data["atom"].x = torch.rand(3, 2)
    with pytest.raises(SmixupError, match="HeteroData"):
        SMixup(Identity()).fit([data])
    SMixup(Identity())(Batch.from_data_list([data, data]))


@row("`pos`, or other float attributes of nodes, edges, graphs")
def _() -> None:
    batch, found = mixed(
        graphs(
            lambda i: {
                "pos": torch.rand(nodes(i), 2),
                "length": torch.rand(2 * nodes(i)),
                "u": torch.rand(1, 4),
            }
        )
    )
    for name, rows in (("pos", batch.num_nodes), ("length", batch.num_edges), ("u", 6)):
        assert torch.equal(found[name][:rows], batch[name])
        assert len(found[name]) > rows
        assert found[name].isfinite().all()
    assert found.pos.shape == (found.num_nodes, 2)
    assert found.u.shape == (12, 4)
    assert not torch.equal(found.u[6:], batch.u)


@row("masks, integers, `smiles` and other names")
def _() -> None:
    def make(i: int) -> dict[str, object]:
        n = nodes(i)
        return {"mask": torch.arange(n) > 1, "charge": torch.arange(n), "smiles": "C" * n}

    batch, found = mixed(graphs(make))
    for part, first in zip(found.to_data_list()[6:], batch.to_data_list(), strict=True):
        assert torch.equal(part.mask, first.mask)
        assert torch.equal(part.charge, first.charge)
        assert part.smiles == first.smiles


@row("an attribute that is called `motif`")
def _() -> None:
    for value in (lambda n: torch.rand(n), lambda n: torch.tensor([3]), lambda n: "house"):
        data = graphs(lambda i, value=value: {"motif": value(nodes(i))})
        assert "motif" in mixed(data, tiny())[1]


class Molecule(Data):
    """A class of somebody's own."""


@row("a class of your own derived from `Data`")
def _() -> None:
    data = [Molecule(**each.to_dict(), energy=torch.rand(1)) for each in graphs()]
    for part in mixed(data)[1].to_data_list():
        assert isinstance(part, Molecule)
        assert part.energy.shape == (1,)


@row("`follow_batch`")
def _() -> None:
    data = graphs(lambda i: {"edge_attr": torch.rand(2 * nodes(i), 1)})
    mix = SMixup(Identity(), seed=0).fit(data)
    found = mix(next(iter(DataLoader(data, 6, follow_batch=["x", "edge_attr"]))))
    assert torch.equal(found.x_batch, found.batch)
    assert torch.equal(found.x_ptr, found.ptr)
    assert torch.equal(found.edge_attr_batch, found.batch[found.edge_index[0]])


@row("`exclude_keys`")
def _() -> None:
    data = graphs(lambda i: {"pos": torch.rand(nodes(i), 2)})
    mix = SMixup(Identity(), seed=0).fit(data)
    assert "pos" not in mix(next(iter(DataLoader(data, 6, exclude_keys=["pos"]))))


@row("`Data` with explicit `num_nodes`")
def _() -> None:
    found = mixed(graphs(lambda i: {"num_nodes": nodes(i)}))[1]
    assert found.num_nodes == len(found.x) == sum(part.num_nodes for part in found.to_data_list())


@row("indices into nodes (`foo_index`)")
def _() -> None:
    mixed(graphs(lambda i: {"foo_index": torch.tensor([0, 1])}))


@row("rows that belong to nothing")
def _() -> None:
    mixed(graphs(lambda i: {"odd": torch.rand(i + 1)}))


@row("a list, a dataset, a `Subset`, a generator for `fit`")
def _() -> None:
    data = graphs()
    for train in (data, torch.utils.data.Subset(data, range(9)), (each for each in data)):
        assert SMixup(Identity()).fit(train).num_classes == 3


@row("a `DataLoader` for `fit`")
def _() -> None:
    assert SMixup(Identity()).fit(DataLoader(graphs(), 4)).num_classes == 3


@row("one `Data`, or a list, for `mix`")
def _() -> None:
    mix = SMixup(Identity()).fit(graphs())
    with pytest.raises(SmixupError, match="a Batch of graphs is needed, not a list"):
        mix(graphs())
    mix(graph(4))


@row("a batch of one, an incomplete last batch")
def _() -> None:
    mix = SMixup(tiny(), seed=0).fit(graphs())
    sizes = [mix(batch).num_graphs for batch in DataLoader(graphs(), 17)]
    assert sizes == [34, 2]


def aligned_anew(mix: SMixup, batch: Batch) -> bool:
    """Tell whether a batch asks the matcher."""
    asked = []

    class Watched(Identity):
        def __call__(self, *pair: object) -> object:
            asked.append(pair)
            return super().__call__(*pair)

    mix.matcher = Watched()
    mix(batch)
    return bool(asked)


@row("training graphs in any order")
def _() -> None:
    mix = SMixup(Identity(), seed=0).fit(graphs())
    assert not any(aligned_anew(mix, batch) for batch in DataLoader(graphs(), 5, shuffle=True))


@row("graphs that `fit` has not seen")
def _() -> None:
    mix = SMixup(Identity(), seed=0).fit(graphs())
    assert aligned_anew(mix, Batch.from_data_list([graph(4), graph(5, 1)]))


class Mixing:
    """A collate function that mixes where graphs are loaded; targets tell what was drawn."""

    def __init__(self, mix: Augmentation) -> None:
        self.mix = mix

    def __call__(self, data: list[Data]) -> Tensor:
        mixed: Batch = self.mix(Batch.from_data_list(data))
        return mixed.y


def drawn_in_workers(**settings: object) -> list[tuple[float, ...]]:
    """Return what the workers of a loader drew in two epochs."""
    data = graphs()
    mix = SMixup(Identity(), seed=0).fit(data)
    loader = torch.utils.data.DataLoader(data, 9, collate_fn=Mixing(mix), num_workers=2, **settings)
    return [tuple(y[9:].max(1).values.tolist()) for _ in range(2) for y in loader]


@row("`num_workers=2`, mixing in `collate_fn`")
def _() -> None:
    assert len(set(drawn_in_workers())) == 4


@row("workers that are spawned")
def _() -> None:
    assert len(set(drawn_in_workers(multiprocessing_context=WARM))) == 4


@row("`torch.manual_seed`")
def _() -> None:
    data = graphs()
    batch = Batch.from_data_list(data)

    def drawn(torch_seed: int, **settings: object) -> Tensor:
        torch.manual_seed(torch_seed)
        return SMixup(Identity(), **settings).fit(data)(batch).y

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))
    assert torch.equal(drawn(1, seed=5), drawn(2, seed=5))


@row("`copy.deepcopy`, `pickle`")
def _() -> None:
    mix = SMixup(tiny(), seed=0).fit(graphs())
    batch = Batch.from_data_list(graphs())
    mix(batch)
    others = copy.deepcopy(mix), pickle.loads(pickle.dumps(mix))
    expected = mix(batch)
    for other in others:
        found = other(batch)
        assert torch.equal(found.y, expected.y)
        assert torch.equal(found.edge_index, expected.edge_index)


@row("a loader far from the model, `mix.loader(loader, model)`")
def _() -> None:
    data = graphs()
    model = Model(GCNConv(3, 8), norm=True)
    loader = SMixup(Identity(), seed=0).fit(data).loader(DataLoader(data, 6), model)
    for batch in loader:
        assert batch.num_graphs == 12
        assert F.cross_entropy(model(batch), batch.y).isfinite()
    model.eval()
    assert [batch.num_graphs for batch in loader] == [6, 6, 6]


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
        logits: Tensor = self.head(global_mean_pool(self.norm(h), of, batch.num_graphs))
        return logits


def trained(model: nn.Module, guarded: bool = True, mix: SMixup | None = None) -> SMixup:
    """Train for a few steps as a user would; the loss must stay finite."""
    data = graphs()
    mix = mix or SMixup(Identity(), seed=0).fit(data)
    optimizer = torch.optim.Adam(model.parameters())
    with mix.training(model) if guarded else nullcontext():
        for batch in DataLoader(data, 6, shuffle=True):
            batch = mix(batch)
            loss = F.cross_entropy(model(batch), batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            assert loss.isfinite()
    return mix


def changed_by_mixes(model: nn.Module, guarded: bool = True) -> bool:
    """Tell whether the originals' logits in training depend on the mixes beside them."""
    data = graphs()
    for each in data:
        each.edge_weight = torch.ones(each.num_edges)
    mix, batch = SMixup(Identity(), seed=0).fit(data), Batch.from_data_list(data[:6])
    alone = model(batch)
    with mix.training(model) if guarded else nullcontext():
        found = model(mix(batch))[:6]
    return not torch.allclose(found, alone, atol=1e-4)


@row("batch norms, `with mix.training(model):`")
def _() -> None:
    model = Model(GCNConv(3, 8), norm=True)
    assert not changed_by_mixes(model)
    trained(model)


@row("batch norms, no guard")
def _() -> None:
    trained(Model(GCNConv(3, 8), norm=True), guarded=False)


@row("batch norms behind `TopKPooling`")
def _() -> None:
    torch.manual_seed(0)
    model = Model(GraphConv(3, 8), pool=TopKPooling(8, 0.6), norm=True)
    assert not changed_by_mixes(model)
    trained(model)


@row("a model trained without a guard")
def _() -> None:
    model, data = Model(GCNConv(3, 8), norm=True), graphs()
    refresh_batch_norm(model, DataLoader(data, 5))
    h = model.conv(*(lambda b: (b.x, b.edge_index))(Batch.from_data_list(data)))
    torch.testing.assert_close(model.norm.running_mean, h.mean(0), atol=0.05, rtol=0.05)


def heard(conv: nn.Module) -> bool:
    model = Model(conv)
    mix = trained(model)
    assert not mix.deaf
    return hears_edge_weight(model, mix(Batch.from_data_list(graphs())))


@row("layers that take weights (`GCNConv`, `GraphConv`)")
def _() -> None:
    assert heard(GCNConv(3, 8))
    assert heard(GraphConv(3, 8))


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU())


def unmixed_for(model: nn.Module) -> None:
    mix = trained(model)
    assert mix.deaf
    assert mix(Batch.from_data_list(graphs())).num_graphs == 18


@row("`GINConv`")
def _() -> None:
    unmixed_for(Model(GINConv(mlp()), weights=False))


@row('`GINConv`, `SMixup(edges="sampled")`')
def _() -> None:
    mix = SMixup(Identity(), edges="sampled", seed=0).fit(graphs())
    trained(Model(GINConv(mlp()), weights=False), mix=mix)
    assert mix(Batch.from_data_list(graphs())).num_graphs == 36


@row("`GCNConv` without its weights")
def _() -> None:
    unmixed_for(Model(GCNConv(3, 8), weights=False))


@row("`smixup.nn.WeightedGINConv` and friends")
def _() -> None:
    assert heard(WeightedGINConv(mlp()))
    assert heard(WeightedSAGEConv(3, 8))
    data = graphs(lambda i: {"edge_attr": torch.rand(2 * nodes(i), 3)})
    batch = mixed(data)[1]
    for conv in (WeightedGINEConv(mlp()), WeightedGATConv(3, 8, edge_dim=3)):
        assert hears_edge_weight(
            conv, batch, lambda c, b: c(b.x, b.edge_index, b.edge_attr, b.edge_weight)
        )


@row("`torch.autocast`, bf16")
def _() -> None:
    batch, mix = Batch.from_data_list(graphs()), SMixup(tiny(), seed=0).fit(graphs())
    other = copy.deepcopy(mix)
    with torch.autocast("cpu", torch.bfloat16):
        inside = mix(batch)
        trained(Model(GCNConv(3, 8), norm=True), mix=copy.deepcopy(mix))
    outside = other(batch)
    assert torch.equal(inside.x, outside.x)
    assert torch.equal(inside.edge_weight, outside.edge_weight)


@row("a `double` model")
def _() -> None:
    model = Model(GCNConv(3, 8), norm=True).double()
    data = graphs(lambda i: {"x": torch.rand(nodes(i), 3, dtype=torch.double)})
    mix = SMixup(Identity(), seed=0).fit(data)
    with mix.training(model):
        assert model(mix(Batch.from_data_list(data))).dtype == torch.double


@row("`torch.compile`")
def _() -> None:
    gc.collect()  # what other rows mixed and gave to no model is no longer followed
    model = torch.compile(Model(GCNConv(3, 8)), backend="eager", dynamic=True)
    trained(model)


@row("Lightning")
def _() -> None:
    lightning = pytest.importorskip("lightning")

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self, mix: SMixup) -> None:
            super().__init__()
            self.model, self.mix = Model(GCNConv(3, 8), norm=True), mix

        def training_step(self, batch: Batch, _: int) -> Tensor:
            batch = self.mix(batch)
            return F.cross_entropy(self.model(batch), batch.y)

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.Adam(self.parameters())

    data = graphs()
    mix = SMixup(Identity(), seed=0).fit(data)
    module = Module(mix)
    trainer = lightning.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    with mix.training(module), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The 'train_dataloader' does not have many workers")
        warnings.filterwarnings("ignore", "Trying to infer the `batch_size`")
        trainer.fit(module, DataLoader(data, 6))
    assert trainer.global_step == 3


@row("accelerate")
def _() -> None:
    accelerate = pytest.importorskip("accelerate")
    data, accelerator = graphs(), accelerate.Accelerator(cpu=True)
    mix, model = SMixup(Identity(), seed=0).fit(data), Model(GCNConv(3, 8), norm=True)
    optimizer = torch.optim.Adam(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(data, 6))
    with mix.training(model):
        for batch in loader:
            batch = mix(batch)
            loss = F.cross_entropy(model(batch), batch.y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            assert loss.isfinite()


def in_a_rank(rank: int, folder: str) -> None:
    """Train as one of two processes, and write down what was drawn."""
    store = f"file://{folder}/store"
    torch.distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    data = graphs()
    mix = SMixup(Identity(), seed=0).fit(data)
    model = nn.parallel.DistributedDataParallel(Model(GCNConv(3, 8), norm=True))
    with mix.training(model):
        mixed = mix(Batch.from_data_list(data))
        F.cross_entropy(model(mixed), mixed.y).backward()
    torch.save(mixed.y, f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()


@row("`DistributedDataParallel`")
def _() -> None:
    with TemporaryDirectory() as folder:
        start_ranks(in_a_rank, (folder,))
        first, second = (torch.load(f"{folder}/{rank}.pt") for rank in range(2))
    assert first.shape == second.shape
    assert not torch.equal(first, second)


@row("a wrong value of a field")
def _() -> None:
    SMixup(Identity(), alpha=-1)
