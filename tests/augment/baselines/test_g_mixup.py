"""G-Mixup adds graphs between classes, by graphons near the models that graphs were drawn from."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.augment.baselines import g_mixup
from smixup.augment.baselines.g_mixup import GMixup
from smixup.datasets.features import encode_features
from smixup.graphs import Graphs, SparseOperator


@pytest.fixture
def two_classes(from_networkx: Callable[..., Graphs]) -> Graphs:
    return from_networkx([nx.complete_graph(8), nx.path_graph(8)] * 10, labels=[0, 1] * 10, width=0)


def test_the_originals_come_first_and_the_new_ones_have_soft_targets(graphs: Graphs) -> None:
    found = GMixup(amount=1.0, low=0.25, high=0.25, seed=0).fit_extend(graphs)
    assert len(found) == 14
    old = found[range(7)]
    assert torch.equal(old.x, graphs.x)
    assert torch.equal(old.adj.to_dense(), graphs.adj.to_dense())
    assert torch.equal(old.y, graphs.y)
    assert {tuple(row) for row in found.y[7:].tolist()} == {(0.25, 0.75), (0.75, 0.25)}


def test_densities_lie_between_those_of_the_classes(
    two_classes: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(g_mixup, "THRESHOLD", 0.0)
    found = GMixup(amount=5.0, low=0.3, high=0.3, seed=0).fit_extend(two_classes)
    for label, share in ((0, 0.7), (1, 0.3)):
        index = 20 + (found.labels[20:] == label).nonzero().squeeze(1)
        edges = float(found[index].adj.row_sums().sum()) / 2 / len(index)
        assert edges == pytest.approx(share * 28 + (1 - share) * 7, rel=0.06)


def test_features_made_from_degrees_are_those_of_the_new_graphs(two_classes: Graphs) -> None:
    train = encode_features(two_classes, torch.arange(20))
    found = GMixup(amount=1.0, seed=0).fit_extend(train)
    assert found.x.dtype == train.x.dtype
    assert torch.equal(found.x.argmax(1), found.adj.row_sums().long())


def two_blocks(inside: float, between: float, other: float) -> Tensor:
    first = torch.arange(40) < 20
    probability = torch.full((40, 40), between)
    probability[first.unsqueeze(1) & first] = inside
    probability[~first.unsqueeze(1) & ~first] = other
    return probability.fill_diagonal_(0)


def drawn_from(probability: Tensor, number: int, seed: int = 0) -> Graphs:
    """Graphs of the model with their nodes in random order."""
    random, n, parts = torch.Generator().manual_seed(seed), probability.size(0), []
    for _ in range(number):
        upper = (torch.rand(n, n, generator=random) < probability).triu(1)
        order = torch.randperm(n, generator=random)
        edges = order[(upper | upper.T).nonzero().T]
        parts.append(SparseOperator.from_edges(edges, torch.ones(edges.size(1)), n))
    ptr, adj = n * torch.arange(number + 1), SparseOperator.stack(parts)
    return Graphs(torch.ones(number * n, 1), adj, torch.ones(number, 1), ptr)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("model", [(0.8, 0.1, 0.3), (0.9, 0.3, 0.2), (0.3, 0.3, 0.3)])
def test_the_default_estimate_is_near_a_two_block_model(
    model: tuple[float, float, float], seed: int
) -> None:
    truth = two_blocks(*model)
    (found,) = GMixup(positions=40).fit(drawn_from(truth, 200, seed)).graphons
    assert float((found.probability - truth).abs().mean()) < 0.05


def test_features_and_edges_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A star and an edge: sorted by degree, the star's centre meets the edge's first node."""
    edges = torch.tensor([[2, 2, 3, 4], [0, 1, 4, 3]])
    both = torch.cat([edges, edges[:, :2].flip(0)], 1)
    adj = SparseOperator.from_edges(both, torch.full((6,), 0.5), 5)
    x = torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0]])
    graphs = Graphs(x, adj, torch.tensor([[1.0, 0.0]] * 2), torch.tensor([0, 3, 5]))
    monkeypatch.setattr(g_mixup, "THRESHOLD", 0.0)
    monkeypatch.setattr(g_mixup, "CORRECTIONS", 0)
    method = GMixup()
    found = method.estimate(graphs, 3)
    torch.testing.assert_close(
        found.probability, torch.tensor([[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]])
    )
    assert found.x.squeeze(1).tolist() == [3.5, 3.0, 2.0]
    assert found.weight == 0.5
    cut = method.estimate(graphs, 2)
    torch.testing.assert_close(cut.probability, torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
