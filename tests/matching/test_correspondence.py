"""A copy is the same graph; its likelihood is what M says of the true node."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.graphs import Graphs
from smixup.matching import correspondence
from smixup.matching.correspondence import (
    CorrespondenceObjective,
    asked_nodes,
    shuffled_copy,
    true_node_likelihood,
)
from smixup.matching.encodings import StructuralEncoding
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.normalization import Columns
from smixup.matching.pairs import Pairs


def random_source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_a_copy_is_isomorphic_by_its_origin(graphs: Graphs) -> None:
    batch = graphs.replace(node_attrs={"motif": torch.arange(30) % 3 == 0})[range(7)]
    copy, origin = shuffled_copy(batch, random_source())
    assert torch.equal(copy.x, batch.x[origin])
    assert batch.motif is not None
    assert copy.motif is not None
    assert torch.equal(copy.motif, batch.motif[origin])
    assert torch.equal(copy.adj.to_dense(), batch.adj.to_dense()[origin][:, origin])
    assert torch.equal(batch.batch[origin], batch.batch), "nodes stay in their graph"
    assert sorted(origin.tolist()) == list(range(30))
    assert not torch.equal(origin, torch.arange(30))


def test_every_order_is_equally_likely(from_networkx: Callable[..., Graphs]) -> None:
    batch = from_networkx([nx.empty_graph(3)])[[0] * 6000]
    _, origin = shuffled_copy(batch, random_source())
    orders = (origin.view(-1, 3) % 3 * torch.tensor([9, 3, 1])).sum(1)
    assert (orders.unique(return_counts=True)[1].float() / 6000 - 1 / 6).abs().max() < 0.02


def test_the_likelihood_is_the_entry_of_m_at_the_true_node(
    graphs: Graphs, grouped: Callable[..., Pairs]
) -> None:
    torch.manual_seed(0)
    network = MatchingNetwork(3, 8, 2)
    left = graphs[[0, 1, 2, 3, 4, 5]]
    copy, origin = shuffled_copy(left, random_source())
    truth = origin - left.ptr[left.batch]
    pairs = grouped(left, copy, "many buckets")
    scores = zip(network.pair_scores(network(pairs), pairs), pairs.blocks(), strict=True)
    M = pairs.operator([Columns()(*each) for each in scores]).to_dense()
    expected = torch.stack([M[origin[j], j] for j in range(len(origin))])
    found = true_node_likelihood(network, pairs, truth)
    torch.testing.assert_close(found.exp(), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("max_drop", [0.0, 0.5])
def test_the_lesson_gives_a_loss_to_learn_from(graphs: Graphs, max_drop: float) -> None:
    torch.manual_seed(0)
    inputs = NodeInput(3, StructuralEncoding(2))
    inputs.fit(graphs[range(7)])
    network = MatchingNetwork(inputs.width, 8, 2)
    objective = CorrespondenceObjective(graphs, inputs, max_drop)
    outcome = objective(network, 6, random_source())
    assert 0 < float(outcome.score) < 1
    assert outcome.loss >= -torch.log(outcome.score) - 1e-5, "logarithms are concave"
    outcome.loss.backward()
    gradient = network.encoder.weight.grad
    assert gradient is not None
    assert gradient.isfinite().all()
    assert gradient.any()


def test_a_copy_knows_that_it_is_symmetric(graphs: Graphs) -> None:
    """Otherwise every backward pass would sort its edges anew."""
    copy, _ = shuffled_copy(graphs, random_source(), torch.full((len(graphs),), 0.5))
    adj = copy.adj.to_sparse()
    assert adj.symmetric
    assert torch.equal(adj.to_dense(), adj.to_dense().T)


def test_all_nodes_of_small_graphs_are_asked_without_chance() -> None:
    random = random_source()
    before = random.get_state()
    asked = asked_nodes(torch.tensor([0, 4, 4, 10, 266]), random)
    assert torch.equal(random.get_state(), before)
    assert torch.equal(asked.node, torch.arange(266))
    assert torch.equal(asked.weight, torch.ones(266))


def test_some_nodes_of_large_graphs_stand_for_all() -> None:
    ptr = torch.tensor([0, 3, 13, 13, 15, 40])
    asked = asked_nodes(ptr, random_source(), most=5)
    batch = torch.repeat_interleave(torch.arange(5), ptr.diff())
    of_graphs = torch.bincount(batch[asked.node], minlength=5)
    assert of_graphs.tolist() == [3, 5, 0, 2, 5]
    assert (asked.node.diff() > 0).all(), "in order, and none twice"
    sums = torch.zeros(5).index_add_(0, batch[asked.node], asked.weight)
    torch.testing.assert_close(sums, ptr.diff().float())


def test_every_node_is_asked_equally_often() -> None:
    ptr, random = torch.tensor([0, 12, 15]), random_source()
    asked = torch.zeros(15)
    for _ in range(3000):
        drawn = asked_nodes(ptr, random, most=4)
        asked[drawn.node] += drawn.weight / 3000
    assert (asked[:12] - 1).abs().max() < 0.15
    torch.testing.assert_close(asked[12:], torch.ones(3), atol=1e-3, rtol=0)


def test_the_likelihood_of_some_nodes_is_theirs_among_all(
    graphs: Graphs, grouped: Callable[..., Pairs]
) -> None:
    torch.manual_seed(0)
    network = MatchingNetwork(3, 8, 2)
    left = graphs[[0, 1, 2, 3, 4, 5]]
    copy, origin = shuffled_copy(left, random_source())
    truth = origin - left.ptr[left.batch]
    pairs = grouped(left, copy, "many buckets")
    every = true_node_likelihood(network, pairs, truth)
    asked = torch.tensor([0, 3, 5, 6, 15, 16, 22, 27])  # none of the second and the fourth graph
    found = true_node_likelihood(network, pairs, truth, asked)
    torch.testing.assert_close(found, every[asked])


def test_the_loss_of_some_nodes_is_that_of_all_on_average(
    make_graphs: Callable[..., Graphs],
) -> None:
    """Graphs of 30 and 20 nodes of which eight are asked, and one of five, always of all."""
    graphs = make_graphs([30, 5, 20], num_features=3)
    torch.manual_seed(0)
    network = MatchingNetwork(3, 8, 1).double()
    exact = graphs.replace(x=graphs.x.double())
    copy, origin = shuffled_copy(exact, random_source())
    pairs, truth = Pairs.of(exact, copy), origin - exact.ptr[exact.batch]
    every = true_node_likelihood(network, pairs, truth).detach()
    random, losses = random_source(1), []
    for _ in range(4000):
        asked = asked_nodes(exact.ptr, random, most=8)
        losses.append(asked.mean(every[asked.node]))
    means = torch.stack(losses)
    error = float(means.std()) / 4000**0.5
    assert error > 1e-4, "or nothing was drawn"
    assert abs(float(means.mean() - every.mean())) < 4 * error


def test_the_lesson_asks_of_no_more_nodes_than_said(
    make_graphs: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs, seen = make_graphs([300, 20]), []
    inputs = NodeInput(3, StructuralEncoding(2))
    network = MatchingNetwork(inputs.width, 4, 1)

    def watched(network: MatchingNetwork, pairs: Pairs, *rest: torch.Tensor) -> torch.Tensor:
        seen.append((pairs.right.sizes, torch.bincount(pairs.right.batch[rest[1]])))
        return true_node_likelihood(network, pairs, *rest)

    monkeypatch.setattr(correspondence, "true_node_likelihood", watched)
    outcome = CorrespondenceObjective(graphs, inputs, 0.1)(network, 6, random_source())
    ((sizes, asked),) = seen
    assert set(sizes.tolist()) == {300, 20}
    assert torch.equal(asked, sizes.clamp(max=256))
    assert outcome.loss.isfinite()
    assert 0 < float(outcome.score) < 1
