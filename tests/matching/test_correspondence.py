"""A copy is the same graph; its likelihood is what M says of the true node."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.graphs import Graphs
from smixup.matching.correspondence import (
    CorrespondenceObjective,
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
