"""The estimate is near the model that the graphs were drawn from."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.augment.baselines.g_mixup import GMixup
from smixup.augment.baselines.graphon import (
    aligned_mean,
    block_average,
    block_width,
    estimate_graphon,
    singular_value_threshold,
    sorted_mean,
)
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets, ranks


def two_blocks(inside: float, between: float, other: float) -> Tensor:
    first = torch.arange(40) < 20
    probability = torch.full((40, 40), between)
    probability[first.unsqueeze(1) & first] = inside
    probability[~first.unsqueeze(1) & ~first] = other
    return probability.fill_diagonal_(0)


def product(u: Tensor, v: Tensor) -> Tensor:
    return (1 - u) * (1 - v)


def exponential(u: Tensor, v: Tensor) -> Tensor:
    return torch.exp(-(u + v))


def on_a_grid(graphon: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    u = (torch.arange(40) + 0.5) / 40
    return graphon(u.unsqueeze(1), u.unsqueeze(0)).fill_diagonal_(0)


def drawn_from(probability: Tensor, number: int, seed: int = 0) -> Graphs:
    """Graphs of the model with their nodes in random order."""
    random, n, parts = torch.Generator().manual_seed(seed), probability.size(0), []
    for _ in range(number):
        upper = (torch.rand(n, n, generator=random) < probability).triu(1)
        order = torch.randperm(n, generator=random)
        source, target = order[(upper | upper.T).nonzero().T]
        parts.append(
            SparseOperator.from_edges(torch.stack([source, target]), torch.ones(len(source)), n)
        )
    sizes = torch.full((number,), n)
    return Graphs(
        torch.ones(number * n, 1),
        SparseOperator.stack(parts),
        torch.ones(number, 1),
        offsets(sizes),
    )


def error(truth: Tensor, seed: int, **settings: int) -> float:
    """Mean absolute error of the graphon that G-Mixup estimates."""
    (found,) = GMixup(positions=40, **settings).fit(drawn_from(truth, 200, seed)).graphons
    return float((found.probability - truth).abs().mean())


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    "model", [(0.8, 0.1, 0.3), (0.9, 0.3, 0.2), (0.6, 0.05, 0.2), (0.3, 0.3, 0.3)]
)
def test_the_default_estimate_is_near_a_two_block_model(
    model: tuple[float, float, float], seed: int
) -> None:
    truth = two_blocks(*model)
    assert error(truth, seed) < 0.05
    assert error(truth, seed, block=20) < 0.03, "blocks of the model's own size"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("graphon", [product, exponential])
def test_the_default_estimate_is_near_a_smooth_graphon(
    graphon: Callable[[Tensor, Tensor], Tensor], seed: int
) -> None:
    assert error(on_a_grid(graphon), seed) < 0.025


@pytest.mark.slow
def test_sorting_is_biased_and_the_corrections_are_what_helps() -> None:
    truth = two_blocks(0.8, 0.1, 0.3)
    assert error(truth, 0, corrections=0, block=1) > 0.05
    assert error(truth, 0, corrections=0) > 0.05
    assert error(truth, 0) < 0.045


@pytest.mark.parametrize(
    "kind", [nx.path_graph(30), nx.random_regular_graph(3, 30, seed=0), nx.star_graph(29)]
)
def test_no_correction_leads_away_from_graphs_that_no_graphon_draws(
    kind: nx.Graph, from_networkx: Callable[..., Graphs]
) -> None:
    graphs = from_networkx([kind] * 20, labels=[0] * 20)
    mean = aligned_mean(graphs, ranks(graphs.ptr, -graphs.adj.row_sums()), 30)
    biased, corrected = (
        estimate_graphon(graphs, 30, None, 0.0, number).probability for number in (0, 8)
    )
    random = torch.Generator().manual_seed(0)
    off = [float((sorted_mean(each, random) - mean).abs().sum()) for each in (biased, corrected)]
    assert off[1] < 1.02 * off[0]
    assert float(corrected.sum()) == pytest.approx(float(mean.sum()), rel=0.05), (
        "as many edges as the data"
    )


def test_a_class_without_edges_has_an_empty_graphon(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.empty_graph(4)] * 3, labels=[0] * 3)
    assert estimate_graphon(graphs, 4, None, 0.2, 4).probability.tolist() == [[0.0] * 4] * 4


def test_the_mean_of_sorted_draws_by_hand() -> None:
    """A star drawn with certainty: its centre comes first, wherever it stood."""
    probability = torch.zeros(3, 3)
    probability[2, :2] = probability[:2, 2] = 1.0
    assert sorted_mean(probability, torch.Generator()).tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]


def test_blocks_are_as_wide_as_the_logarithm() -> None:
    assert [block_width(n) for n in (1, 2, 17, 40, 1000)] == [1, 1, 3, 4, 7]


def test_graphs_of_one_model_keep_their_features_and_weights() -> None:
    found = estimate_graphon(drawn_from(two_blocks(0.8, 0.1, 0.3), 10), 40, block=20, threshold=0.2)
    assert found.x.tolist() == [[1.0]] * 40
    assert found.weight == 1


def test_features_and_edges_by_hand() -> None:
    """A star and an edge: sorted by degree, the star's centre meets the edge's first node."""
    edges = torch.tensor([[2, 2, 3, 4], [0, 1, 4, 3]])
    both = torch.cat([edges, edges[:, :2].flip(0)], 1)
    adj = SparseOperator.from_edges(both, torch.full((6,), 0.5), 5)
    x = torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0]])
    graphs = Graphs(x, adj, torch.tensor([[1.0, 0.0]] * 2), torch.tensor([0, 3, 5]))
    found = estimate_graphon(graphs, 3, block=1, threshold=0.0)
    torch.testing.assert_close(
        found.probability, torch.tensor([[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]])
    )
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
    torch.testing.assert_close(
        mixed.probability, 0.75 * first.probability + 0.25 * second.probability
    )
    assert not torch.equal(mixed.probability, first.probability)
