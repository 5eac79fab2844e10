"""Twins by an independent colour refinement, and the network on them as on all nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets
from smixup.matching import attention, twins
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import Pairs, merged_pairs
from smixup.matching.quality import stable_colours
from smixup.matching.twins import COUNT, merge_twins

MANY_ROUNDS = 60


def of_matrix(A: Tensor, x: Tensor) -> Graphs:
    target, source = A.nonzero(as_tuple=True)
    adj = SparseOperator.from_edges(torch.stack([source, target]), A[target, source], len(A))
    return Graphs(x, adj, torch.ones(1, 1), torch.tensor([0, len(A)]))


def joined(parts: list[Graphs]) -> Graphs:
    return Graphs.cat(parts)


def of_networkx(graph: nx.Graph, seed: int = 0, kinds: int = 2) -> Graphs:
    """A graph whose nodes have one of a few features, and edges one of two weights."""
    random = torch.Generator().manual_seed(seed)
    A = torch.from_numpy(nx.to_numpy_array(graph, weight=None)).float()
    heavy = (torch.rand(A.shape, generator=random) < 0.2).triu()
    A = A * torch.where(heavy | heavy.T, 2.5, 1.0)
    feature = torch.randint(kinds, (len(A),), generator=random)
    return of_matrix(A, torch.nn.functional.one_hot(feature, 3).float())


def directed(seed: int) -> Graphs:
    random = torch.Generator().manual_seed(seed)
    A = (torch.rand(40, 40, generator=random) < 0.04).float()
    return of_matrix(A, torch.zeros(40, 3))


def star(leaves: int) -> Graphs:
    A = torch.zeros(leaves + 1, leaves + 1)
    A[0, 1:] = A[1:, 0] = 1
    return of_matrix(A, torch.ones(leaves + 1, 3))


KINDS = {
    "star": lambda: star(30),
    "tree": lambda: of_networkx(nx.random_labeled_tree(50, seed=1), kinds=1),
    "binary tree": lambda: of_matrix(
        torch.from_numpy(nx.to_numpy_array(nx.balanced_tree(2, 4))).float(), torch.ones(31, 3)
    ),
    "random": lambda: of_networkx(nx.gnp_random_graph(40, 0.06, seed=2), kinds=2),
    "hubs": lambda: of_networkx(nx.barabasi_albert_graph(60, 1, seed=3), kinds=1),
    "directed": lambda: directed(0),
    "no edges": lambda: of_networkx(nx.empty_graph(12)),
    "without features": lambda: star(9).replace(x=torch.zeros(10, 0)),
}


def partition(colour: Tensor) -> set[frozenset[int]]:
    return {frozenset((colour == each).nonzero().squeeze(1).tolist()) for each in colour.unique()}


@pytest.fixture
def all_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twins, "LARGE", 0)


@pytest.mark.usefixtures("all_large")
@pytest.mark.parametrize("kind", KINDS)
def test_twins_are_those_that_colour_refinement_finds(kind: str) -> None:
    graph = KINDS[kind]()
    merged = merge_twins(graph, MANY_ROUNDS)
    assert merged is not None
    expected = partition(stable_colours(graph))
    assert partition(merged.of_node) == expected
    assert merged.graphs.num_nodes == len(expected)
    assert kind == "random" or len(expected) < graph.num_nodes, "else nothing is tested"
    count = merged.graphs.node_attrs[COUNT]
    assert torch.equal(count, torch.bincount(merged.of_node).float())


@pytest.mark.usefixtures("all_large")
def test_so_many_rounds_see_so_far() -> None:
    """On a path, a node knows after r rounds how far its end is, up to r steps."""
    path = of_matrix(
        torch.diag(torch.ones(40), 1) + torch.diag(torch.ones(40), -1), torch.ones(41, 1)
    )
    for rounds in (0, 1, 2, 5):
        merged = merge_twins(path, rounds)
        assert merged is not None
        assert merged.graphs.num_nodes == rounds + 1


@pytest.mark.usefixtures("all_large")
def test_edges_go_from_the_first_of_each_colour_to_colours() -> None:
    merged = merge_twins(star(5), 3)
    assert merged is not None
    assert torch.equal(merged.graphs.adj.to_dense(), torch.tensor([[0.0, 5.0], [1.0, 0.0]]))
    assert merged.of_node.tolist() == [0, 1, 1, 1, 1, 1]


@pytest.mark.usefixtures("all_large")
def test_features_decide_unless_they_differ_by_rounding() -> None:
    def number(values: list[float]) -> int:
        merged = merge_twins(
            of_matrix(torch.zeros(len(values), len(values)), torch.tensor(values).unsqueeze(1)), 2
        )
        assert merged is not None
        return merged.graphs.num_nodes

    assert number([1.0, 1.0 + 1e-6, 1.0 - 1e-6]) == 1
    assert number([0.0, -0.0, 1e-7, -1e-7]) == 1
    assert number([0.5, 0.5 + 1e-4]) == 2
    assert number([-1.0, 1.0 - 2**-16, 1.0]) == 3
    assert number([1e15, 2e15, 3e15, -1e15, 1e30, -1e30, 2e30]) == 7


def test_graphs_do_not_share_twins_and_small_ones_keep_all_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(twins, "LARGE", 20)
    graphs = joined([star(20), star(19), star(30), star(5)])
    merged = merge_twins(graphs, 4)
    assert merged is not None
    assert merged.graphs.sizes.tolist() == [2, 20, 2, 6]
    assert torch.equal(merged.graphs.batch[merged.of_node], graphs.batch)
    assert merged.graphs.node_attrs[COUNT].tolist() == [1, 20, *[1] * 20, 1, 30, *[1] * 6]
    assert torch.equal(merged.graphs.x[merged.of_node], graphs.x)
    assert merge_twins(graphs[[1, 3]], 4) is None


def test_pairs_of_small_graphs_are_left_alone(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([5, 9, 128])
    pairs = Pairs.of(graphs, graphs[[1, 0, 2]])
    seen, of_node = merged_pairs(pairs, 3)
    assert seen is pairs
    assert of_node is None
    counts, masks = pairs.counts(), zip(pairs.rows.masks(), pairs.columns.masks(), strict=True)
    for sides, exist in zip(counts, masks, strict=True):
        assert all(torch.equal(one, mask.float()) for one, mask in zip(sides, exist, strict=True))


def exact(batch: Graphs) -> Graphs:
    adj = batch.adj.to_sparse()
    return batch.replace(x=batch.x.double(), adj=replace(adj, weight=adj.weight.double()))


PAIRS = {
    "stars": lambda: ([star(30), star(12)], [star(18), star(25)]),
    "trees": lambda: (
        [KINDS["tree"](), KINDS["hubs"]()],
        [KINDS["binary tree"](), KINDS["tree"]()],
    ),
    "random": lambda: ([KINDS["random"]()], [of_networkx(nx.gnp_random_graph(35, 0.05, seed=5))]),
    "directed": lambda: ([directed(0), directed(1)], [directed(2), directed(0)]),
    "small and large": lambda: ([star(30), star(3), star(30)], [star(4), star(2), star(31)]),
    "small, and large": lambda: ([star(4), star(5)], [star(33), star(6)]),
}


def values_and_gradients(network: MatchingNetwork, pairs: Pairs) -> list[Tensor]:
    h = network(pairs)
    scores = sum(score.square().mean() for score in network.pair_scores(h, pairs))
    loss = network.distances(h, pairs).mean() + scores
    gradients = torch.autograd.grad(loss, list(network.parameters()))
    return [h.detach(), loss.detach(), *gradients]


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("similarity", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize("kind", PAIRS)
def test_the_network_says_the_same_of_merged_graphs(
    kind: str, similarity: str, tiles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = (exact(joined(side)) for side in PAIRS[kind]())
    pairs = Pairs.of(left, right)
    torch.manual_seed(0)
    network = MatchingNetwork(3, 8, 3, similarity, "dot").double()
    expected = values_and_gradients(network, pairs)
    monkeypatch.setattr(twins, "LARGE", 10)
    merged, of_node = merged_pairs(pairs, 3)
    assert of_node is not None
    assert len(merged.x) < len(pairs.x)
    if tiles:
        monkeypatch.setattr(attention, "TABLE", 20)
    for mine, plain in zip(values_and_gradients(network, pairs), expected, strict=True):
        torch.testing.assert_close(mine, plain, atol=1e-9, rtol=1e-7)


def test_in_single_precision_and_with_edges_that_stand_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An operator may hold two entries at one place."""
    hubs = KINDS["hubs"]()
    adj = hubs.adj.to_sparse()
    hubs = hubs.replace(adj=adj.add_unmerged(replace(adj, weight=0.5 * adj.weight)))
    pairs = Pairs.of(hubs, star(40))
    torch.manual_seed(0)
    network = MatchingNetwork(3, 8, 2, similarity="dot")
    expected = values_and_gradients(network, pairs)
    monkeypatch.setattr(twins, "LARGE", 10)
    for mine, plain in zip(values_and_gradients(network, pairs), expected, strict=True):
        assert (mine - plain).abs().max() <= 1e-5 * plain.abs().max()


def test_counts_of_a_batch_stand_in_its_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twins, "LARGE", 10)
    merged, _ = merged_pairs(Pairs.of(joined([star(20), star(3)]), joined([star(4), star(15)])), 2)
    found = {
        int(pair): (one[place].tolist(), two[place].tolist())
        for group, (one, two) in zip(merged.groups, merged.counts(), strict=True)
        for place, pair in enumerate(group)
    }
    alone = {pair: [sum(side) for side in sides] for pair, sides in found.items()}
    assert alone == {0: [21, 5], 1: [4, 16]}
    assert sorted(found[0][0], reverse=True)[:2] == [20, 1]
    assert offsets(torch.tensor([2, 4])).tolist() == merged.left.ptr.tolist()
