"""The ten lines of the README, with every kind of batch a PyG user may have."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool

from smixup import Compose, DropEdge, DropNode, GraphMatcher, SMixup
from smixup.errors import SmixupError
from smixup.matching import Identity, Uniform


def graph(n: int, label: int, **changes: object) -> Data:
    ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    edge_index = (
        torch.cat([ring, ring.flip(0)], dim=1) if n > 2 else torch.zeros(2, 0, dtype=torch.long)
    )
    fields = {
        "x": torch.rand(n, 3),
        "edge_index": edge_index,
        "y": torch.tensor([label]),
        "num_nodes": n,
    }
    return Data(**(fields | changes))


@pytest.fixture(scope="module")
def dataset() -> list[Data]:
    torch.manual_seed(0)
    return [graph(3 + i % 5, i % 3) for i in range(24)]


@pytest.fixture(scope="module")
def matcher(dataset: list[Data]) -> GraphMatcher:
    return GraphMatcher(hidden_channels=8, num_layers=2, max_steps=4, batch_size=8).fit(dataset)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.head = GCNConv(3, 8), nn.Linear(8, 3)

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor, batch: Tensor) -> Tensor:
        return self.head(
            global_mean_pool(self.convolution(x, edge_index, edge_weight).relu(), batch)
        )


def test_an_ordinary_loop(dataset: list[Data], matcher: GraphMatcher, device: torch.device) -> None:
    model, mix = Model().to(device), SMixup(matcher, alpha=1.0)
    optimizer = torch.optim.Adam(model.parameters())
    for batch in DataLoader(dataset, 8, shuffle=True):
        mixed = mix(batch.to(device))
        loss = F.cross_entropy(
            model(mixed.x, mixed.edge_index, mixed.edge_weight, mixed.batch), mixed.y
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        assert loss.isfinite()
        torch.testing.assert_close(mixed.y.sum(1), mixed.y.new_ones(mixed.num_graphs))


class Normalised(nn.Module):
    """A model with a norm over nodes, one over edges and one over graphs."""

    def __init__(self) -> None:
        super().__init__()
        self.of_nodes, self.of_edges, self.of_graphs = (nn.BatchNorm1d(3) for _ in range(3))
        self.head = nn.Linear(3, 3)

    def forward(self, batch: Batch) -> Tensor:
        h = self.of_nodes(batch.x)
        messages = self.of_edges(h[batch.edge_index[0]]) * batch.edge_weight.unsqueeze(1)
        h = h.index_add(0, batch.edge_index[1], messages)
        return self.head(self.of_graphs(global_mean_pool(h, batch.batch)))


def test_mixes_do_not_spoil_the_norms_of_a_foreign_model(
    dataset: list[Data], matcher: GraphMatcher
) -> None:
    for data in dataset:
        data.edge_weight = torch.ones(data.num_edges)
    batch = Batch.from_data_list(dataset[:8])
    torch.manual_seed(0)
    model = Normalised()
    alone = model(batch)
    mix = SMixup(matcher, amount=2.0, seed=0)
    with mix.training(model):
        mixed = mix(batch)
        assert mixed.num_graphs == 24
        torch.testing.assert_close(model(mixed)[:8], alone, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(model(mixed)[:8], alone, atol=1e-3), "outside, mixes are felt"
    ordinary = SMixup(matcher, amount=2.0, norm_from_originals=False, seed=0)
    with ordinary.training(model):
        assert not torch.allclose(model(ordinary(batch))[:8], alone, atol=1e-3)
    with mix.training(model), pytest.raises(ZeroDivisionError), mix.training(model):
        raise ZeroDivisionError
    assert all("forward" not in vars(module) for module in model.modules())


def test_an_adaptive_range(dataset: list[Data], matcher: GraphMatcher) -> None:
    batch = Batch.from_data_list(dataset[:8])
    plain, adaptive = (
        SMixup(matcher, alpha=5.0, amount=None, adaptive=adaptive, seed=0)(batch)
        for adaptive in (False, True)
    )
    own = batch.y.unsqueeze(1)
    usual, found = (mixed.y.gather(1, own) for mixed in (plain, adaptive))
    assert (found >= usual - 1e-6).all()
    assert (found > usual + 0.05).any()


def test_the_result_is_new_and_can_be_taken_apart(
    dataset: list[Data], matcher: GraphMatcher
) -> None:
    batch = Batch.from_data_list(dataset[:6])
    before = batch.clone()
    mixed = SMixup(matcher, alpha=1.0, amount=None)(batch)
    for name in ("x", "edge_index", "y", "batch"):
        assert torch.equal(batch[name], before[name]), f"{name} of the input has changed"
    parts = mixed.to_data_list()
    assert [part.num_nodes for part in parts] == [data.num_nodes for data in dataset[:6]]
    for part in parts:
        assert part.y.shape == (1, 3)
        assert part.edge_index.numel() == 0 or int(part.edge_index.max()) < part.num_nodes
    again = Batch.from_data_list(parts)
    assert torch.equal(again.edge_index, mixed.edge_index)


def test_originals_come_first_in_their_order(dataset: list[Data], matcher: GraphMatcher) -> None:
    batch = Batch.from_data_list(dataset[:8])
    mixed = SMixup(matcher, amount=0.5)(batch)
    assert mixed.num_graphs == 12
    torch.testing.assert_close(mixed.x[: batch.num_nodes], batch.x)
    assert mixed.y[:8].argmax(1).tolist() == batch.y.tolist()


@pytest.mark.parametrize("labels", ["soft", "column", "multi-label"])
def test_targets_of_every_kind(dataset: list[Data], matcher: GraphMatcher, labels: str) -> None:
    kinds = {
        "soft": torch.tensor([[0.2, 0.3, 0.5]]),
        "column": torch.tensor([[2]]),
        "multi-label": torch.tensor([[1.0, float("nan"), 0.0]]),
    }
    batch = Batch.from_data_list([graph(4, 0, y=kinds[labels]) for _ in range(4)])
    assert SMixup(matcher, amount=None)(batch).y.shape == (4, 3)


def test_one_graph_isolated_nodes_and_no_edges(matcher: GraphMatcher) -> None:
    for graphs in ([graph(5, 1)], [graph(1, 0), graph(2, 1), graph(6, 2)]):
        mixed = SMixup(matcher, alpha=1.0, amount=None)(Batch.from_data_list(graphs))
        assert mixed.num_nodes == sum(data.num_nodes for data in graphs)
        assert mixed.x.isfinite().all()


def test_graphs_without_features(dataset: list[Data]) -> None:
    bare = [graph(3 + i % 4, i % 2, x=None) for i in range(8)]
    matcher = GraphMatcher(hidden_channels=8, num_layers=2, max_steps=2, batch_size=4).fit(bare)
    mixed = SMixup(matcher)(Batch.from_data_list(bare))
    assert mixed.x is None
    assert mixed.edge_weight.isfinite().all()


def test_edge_attributes_are_mixed_by_their_share_of_the_weight(matcher: GraphMatcher) -> None:
    """One triangle of single bonds, one of double bonds: every edge of their mix is lambda single,
    the rest double.
    """
    bonds = []
    for kind in (0, 1):
        data = graph(3, kind, x=torch.ones(3, 3))
        data.edge_attr = F.one_hot(torch.full((6,), kind), 2)
        bonds.append(data)
    mix = SMixup(Identity(), alpha=1.0, amount=None, num_classes=2, threshold=0.0)
    mixed = mix(Batch.from_data_list([bonds[0], bonds[1]] * 4))
    torch.testing.assert_close(
        mixed.edge_weight, torch.ones(48), msg="triangles mixed in order stay triangles"
    )
    for part in mixed.to_data_list():
        torch.testing.assert_close(part.edge_attr, part.y.expand(6, 2))


def test_edge_attributes_of_originals_stay(
    dataset: list[Data], matcher: GraphMatcher, device: torch.device
) -> None:
    batch = Batch.from_data_list(dataset[:4]).to(device)
    batch.edge_attr = torch.rand(batch.edge_index.size(1), device=device)
    mixed = SMixup(matcher)(batch)
    assert torch.equal(mixed.edge_attr[: batch.num_edges], batch.edge_attr)
    assert mixed.edge_attr.isfinite().all()


def test_other_widths_are_refused(matcher: GraphMatcher) -> None:
    with pytest.raises(SmixupError, match="5 node features"):
        SMixup(matcher)(Batch.from_data_list([graph(4, 0, x=torch.rand(4, 5))]))


def test_training_graphs_are_found_again_and_aligned_once(dataset: list[Data]) -> None:
    """What `fit` aligned is drawn in a foreign loop, whatever the loader's order."""
    mix = SMixup(Identity(), partners=3, seed=0).fit(dataset)

    def refuse(*pair: object) -> None:
        raise AssertionError("aligned anew")

    mix.matcher = Identity()
    mix.matcher.__class__ = type("Refusing", (Identity,), {"__call__": refuse})
    for _ in range(2):
        for batch in DataLoader(dataset, 7, shuffle=True):
            assert mix(batch).num_graphs == 2 * batch.num_graphs
    stranger = Batch.from_data_list([graph(4, 0), graph(5, 1)])
    with pytest.raises(AssertionError, match="aligned anew"):
        mix(stranger)


def test_found_again_they_are_mixed_with_training_graphs(dataset: list[Data]) -> None:
    """A batch of one class gets targets of others: its partners come from the whole set."""
    own = [data for data in dataset if int(data.y) == 0][:4]
    mix = SMixup(Identity(), partners=8, seed=0).fit(dataset)
    batch = Batch.from_data_list(own)
    shares = torch.stack([mix(batch).y[4:] for _ in range(8)]).mean((0, 1))
    assert (shares > 0.02).all()
    in_batch = SMixup(Identity(), partners=None, seed=0).fit(dataset)
    assert in_batch(batch).y[4:, 1:].sum() == 0


def test_in_a_pipeline_they_are_found_again_unless_nodes_have_changed(dataset: list[Data]) -> None:
    batch = Batch.from_data_list(dataset[:6])
    for first, reused in ((DropEdge(p=0.3, seed=0), True), (DropNode(p=0.3, seed=0), False)):
        mix = SMixup(Identity(), seed=0)
        pipeline = Compose([first, mix]).fit(dataset)
        assert mix.alignments is not None
        changed = first.on_batch(pipeline._read(batch))
        assert mix.alignments.covers(changed) == reused
        assert pipeline(batch).num_graphs == 12


def test_attributes_that_partners_have_not_are_mixed_within_the_batch(dataset: list[Data]) -> None:
    mix = SMixup(Identity(), seed=0).fit(dataset)
    more = [graph(4, 0, **each.to_dict()) for each in dataset[:4]]
    for each in more:
        each.pos = torch.rand(each.num_nodes, 2)
    found = mix(Batch.from_data_list(more))
    assert found.pos.shape == (found.num_nodes, 2)


def test_a_self_loop_is_carried_with_its_node() -> None:
    loops = torch.tensor([[0, 1, 2, 0, 1], [0, 0, 1, 1, 2]])
    data = [graph(3, i, edge_index=loops, edge_attr=torch.eye(2)[[i] * 5]) for i in range(2)]
    mix = SMixup(Identity(), alpha=1.0, amount=None, num_classes=2, seed=0)
    for part in mix(Batch.from_data_list(data)).to_data_list():
        torch.testing.assert_close(part.edge_weight, torch.ones(5))
        torch.testing.assert_close(part.edge_attr, part.y.expand(5, 2))


def test_small_weights_are_not_taken_for_nothing(dataset: list[Data]) -> None:
    light = [each.clone() for each in dataset]
    for each in light:
        each.edge_weight = torch.full((each.num_edges,), 1e-4)
    mix = SMixup(Uniform(), amount=None, transport="paper", seed=0).fit(light)
    heavy = SMixup(Uniform(), amount=None, transport="paper", seed=0).fit(dataset)
    total = mix(Batch.from_data_list(light)).edge_weight.sum()
    expected = heavy(Batch.from_data_list(dataset)).edge_weight.sum()
    torch.testing.assert_close(total * 1e4, expected, rtol=1e-3, atol=0.0)
