"""Every method in a foreign PyG loop: batches in, batches out, nothing lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from rings import ring
from tiny_methods import METHODS, method
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_mean_pool

from smixup import Augmentation, Compose, DropEdge, GMixup, OneOf, SMixup, SubMix, Until
from smixup.augment import DropNode, GraphTransplant, IfMixup, LabelSmoothing, MMixup
from smixup.errors import SmixupError
from smixup.matching import Identity

WAYS: dict[str, Callable[[], Augmentation]] = {
    **{name: lambda name=name: method(name) for name in METHODS},
    "compose": lambda: Compose([IfMixup(seed=0), SMixup(Identity(), seed=0)]),
    "one of": lambda: OneOf([SubMix(seed=0), DropNode(seed=0), Augmentation()], seed=0),
    "until": lambda: Until(SubMix(seed=0)),
}
ONCE = ("g-mixup", "fgw-mixup", "geomix")
"""Methods that do their work before training."""
KEEPS_TARGETS = ("vanilla", "drop-edge", "drop-node", "subgraph", "m-mixup", *ONCE)
KEEPS_ORIGINALS = ("s-mixup", "s-cut", "graph-transplant", "vanilla", "m-mixup", *ONCE)


def graph(n: int, label: int, **changes: object) -> Data:
    """A ring of n nodes with attributes of every kind."""
    m = 2 * n if n > 2 else 0
    fields: dict[str, object] = {
        "edge_attr": torch.rand(m // 2, 2).repeat(2, 1),
        "edge_kind": F.one_hot(torch.arange(m // 2).repeat(2) % 2, 2) if m else torch.zeros(0, 2),
        "pos": torch.rand(n, 2),
        "mask": torch.arange(n) % 2 == 0,
        "charge": torch.arange(n) % 3,
        "u": torch.rand(1, 4),
        "idx": torch.tensor([n]),
        "name": f"ring of {n}",
    }
    return ring(n, label, **(fields | changes))


def dataset(**changes: object) -> list[Data]:
    torch.manual_seed(0)
    return [graph(3 + i % 5, i % 3, **changes) for i in range(12)]


def tensors(batch: Batch) -> dict[str, Tensor]:
    return {
        key: value.clone() for key, value in batch.to_dict().items() if isinstance(value, Tensor)
    }


@pytest.mark.parametrize("way", WAYS)
def test_a_batch_becomes_a_batch_with_all_its_attributes(way: str) -> None:
    augmentation = WAYS[way]().fit(dataset())
    batch = Batch.from_data_list(dataset()[:8])
    before = tensors(batch)
    found = augmentation(batch)
    torch.testing.assert_close(tensors(batch), before, msg="the input was changed")
    parts = found.to_data_list()
    assert len(parts) == found.num_graphs >= 8
    assert sum(part.num_nodes for part in parts) == found.num_nodes
    for part in parts:
        assert part.edge_index.numel() == 0 or int(part.edge_index.max()) < part.num_nodes
    assert torch.equal(Batch.from_data_list(parts).edge_index, found.edge_index)
    n, m, B = found.num_nodes, found.num_edges, found.num_graphs
    shapes = {"pos": (n, 2), "mask": (n,), "charge": (n,), "edge_attr": (m, 2)}
    shapes |= {"edge_kind": (m, 2), "u": (B, 4), "idx": (B,)}
    assert {key: tuple(found[key].shape) for key in shapes} == shapes
    for key in ("pos", "edge_attr", "u"):
        assert found[key].isfinite().all()
    assert [found[key].dtype for key in ("mask", "charge", "idx")] == [
        torch.bool,
        torch.long,
        torch.long,
    ]
    assert len(found["name"]) == B and set(found["name"]) <= set(batch["name"])
    if way in KEEPS_TARGETS:
        assert torch.equal(found.y, batch.y)
    elif way != "one of":
        assert found.y.shape == (B, 3)
        torch.testing.assert_close(found.y.sum(1), torch.ones(B))
    if way in KEEPS_ORIGINALS:
        check_originals(batch, found)


def check_originals(batch: Batch, found: Batch) -> None:
    for key in ("x", "pos", "mask", "charge"):
        assert torch.equal(found[key][: batch.num_nodes], batch[key]), key
    assert torch.equal(found.u[:8], batch.u)
    assert found["name"][:8] == batch["name"]
    order, own = (
        (each.edge_index[1] * found.num_nodes + each.edge_index[0]).argsort()
        for each in (batch, found)
    )
    kept = own[: order.numel()]
    for key in ("edge_attr", "edge_kind"):
        torch.testing.assert_close(found[key][kept].float(), batch[key][order].float())


@pytest.mark.parametrize("way", WAYS)
def test_graphs_without_features_or_edges_and_a_batch_of_one(way: str) -> None:
    bare = [graph(3 + i % 4, i % 2, x=None, num_nodes=3 + i % 4) for i in range(8)]
    for data in (bare, [graph(1, 0), graph(2, 1), graph(6, 1), graph(1, 0)]):
        augmentation = WAYS[way]().fit(data)
        for part in (data, data[:1]):
            found = augmentation(Batch.from_data_list(part))
            assert found.num_graphs >= len(part)
            assert (found.x is None) == ("x" not in data[0])


def test_edges_that_are_only_moved_keep_their_attributes() -> None:
    """Attributes tell which two nodes an edge joined; after cutting, they still do."""
    data = dataset(edge_kind=None, edge_attr=None)
    for each in data:
        first, second = each.edge_index
        each.edge_attr = torch.stack([each.pos[first, 0], each.pos[second, 0]], 1)
        each.edge_sum = first + second
    batch = Batch.from_data_list(data)
    for method_of_parts in (DropEdge(p=0.4, seed=1), DropNode(p=0.4, seed=1)):
        found = method_of_parts(batch)
        first, second = found.edge_index
        expected = torch.stack([found.pos[first, 0], found.pos[second, 0]], 1)
        torch.testing.assert_close(found.edge_attr, expected)
        assert found.edge_sum.dtype == torch.long
        assert 0 < found.num_edges < batch.num_edges


def test_submix_and_transplant_bring_the_attributes_of_the_edges_they_bring() -> None:
    data = [graph(8, i % 3, edge_kind=None) for i in range(6)]
    for place, each in enumerate(data):
        each.edge_attr = torch.full((16, 1), float(place))
    found = SubMix(share=0.8, seed=0, num_classes=3)(Batch.from_data_list(data))
    came = 0
    for place, part in enumerate(found.to_data_list()):
        came += int((part.edge_attr != place).sum())
        share = float((part.edge_attr % 3 == place % 3).float().mean())
        assert float(part.y[0, place % 3]) == pytest.approx(share, abs=1e-6)
    assert came > 0, "some edges came from elsewhere"
    for each in data:
        each.edge_attr = torch.full((16,), 2.5)
    found = GraphTransplant(seed=0, num_classes=3)(Batch.from_data_list(data))
    torch.testing.assert_close(found.edge_attr, torch.full((found.num_edges,), 2.5))


def test_the_number_of_classes_is_not_guessed_from_a_batch() -> None:
    batch = Batch.from_data_list(dataset()[:2])  # classes 0 and 1 of three
    for each in (SubMix(), LabelSmoothing(), IfMixup(), SMixup(Identity()), GraphTransplant()):
        with pytest.raises(SmixupError, match=r"must know how many classes there are: call fit"):
            each(batch)
    assert SubMix(num_classes=3)(batch).y.shape == (2, 3)
    assert torch.equal(DropEdge()(batch).y, batch.y)
    with pytest.raises(SmixupError, match="MMixup makes soft targets"):
        MMixup().on_embedding(torch.rand(2, 5), batch.y)
    assert MMixup(num_classes=3, seed=0).on_embedding(torch.rand(2, 5), batch.y)[1].shape == (2, 3)


def test_extend_returns_a_list_that_can_be_loaded() -> None:
    data = [Data(x=each.x, edge_index=each.edge_index, y=each.y) for each in dataset()]
    longer = GMixup(amount=0.5, seed=0).extend(data)
    batch = next(iter(DataLoader(longer, 18)))
    assert batch.y.shape == (18, 3)
    assert torch.equal(batch.y[:12].argmax(1), torch.cat([each.y for each in data]))
    with pytest.raises(SmixupError, match="GMixup makes graphs that have no 'charge'"):
        GMixup(amount=0.5).extend(dataset())
    assert DropEdge().extend(data) == data


def test_graph_transplant_asks_a_pyg_model() -> None:
    batch, model = Batch.from_data_list(dataset(edge_kind=None)[:6]), nn.Linear(3, 3)
    asked = []

    def forward(graphs: Batch) -> Tensor:
        asked.append(graphs.num_graphs)
        return model(global_mean_pool(graphs.x, graphs.batch))

    transplant = GraphTransplant(seed=0, num_classes=3)
    transplant.bind(model, forward)
    assert transplant(batch).num_graphs == 12
    assert asked == [6]
    assert model.training
