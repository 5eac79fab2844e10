"""G-Mixup adds graphs between classes, with soft targets and features of their own."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.augment.baselines.g_mixup import GMixup, sample_edges
from smixup.datasets.features import encode_features
from smixup.errors import UsageError
from smixup.graphs import Graphs


@pytest.fixture
def two_classes(from_networkx: Callable[..., Graphs]) -> Graphs:
    return from_networkx([nx.complete_graph(8), nx.path_graph(8)] * 10, labels=[0, 1] * 10, width=0)


def test_the_originals_come_first_and_the_new_ones_have_soft_targets(graphs: Graphs) -> None:
    found = GMixup(amount=1.0, low=0.25, high=0.25).fit_extend(graphs)
    assert len(found) == 14
    old = found[range(7)]
    assert torch.equal(old.x, graphs.x)
    assert torch.equal(old.adj.to_dense(), graphs.adj.to_dense())
    assert torch.equal(old.y, graphs.y)
    assert {tuple(row) for row in found.y[7:].tolist()} == {(0.25, 0.75), (0.75, 0.25)}


def test_densities_lie_between_those_of_the_classes(two_classes: Graphs) -> None:
    found = GMixup(amount=5.0, low=0.3, high=0.3, threshold=0.0).fit_extend(two_classes)
    for label, share in ((0, 0.7), (1, 0.3)):
        index = 20 + (found.labels[20:] == label).nonzero().squeeze(1)
        edges = float(found[index].adj.row_sums().sum()) / 2 / len(index)
        assert edges == pytest.approx(share * 28 + (1 - share) * 7, rel=0.06)


def test_features_made_from_degrees_are_those_of_the_new_graphs(two_classes: Graphs) -> None:
    train = encode_features(two_classes, torch.arange(20))
    found = GMixup(amount=1.0).fit_extend(train)
    assert found.x.dtype == train.x.dtype
    assert torch.equal(found.x.argmax(1), found.adj.row_sums().long())


def test_given_features_are_means_by_position(two_classes: Graphs) -> None:
    labels = two_classes.labels.repeat_interleave(8)
    train = two_classes.replace(x=torch.nn.functional.one_hot(labels, 2).float())
    found = GMixup(amount=1.0, low=0.2, high=0.2).fit_extend(train)
    nodes = torch.arange(len(found)).repeat_interleave(found.sizes)
    new = nodes >= 20
    torch.testing.assert_close(found.x[new], found.y[nodes[new]])


def test_a_weighted_class_gives_weighted_graphs(two_classes: Graphs) -> None:
    heavy = two_classes.replace(adj=(torch.full((160,), 2.5) * two_classes.adj))
    found = GMixup(amount=1.0).fit_extend(heavy)
    torch.testing.assert_close(found.adj.weight, torch.full_like(found.adj.weight, 2.5))


def test_one_class_alone(two_classes: Graphs) -> None:
    found = GMixup(amount=0.5).fit_extend(two_classes[range(0, 20, 2)])
    assert found.y[10:].tolist() == [[1.0, 0.0]] * 5


def test_isolated_nodes_go_and_a_graph_without_edges_keeps_a_node() -> None:
    random = torch.Generator().manual_seed(0)
    probability = torch.zeros(4, 4)
    assert sample_edges(probability, random)[1].tolist() == [0]
    probability[1, 3] = probability[3, 1] = 1.0
    adj, nodes = sample_edges(probability, random)
    assert nodes.tolist() == [1, 3]
    assert adj.to_dense().tolist() == [[0, 1], [1, 0]]


def test_ratios_must_be_in_order() -> None:
    with pytest.raises(UsageError, match="low must be between 0 and high"):
        GMixup(low=0.5, high=0.2)
