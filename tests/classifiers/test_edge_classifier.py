"""What the backbones with features of edges share: they ask for them, and for as many as before."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from smixup.classifiers import GINE, GCNEdge
from smixup.classifiers.edge_classifier import EdgeClassifier
from smixup.errors import SmixupError
from smixup.graphs import Graphs

BOTH = pytest.mark.parametrize("kind", [GINE, GCNEdge])


def with_edge_features(graphs: Graphs, width: int) -> Graphs:
    adj = graphs.adj.to_sparse()
    features = replace(adj, weight=torch.ones(adj.weight.numel(), width))
    return graphs.replace(adj=adj, edge_attrs={"edge_attr": (features,)})


@BOTH
def test_none_are_refused_before_the_network_is_made(kind: type[EdgeClassifier]) -> None:
    with pytest.raises(
        SmixupError, match=f"{kind.__name__} takes .* use the backbone {kind.plain}"
    ):
        kind(3, 2, num_edge_features=0)


@BOTH
def test_a_batch_must_have_as_many_as_the_network_was_made_for(
    kind: type[EdgeClassifier], graphs: Graphs
) -> None:
    network = kind(graphs.num_features, graphs.num_classes, num_edge_features=2)
    assert network(with_edge_features(graphs, 2)).shape == graphs.y.shape
    with pytest.raises(SmixupError, match=r"have 3 features, and \w+ was made for 2"):
        network(with_edge_features(graphs, 3))
    with pytest.raises(SmixupError, match="these graphs have none"):
        network(graphs)
