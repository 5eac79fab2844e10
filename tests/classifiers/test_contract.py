"""What every backbone must do, whatever its layers are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from smixup.classifiers import GCN, GIN, GINE, Classifier, GCNEdge
from smixup.classifiers.base import NodeNorm
from smixup.classifiers.wide import Wide
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import from_pyg, to_pyg

close = torch.testing.assert_close
Make = Callable[..., Classifier]


class Featured:
    """Gives edges two features made of their weights, as an entry is weight times feature."""

    def nodes(self, batch: Graphs) -> Tensor:
        features = batch.adj.weight.unsqueeze(1) * torch.tensor([1.0, 2.0])
        return super().nodes(batch.replace(edge_attrs={"edge_attr": features}))  # type: ignore[misc]


class FeaturedGINE(Featured, GINE): ...


class FeaturedWide(Featured, Wide): ...


class FeaturedGCN(Featured, GCNEdge): ...


KINDS = {"gcn": (GCN, {}), "gin": (GIN, {})}
KINDS |= {"gine": (FeaturedGINE, {"num_edge_features": 2})}
KINDS |= {"wide": (Wide, {}), "wide, edges": (FeaturedWide, {"num_edge_features": 2})}
KINDS |= {"gcn-edge": (FeaturedGCN, {"num_edge_features": 2})}


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest) -> Make:
    """A small classifier of every kind, the same at every call."""
    kind, more = KINDS[request.param]

    def build(**settings: int | float | bool) -> Classifier:
        torch.manual_seed(0)
        return kind(3, 2, **({"hidden_channels": 8, "num_layers": 3} | more | settings))

    return build


def outcome(model: Classifier, batch: Graphs) -> tuple[Tensor, ...]:
    """Logits and the gradients of all parameters."""
    logits = model(batch)
    return (logits, *torch.autograd.grad(logits.pow(2).sum(), list(model.parameters())))


@pytest.mark.parametrize("batch_norm", [False, True])
def test_all_operators_agree_in_values_and_gradients(
    make: Make, graphs: Graphs, batch_norm: bool
) -> None:
    batch = graphs[[4, 0, 1, 2, 5]]
    expected = outcome(make(batch_norm=batch_norm), batch)
    half = torch.full((batch.num_nodes,), 0.5)
    mixed = batch.replace(adj=half * batch.adj + half * batch.adj)
    for same in (mixed, Graphs.cat([graphs[[4, 0]], graphs[[1, 2, 5]]])):
        close(outcome(make(batch_norm=batch_norm), same), expected, rtol=1e-4, atol=1e-5)
    norms = [m for m in make(batch_norm=batch_norm).modules() if isinstance(m, nn.BatchNorm1d)]
    assert bool(norms) == batch_norm


def test_graphs_do_not_see_each_other_nor_the_order_of_nodes(
    make: Make, graphs: Graphs, permuted: Callable[..., tuple[Graphs, Tensor]]
) -> None:
    model = make().eval()
    logits = model(graphs)
    assert logits.shape == (7, 2) and logits.isfinite().all()
    close(logits, torch.cat([model(graphs[[i]]) for i in range(7)]))
    close(model(permuted(graphs)[0]), logits, rtol=1e-4, atol=1e-5)


def test_weights_on_edges_matter_and_weight_zero_is_no_edge(make: Make, graphs: Graphs) -> None:
    model, batch = make().eval(), graphs[[4]]
    none = batch.replace(adj=torch.zeros(9) * batch.adj)
    edgeless = SparseOperator.from_edges(torch.zeros(2, 0).long(), torch.zeros(0), 9)
    close(model(none), model(batch.replace(adj=edgeless)))
    half = batch.replace(adj=torch.full((9,), 0.5) * batch.adj)
    for other in (none, half):
        assert not torch.allclose(model(other), model(batch))
    parts = to_pyg(graphs[[0, 4]]).to_data_list()
    plain = [Data(x=part.x, edge_index=part.edge_index, y=part.y) for part in parts]
    ones = [Data(**part.to_dict(), edge_weight=torch.ones(part.num_edges)) for part in plain]
    close(model(from_pyg(plain)), model(from_pyg(ones)))
    assert all(part.isfinite().all() for part in outcome(make(), graphs[[1, 2]]))


class Doubling(Classifier):
    """A backbone as short as can be: every layer doubles and sums over neighbours."""

    def make_layer(self, in_channels: int, out_channels: int, batch_norm: bool) -> nn.Module:
        class Layer(nn.Module):
            widths = in_channels, out_channels, batch_norm

            def forward(self, h: Tensor, operator: SparseOperator) -> Tensor:
                return operator @ (2 * h)

        return Layer()


def test_a_backbone_is_a_layer_and_nothing_more(
    graphs: Graphs, make_graphs: Callable[..., Graphs]
) -> None:
    batch = graphs[[0, 4]]
    A, sizes = batch.adj.to_dense(), batch.sizes.tolist()
    for depth, expected in ((2, 4 * A @ A @ batch.x), (0, batch.x)):
        model = Doubling(3, 2, hidden_channels=3, num_layers=depth)
        means = torch.stack([part.mean(0) for part in expected.split(sizes)])
        close(model.nodes(batch), expected)
        close(model.embed(batch), means)
        close(model(batch), model.head(means))
    model = Doubling(7, 5, hidden_channels=16, num_layers=3, batch_norm=True)
    assert [layer.widths for layer in model.layers] == [(7, 16, True), *[(16, 16, True)] * 2]
    linear = [layer for layer in model.head if isinstance(layer, nn.Linear)]
    assert [(m.in_features, m.out_features) for m in linear] == [(16, 16), (16, 5)]
    wide = make_graphs([9], num_features=64)
    model = Doubling(64, 2, hidden_channels=64, num_layers=1, dropout=0.5)
    assert not torch.equal(model(wide), model(wide)), "dropout acts in training"
    assert torch.equal(model.eval()(wide), model(wide)), "and nowhere else"
    with pytest.raises(TypeError, match=r"abstract method '?make_layer"):
        Classifier(3, 2)  # type: ignore[abstract]


@pytest.mark.parametrize(("kind", "plain"), [(GINE, "gin"), (GCNEdge, "gcn")])
def test_features_of_edges_are_asked_for(
    kind: type[GINE | GCNEdge], plain: str, graphs: Graphs
) -> None:
    def with_features(width: int) -> Graphs:
        features = torch.ones(len(graphs.adj.column), width)
        return graphs.replace(edge_attrs={"edge_attr": features})

    model = kind(3, 2, num_edge_features=2)
    assert model(with_features(2)).shape == (7, 2)
    assert GINE(3, 2, 2, num_layers=0)(with_features(2)).shape == (7, 2)
    for call, message in (
        (lambda: kind(3, 2), f"{kind.__name__} takes features of edges.* use .* {plain}"),
        (lambda: model(graphs), rf"have 0 features .*, and {kind.__name__} was made for 2"),
        (lambda: model(with_features(3)), "have 3 features"),
    ):
        with pytest.raises(SmixupError, match=message):
            call()


def test_one_node_is_normalised_as_at_test_and_several_as_ever(
    make_graphs: Callable[..., Graphs],
) -> None:
    ours, plain = NodeNorm(3), nn.BatchNorm1d(3)
    nn.init.constant_(ours.weight, 2.0)
    nn.init.constant_(ours.bias, 0.5)
    plain.load_state_dict(ours.state_dict())
    x = torch.randn(5, 3)
    assert torch.equal(ours(x), plain(x))
    close(list(ours.buffers()), list(plain.buffers()))
    assert torch.equal(ours.eval()(x[:1]), plain.eval()(x[:1]))
    alone, before = ours.train()(x[:1]), [buffer.clone() for buffer in plain.buffers()]
    close(alone, plain(x[:1]))
    assert ours(torch.zeros(0, 3)).shape == (0, 3)
    close(list(ours.buffers()), before)
    model = GIN(3, 2, hidden_channels=4, num_layers=2, batch_norm=True)
    model(make_graphs([1])).sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
