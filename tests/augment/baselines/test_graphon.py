"""The estimate is near the model that the graphs were drawn from."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from smixup.augment.baselines.graphon import block_average, estimate_graphon, singular_value_threshold
from smixup.graphs import GraphSet, SparseOperator
from smixup.graphs.ragged import offsets


def two_blocks(inside: float, between: float, other: float) -> Tensor:
    first = torch.arange(40) < 20
    probability = torch.full((40, 40), between)
    probability[first.unsqueeze(1) & first] = inside
    probability[~first.unsqueeze(1) & ~first] = other
    return probability.fill_diagonal_(0)


def drawn_from(probability: Tensor, number: int) -> GraphSet:
    """Graphs of the model with their nodes in random order."""
    random, n, parts = torch.Generator().manual_seed(0), probability.size(0), []
    for _ in range(number):
        upper = (torch.rand(n, n, generator=random) < probability).triu(1)
        order = torch.randperm(n, generator=random)
        source, target = order[(upper | upper.T).nonzero().T]
        parts.append(SparseOperator.from_edges(torch.stack([source, target]), torch.ones(len(source)), n))
    sizes = torch.full((number,), n)
    return GraphSet(torch.ones(number * n, 1), SparseOperator.stack(parts), torch.ones(number, 1), offsets(sizes))


@pytest.mark.parametrize("model", [(0.8, 0.1, 0.3), (0.9, 0.3, 0.2), (0.6, 0.05, 0.2)])
def test_the_estimate_is_near_a_two_block_model(model: tuple[float, float, float]) -> None:
    truth = two_blocks(*model)
    graphs = drawn_from(truth, 200)
    averaged = estimate_graphon(graphs, 40, block=20, threshold=0.2)
    assert (averaged.probability - truth).abs().mean() < 0.05
    # sorting by degree puts nodes of many edges by chance first; without averaging that stays in the estimate
    assert (estimate_graphon(graphs, 40, block=1, threshold=0.2).probability - truth).abs().mean() < 0.08
    assert averaged.x.tolist() == [[1.0]] * 40
    assert averaged.weight == 1


def test_features_and_edges_by_hand() -> None:
    """A star and an edge: sorted by degree, the star's centre meets the edge's first node."""
    edges = torch.tensor([[2, 2, 3, 4], [0, 1, 4, 3]])
    both = torch.cat([edges, edges[:, :2].flip(0)], 1)
    adj = SparseOperator.from_edges(both, torch.full((6,), 0.5), 5)
    x = torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0]])
    graphs = GraphSet(x, adj, torch.tensor([[1.0, 0.0]] * 2), torch.tensor([0, 3, 5]))
    found = estimate_graphon(graphs, 3, block=1, threshold=0.0)
    torch.testing.assert_close(found.probability, torch.tensor([[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]]))
    assert found.x.squeeze(1).tolist() == [3.5, 3.0, 2.0]
    assert found.weight == 0.5
    cut = estimate_graphon(graphs, 2, block=1, threshold=0.0)
    torch.testing.assert_close(cut.probability, torch.tensor([[0.0, 1.0], [1.0, 0.0]]))


def test_a_block_takes_its_mean_without_the_diagonal() -> None:
    matrix = torch.tensor([[9.0, 1, 2], [1, 9, 4], [2, 4, 9]])
    assert block_average(matrix, 2).tolist() == [[1, 1, 3], [1, 1, 3], [3, 3, 0]]


def test_small_singular_values_go() -> None:
    noise = 0.01 * torch.randn(9, 9, generator=torch.Generator().manual_seed(0))
    found = singular_value_threshold(torch.full((9, 9), 0.5) + noise, 0.2)
    off = ~torch.eye(9, dtype=torch.bool)
    assert (found[off] - 0.5).abs().max() < 0.02
    assert torch.linalg.matrix_rank(found + torch.diag(found.new_full((9,), 0.5)), rtol=0.03) == 1


def test_a_mixture_lies_between() -> None:
    graphs = drawn_from(two_blocks(0.8, 0.1, 0.3), 10)
    first, second = estimate_graphon(graphs, 5, 1, 0.0), estimate_graphon(graphs, 5, 5, 0.0)
    mixed = first.mixed(second, torch.tensor(0.75))
    torch.testing.assert_close(mixed.probability, 0.75 * first.probability + 0.25 * second.probability)
    assert not torch.equal(mixed.probability, first.probability)
