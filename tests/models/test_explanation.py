"""Leaving out says what a model rests on: by hand, and on MOTIF, where it is known."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
from conftest import set_of
from sklearn.metrics import roc_auc_score
from torch import Tensor

from smixup.augment import Augmentation
from smixup.classifiers import GIN
from smixup.datasets import load_dataset
from smixup.datasets.features import encode_features
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.models.explanation import MOST_NODES, explain
from smixup.training import Splits, TrainSettings, fit


def triangles(graphs: Graphs) -> Tensor:
    """A model that counts triangles, and in its second output nodes."""
    counts = []
    for place in range(len(graphs)):
        dense = graphs[[place]].adj.to_dense()
        counts.append([float(torch.trace(dense @ dense @ dense)) / 6, float(len(dense))])
    return torch.tensor(counts)


def test_nodes_and_edges_by_hand() -> None:
    """A triangle 0-1-2 with a tail 2-3-4."""
    graph = set_of([nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])])
    found = explain(triangles, graph, column=0)
    assert found.output == 1
    assert found.nodes.tolist() == [1, 1, 1, 0, 0]
    edges = map(tuple, found.edges.T.tolist())
    scores = dict(zip(edges, found.edge_scores.tolist(), strict=True))
    assert scores == {(0, 1): 1, (0, 2): 1, (1, 2): 1, (2, 3): 0, (3, 4): 0}
    largest = explain(triangles, graph)
    assert (largest.column, largest.output) == (1, 5)
    assert largest.nodes.tolist() == [1] * 5


def test_batches_of_changes_equal_one_at_a_time(
    make_graphs: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = make_graphs([9])
    model = GIN(3, 2, hidden_channels=8, num_layers=2).eval()
    expected = explain(model, graph)
    monkeypatch.setattr("smixup.models.explanation.NODES_PER_BATCH", 1)
    found = explain(model, graph)
    torch.testing.assert_close(found.nodes, expected.nodes)
    torch.testing.assert_close(found.edge_scores, expected.edge_scores)
    alone = explain(model, make_graphs([2, 2, 4])[[2]])  # every third has no edges
    assert alone.edges.shape == (2, 0) and alone.edge_scores.numel() == 0


def test_the_motif_is_found_where_a_model_has_learned_it() -> None:
    dataset = load_dataset("MOTIF", num_graphs=300, features="degree").graphs
    graphs = encode_features(dataset, torch.arange(240))
    torch.manual_seed(0)
    model = GIN(graphs.num_features, graphs.num_classes, hidden_channels=32, num_layers=3)
    data = Splits(graphs[:200], graphs[200:240], graphs[240:])
    result = fit(model, data, Augmentation(), TrainSettings(30, 0.01, 32))
    assert result.history.test > 0.8
    model.eval()
    areas = []
    for place in range(240, 270):
        graph = graphs[[place]]
        assert graph.motif is not None
        if 0 < int(graph.motif.sum()) < graph.num_nodes:
            nodes = explain(model, graph, int(graph.labels)).nodes
            areas.append(roc_auc_score(graph.motif.numpy(), nodes.numpy()))
    assert sum(areas) / len(areas) > 0.65, "chance is 0.5"


def test_what_cannot_be_explained(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([3, 4])
    with pytest.raises(SmixupError, match="one graph is explained at a time, but 2"):
        explain(triangles, graphs)
    with pytest.raises(SmixupError, match="explain graphs of 2 to"):
        explain(triangles, make_graphs([1]))
    with pytest.raises(SmixupError, match=f"of 2 to {MOST_NODES} nodes"):
        explain(triangles, set_of([nx.path_graph(MOST_NODES + 1)]))
