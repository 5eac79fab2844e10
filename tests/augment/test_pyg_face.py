"""Every method of the registry in a foreign PyG loop: batches in, batches out, nothing lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool
from torch_geometric.transforms import ToSparseTensor

from smixup import Augmentation, Compose, DropEdge, GMixup, OneOf, SMixup, SubMix, Until
from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import DropNode, GraphTransplant, IfMixup, LabelSmoothing, MMixup
from smixup.errors import SmixupError
from smixup.matching import Identity

TINY_MATCHER = {"matcher.num_layers": 1, "matcher.hidden_channels": 8, "matcher.max_steps": 2}
SMALL = {"s-mixup": TINY_MATCHER, "s-cut": TINY_MATCHER}
MAKE: dict[str, Callable[[], Augmentation]] = {
    **{
        name: lambda name=name: make_method(name, 0, SMALL.get(name, {}))
        for name in METHODS
        if name not in SAME_NODES
    },
    "compose": lambda: Compose([DropEdge(p=0.3, seed=0), SMixup(Identity(), seed=0)]),
    "if-mixup, then s-mixup": lambda: Compose([IfMixup(seed=0), SMixup(Identity(), seed=0)]),
    "one of": lambda: OneOf([SubMix(seed=0), DropNode(seed=0), Augmentation()], seed=0),
    "until": lambda: Until(SubMix(seed=0)),
}
ONCE = ("g-mixup", "fgw-mixup", "geomix")
"""Methods that do their work before training."""
KEEPS_TARGETS = ("vanilla", "drop-edge", "drop-node", "subgraph", "m-mixup", *ONCE)
KEEPS_ORIGINALS = ("s-mixup", "s-cut", "graph-transplant", "vanilla", "m-mixup", *ONCE)


def graph(n: int, label: int, **changes: object) -> Data:
    """A ring of n nodes with attributes of every kind."""
    ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    edges = torch.cat([ring, ring.flip(0)], 1) if n > 2 else torch.zeros(2, 0, dtype=torch.long)
    m = edges.size(1)
    kind = F.one_hot(torch.arange(m // 2).repeat(2) % 2, 2) if m else torch.zeros(0, 2).long()
    fields: dict[str, object] = {
        "x": torch.rand(n, 3),
        "edge_index": edges,
        "edge_attr": torch.rand(m // 2, 2).repeat(2, 1),
        "edge_kind": kind,
        "pos": torch.rand(n, 2),
        "mask": torch.arange(n) % 2 == 0,
        "charge": torch.arange(n) % 3,
        "u": torch.rand(1, 4),
        "idx": torch.tensor([n]),
        "name": f"ring of {n}",
        "y": torch.tensor([label]),
    }
    return Data(**{key: value for key, value in (fields | changes).items() if value is not None})


def dataset(**changes: object) -> list[Data]:
    torch.manual_seed(0)
    return [graph(3 + i % 5, i % 3, **changes) for i in range(12)]


def bare(data: list[Data]) -> list[Data]:
    """The same graphs with features, edges and labels alone: what G-Mixup can add to."""
    return [Data(x=each.x, edge_index=each.edge_index, y=each.y) for each in data]


@pytest.fixture(params=MAKE)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def method(name: str) -> Augmentation:
    """A method that has learnt from the training graphs."""
    return MAKE[name]().fit(dataset())


def tensors(batch: Batch) -> dict[str, Tensor]:
    return {
        key: value.clone() for key, value in batch.to_dict().items() if isinstance(value, Tensor)
    }


def test_a_batch_becomes_a_batch_that_can_be_taken_apart(method: Augmentation) -> None:
    batch = Batch.from_data_list(dataset()[:8])
    before = tensors(batch)
    for _ in range(3):
        found = method(batch)
        torch.testing.assert_close(tensors(batch), before, msg="the input was changed")
        parts = found.to_data_list()
        assert len(parts) == found.num_graphs >= 8
        assert sum(part.num_nodes for part in parts) == found.num_nodes
        for part in parts:
            assert part.edge_index.numel() == 0 or int(part.edge_index.max()) < part.num_nodes
        again = Batch.from_data_list(parts)
        torch.testing.assert_close(tensors(again)["edge_index"], tensors(found)["edge_index"])


def test_every_attribute_comes_along(method: Augmentation, name: str) -> None:
    batch = Batch.from_data_list(dataset()[:8])
    found = method(batch)
    n, m, B = found.num_nodes, found.num_edges, found.num_graphs
    shapes = {
        "pos": (n, 2),
        "mask": (n,),
        "charge": (n,),
        "edge_attr": (m, 2),
        "edge_kind": (m, 2),
        "u": (B, 4),
        "idx": (B,),
    }
    assert {key: tuple(found[key].shape) for key in shapes} == shapes
    assert len(found["name"]) == B
    for key in ("pos", "edge_attr", "u"):
        assert found[key].isfinite().all()
    assert (found.mask.dtype, found.charge.dtype, found.idx.dtype) == (
        torch.bool,
        torch.long,
        torch.long,
    )
    assert set(found["name"]) <= set(batch["name"])


def test_originals_that_are_kept_are_kept_whole(method: Augmentation, name: str) -> None:
    if name not in KEEPS_ORIGINALS:
        pytest.skip("changes all graphs")
    batch = Batch.from_data_list(dataset()[:8])
    found = method(batch)
    n = batch.num_nodes
    for key in ("x", "pos", "mask", "charge"):
        assert torch.equal(found[key][:n], batch[key]), key
    assert torch.equal(found.u[:8], batch.u)
    assert found["name"][:8] == batch["name"]
    order, own = (
        (each.edge_index[1] * found.num_nodes + each.edge_index[0]).argsort()
        for each in (batch, found)
    )
    kept = own[: order.numel()]
    for key in ("edge_attr", "edge_kind"):
        torch.testing.assert_close(
            found[key][kept].float(), batch[key][order].float(), msg=f"{key} of originals"
        )


def test_targets_are_soft_only_where_they_were_mixed(method: Augmentation, name: str) -> None:
    batch = Batch.from_data_list(dataset()[:8])
    found = method(batch)
    if name in KEEPS_TARGETS:
        assert torch.equal(found.y, batch.y)
        return
    if name == "one of" and not found.y.is_floating_point():
        return
    assert found.y.shape == (found.num_graphs, 3)
    torch.testing.assert_close(found.y.sum(1), torch.ones(found.num_graphs))


def test_edges_that_are_only_moved_keep_their_attributes() -> None:
    """Attributes tell which two nodes an edge joined; after cutting, they still do."""
    data = dataset(edge_kind=None, edge_attr=None)
    for each in data:
        first, second = each.edge_index
        each.edge_attr = torch.stack([each.pos[first, 0], each.pos[second, 0]], 1)
        each.edge_sum = first + second
    batch = Batch.from_data_list(data)
    for method in (DropEdge(p=0.4, seed=1), DropNode(p=0.4, seed=1)):
        found = method(batch)
        first, second = found.edge_index
        expected = torch.stack([found.pos[first, 0], found.pos[second, 0]], 1)
        torch.testing.assert_close(found.edge_attr, expected)
        assert found.edge_sum.dtype == torch.long
        assert 0 < found.num_edges < batch.num_edges


def test_submix_brings_the_attributes_of_the_edges_it_brings() -> None:
    data = [graph(8, i % 3, edge_kind=None) for i in range(6)]
    for place, each in enumerate(data):
        each.edge_attr = torch.full((16, 1), float(place))
    found = SubMix(share=0.8, seed=0, num_classes=3)(Batch.from_data_list(data))
    counts = []
    for place, part in enumerate(found.to_data_list()):
        assert set(part.edge_attr.unique().tolist()) <= set(range(6))
        counts.append(int((part.edge_attr != place).sum()))
        own = part.y[0, place % 3]
        share = float((part.edge_attr % 3 == place % 3).float().mean())
        assert float(own) == pytest.approx(share, abs=1e-6), "the target counts edges"
    assert sum(counts) > 0, "some edges came from elsewhere"


def test_ties_of_graph_transplant_have_the_mean_of_the_edges_that_were_cut() -> None:
    data = [graph(9, i % 3, edge_kind=None) for i in range(6)]
    for each in data:
        each.edge_attr = torch.full((18,), 2.5)
    found = GraphTransplant(seed=0, num_classes=3)(Batch.from_data_list(data))
    torch.testing.assert_close(found.edge_attr, torch.full((found.num_edges,), 2.5))


def test_numbers_are_mixed_and_the_rest_is_the_first_graphs() -> None:
    """Two rings of one size in the same order: a mix is lambda of one and the rest of the other."""
    torch.manual_seed(0)
    data = [graph(5, 0, edge_kind=None), graph(5, 1, edge_kind=None)]
    mix = SMixup(Identity(), alpha=1.0, amount=None, threshold=0.0, seed=3, num_classes=2)
    for _ in range(4):
        found = mix(Batch.from_data_list(data)).to_data_list()
        for place, part in enumerate(found):
            lam, own, other = float(part.y[0, place]), data[place], data[1 - place]
            for key in ("x", "pos", "u"):
                torch.testing.assert_close(part[key], lam * own[key] + (1 - lam) * other[key])
            assert torch.equal(part.charge, own.charge)
            assert part["name"] == own["name"]


@pytest.mark.parametrize("labels", ["soft rows", "multi-label"])
def test_float_targets_stay_float(labels: str) -> None:
    y = (
        torch.tensor([[0.2, 0.3, 0.5]])
        if labels == "soft rows"
        else torch.tensor([[1.0, 0.0, 1.0]])
    )
    batch = Batch.from_data_list([graph(5, 0, y=y) for _ in range(4)])
    smoothing = [LabelSmoothing()] if labels == "soft rows" else []
    for each in (SubMix(seed=0), IfMixup(seed=0), *smoothing):
        assert each(batch).y.shape == (4, 3)


def test_the_number_of_classes_is_not_guessed_from_a_batch() -> None:
    batch = Batch.from_data_list(dataset()[:2])  # classes 0 and 1 of three
    for each in (SubMix(), LabelSmoothing(), IfMixup(), SMixup(Identity()), GraphTransplant()):
        with pytest.raises(SmixupError, match=r"must know how many classes there are: call fit"):
            each(batch)
    assert SubMix(num_classes=3)(batch).y.shape == (2, 3)
    assert torch.equal(DropEdge()(batch).y, batch.y)


def test_graphs_without_features_or_edges_and_a_batch_of_one(name: str) -> None:
    for data in (
        [graph(3 + i % 4, i % 2, x=None) for i in range(8)],
        [graph(1, 0), graph(2, 1), graph(6, 1), graph(1, 0)],
    ):
        method = MAKE[name]().fit(data)
        for part in (data, data[:1]):
            found = method(Batch.from_data_list(part))
            assert found.num_graphs >= len(part)
            assert (found.x is None) == ("x" not in data[0])


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("face", torch.zeros(3, 2, dtype=torch.long), "'face'"),
        ("root_index", torch.tensor([1]), "'root_index'"),
    ],
)
def test_what_cannot_come_along_is_refused_by_name(
    attribute: str, value: object, message: str
) -> None:
    data = dataset()
    for each in data:
        each[attribute] = value
    with pytest.raises(SmixupError, match=f"the attribute {message}.*del data"):
        DropEdge()(Batch.from_data_list(data))


@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_sparse_adjacency_is_refused_by_name() -> None:
    data = [ToSparseTensor()(each) for each in bare(dataset())]
    with pytest.raises(SmixupError, match="these are in 'adj_t': augment first"):
        DropEdge()(Batch.from_data_list(data))


def test_rows_that_belong_to_nothing_are_refused_by_name() -> None:
    data = dataset()
    for place, each in enumerate(data):
        each.odd = torch.rand(place + 1)
    with pytest.raises(SmixupError, match="'odd' with 78 rows has neither one per node"):
        DropEdge()(Batch.from_data_list(data))


def test_categories_of_edges_are_not_averaged() -> None:
    data = dataset(edge_kind=None)
    for each in data:
        each.bond = torch.arange(each.num_edges) % 4
    batch = Batch.from_data_list(data)
    for method in (SMixup(Identity(), num_classes=3), IfMixup(num_classes=3), GraphTransplant()):
        with pytest.raises(SmixupError, match="'bond' holds whole numbers, which a mix would aver"):
            method(batch)
    assert DropEdge()(batch).bond.dtype == torch.long


@pytest.mark.parametrize("wrong", [Data(x=torch.rand(3, 1)), [graph(3, 0)], torch.rand(3)])
def test_what_is_no_batch_is_refused(wrong: Any) -> None:
    with pytest.raises(SmixupError, match=r"a Batch of graphs is needed.*Batch\.from_data_list"):
        DropEdge()(wrong)


def test_extend_returns_a_list_that_can_be_loaded() -> None:
    data = bare(dataset())
    longer = GMixup(amount=0.5, seed=0).extend(data)
    assert len(longer) == 18
    batch = next(iter(DataLoader(longer, 18)))
    assert batch.y.shape == (18, 3)
    assert torch.equal(batch.y[:12].argmax(1), torch.cat([each.y for each in data]))
    with pytest.raises(SmixupError, match="GMixup makes graphs that have no 'charge'"):
        GMixup(amount=0.5).extend(dataset())
    assert DropEdge().extend(data) == data


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.norm, self.head = GCNConv(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 3)

    def embed(self, batch: Batch) -> Tensor:
        h = self.convolution(batch.x, batch.edge_index, batch.edge_weight)
        return global_mean_pool(self.norm(h).relu(), batch.batch)

    def forward(self, batch: Batch) -> Tensor:
        logits: Tensor = self.head(self.embed(batch))
        return logits


def test_a_whole_loop(method: Augmentation) -> None:
    """Embeddings are handed over too, as M-Mixup acts on them; others leave them alone."""
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.Adam(model.parameters())
    with method.training(model):
        for epoch in range(1, 3):
            method.set_epoch(epoch, 2)
            for batch in DataLoader(dataset(), 4, shuffle=True):
                batch = method(batch)
                h, y = method.on_embedding(model.embed(batch), batch.y)
                loss = F.cross_entropy(model.head(h), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                assert loss.isfinite()


def test_m_mixup_takes_integer_labels_once_it_knows_the_classes() -> None:
    h, y = torch.rand(4, 5), torch.tensor([0, 1, 1, 0])
    with pytest.raises(SmixupError, match="MMixup makes soft targets"):
        MMixup().on_embedding(h, y)
    _, soft = MMixup(num_classes=3, seed=0).on_embedding(h, y)
    assert soft.shape == (4, 3)


def test_graph_transplant_asks_a_pyg_model() -> None:
    batch, model = Batch.from_data_list(dataset(edge_kind=None)[:6]), Model()
    asked = []

    def forward(graphs: Batch) -> Tensor:
        asked.append(graphs.num_graphs)
        return model(graphs)

    method = GraphTransplant(seed=0, num_classes=3)
    method.bind(model, forward)
    assert method(batch).num_graphs == 12
    assert asked == [6]
    assert model.training


def test_without_a_seed_torch_decides_and_no_two_instances_agree() -> None:
    batch = Batch.from_data_list(dataset()[:8])

    def drawn() -> list[Tensor]:
        torch.manual_seed(5)
        return [DropEdge(p=0.5)(batch).edge_index for _ in range(2)]

    first, second = drawn()
    assert not torch.equal(first, second)
    again = drawn()
    assert torch.equal(first, again[0])
    assert torch.equal(second, again[1])


class Augmented(torch.utils.data.Dataset):
    """Graphs that are augmented where they are loaded: in the workers."""

    def __init__(self, method: Augmentation) -> None:
        self.method, self.batch = method, Batch.from_data_list([graph(40, 0)])

    def __len__(self) -> int:
        return 4

    def __getitem__(self, place: int) -> Data:
        return self.method(self.batch).to_data_list()[0]


@pytest.mark.parametrize("seed", [None, 7])
def test_workers_of_a_loader_draw_different_numbers(seed: int | None) -> None:
    loader = DataLoader(Augmented(DropEdge(p=0.5, seed=seed)), batch_size=1, num_workers=2)
    edges = [batch.edge_index for batch in loader]
    drawn = {tuple(each.flatten().tolist()) for each in edges}
    assert len(drawn) == 4
