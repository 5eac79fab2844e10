"""The reference does the same mathematics: equal weights, equal logits and equal gradients."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch_geometric.data import Batch

from smixup.app.bench.molecules import random_molecules
from smixup.app.bench.pyg_way import (
    PlainClassifier,
    PlainGCN,
    PlainGIN,
    PlainGINE,
    data_list,
)
from smixup.classifiers import GCN, GIN, GINE, Classifier
from smixup.graphs import Graphs, SparseOperator


@pytest.fixture
def unweighted(graphs: Graphs) -> Graphs:
    edge_index, weight = graphs.adj.edges()
    return graphs.replace(
        adj=SparseOperator.from_edges(edge_index, torch.ones_like(weight), graphs.x.size(0))
    )


def copy_gcn(ours: GCN, plain: PlainGCN) -> None:
    for mine, theirs in zip(ours.layers, plain.convs, strict=True):
        theirs.load_state_dict({"lin.weight": mine.linear.weight, "bias": mine.bias})


def copy_gin(ours: GIN, plain: PlainGIN) -> None:
    for mine, theirs in zip(ours.layers, plain.convs, strict=True):
        first, inner, _, second, outer, _ = theirs.nn
        first.load_state_dict(mine.first.state_dict())
        second.load_state_dict(mine.second.state_dict())
        inner.load_state_dict(mine.inner_norm.state_dict())
        outer.load_state_dict(mine.outer_norm.state_dict())
        theirs.eps.data.fill_(mine.eps.item())


def copy_head(ours: Classifier, plain: PlainClassifier) -> None:
    pairs = zip(
        *(
            [part for part in head if isinstance(part, nn.Linear)]
            for head in (ours.head, plain.head)
        ),
        strict=True,
    )
    for mine, theirs in pairs:
        theirs.load_state_dict(mine.state_dict())


@pytest.mark.parametrize(
    ("ours", "plain", "copy"), [(GCN, PlainGCN, copy_gcn), (GIN, PlainGIN, copy_gin)]
)
def test_equal_weights_give_equal_logits_and_gradients(
    ours, plain, copy, unweighted: Graphs
) -> None:  # type: ignore[no-untyped-def]
    torch.manual_seed(0)
    model, reference = ours(3, 2, hidden_channels=8), plain(3, 2, hidden_channels=8)
    for parameter in model.parameters():
        nn.init.uniform_(parameter, -0.5, 0.5)
    copy(model, reference)
    copy_head(model, reference)
    batch = unweighted[[4, 0, 1, 5]]
    data = data_list(unweighted)
    logits, expected = (
        model(batch),
        reference(Batch.from_data_list([data[i] for i in (4, 0, 1, 5)])),
    )
    torch.testing.assert_close(logits, expected)
    assert sum(p.numel() for p in model.parameters()) == sum(
        p.numel() for p in reference.parameters()
    )
    norms = [
        sum(
            float(p.norm() ** 2)
            for p in torch.autograd.grad(result.pow(2).sum(), list(network.parameters()))
        )
        for network, result in ((model, logits), (reference, expected))
    ]
    assert norms[0] == pytest.approx(norms[1], rel=1e-4)


def test_data_is_what_a_pyg_dataset_gives(unweighted: Graphs) -> None:
    data = data_list(unweighted)
    assert [each.num_nodes for each in data] == unweighted.sizes.tolist()
    assert [each.y.tolist() for each in data] == [[label] for label in unweighted.labels.tolist()]
    for i, each in enumerate(data):
        assert sorted(each.to_dict()) == ["edge_index", "x", "y"]
        torch.testing.assert_close(each.x, unweighted[[i]].x)
        dense = torch.zeros(each.num_nodes, each.num_nodes).index_put(
            (each.edge_index[1], each.edge_index[0]), torch.ones(())
        )
        torch.testing.assert_close(dense, unweighted[[i]].adj.to_dense())


def test_molecules_with_bonds_get_equal_logits() -> None:
    torch.manual_seed(0)
    graphs = random_molecules(6, torch.Generator().manual_seed(0))
    sizes = graphs.num_features, graphs.num_classes, graphs.num_edge_features, 8
    ours, plain = GINE(*sizes), PlainGINE(*sizes)
    copy_gin(ours, plain)  # type: ignore[arg-type]
    copy_head(ours, plain)
    plain.encoder.load_state_dict(ours.encoder.state_dict())
    for mine, theirs in zip(ours.layers, plain.convs, strict=True):
        bias = torch.zeros(8)  # which ours has not
        theirs.lin.load_state_dict({"weight": mine.edge_encoder.weight, "bias": bias})
    data = data_list(graphs)
    assert sorted(data[0].to_dict()) == ["edge_attr", "edge_index", "x", "y"]
    expected = plain(Batch.from_data_list([data[i] for i in (4, 0, 1)]))
    torch.testing.assert_close(ours(graphs[[4, 0, 1]].floating()), expected, rtol=1e-5, atol=1e-5)
