"""Splitting nodes changes nothing, and ways are geodesics: checked by POT and by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from ot.gromov import fused_gromov_wasserstein

from experiments.mixes import Parents, tagged
from smixup.augment import GeoMix
from smixup.augment.baselines.geomix import at_a_vertex, copies, low_rank, split_nodes
from smixup.augment.common_nodes import CommonNodes, node_by_node
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.graphs.ragged import offsets
from smixup.matching.pairs import PairBlock, Pairs

Array = np.ndarray


def fused(left: tuple[Array, ...], right: tuple[Array, ...], start: Array) -> float:
    """The distance of two graphs with features, adjacency and masses, from a coupling."""
    (x1, A1, p1), (x2, A2, p2) = left, right
    M = ((x1[:, None] - x2[None]) ** 2).sum(2)
    _, log = fused_gromov_wasserstein(M, A1, A2, p1, p2, alpha=0.5, G0=start, log=True)
    return float(np.sqrt(max(log["fgw_dist"], 0.0)))


def parts(graph: Graphs, masses: Array | None = None) -> tuple[Array, ...]:
    n = graph.num_nodes
    even = np.full(n, 1 / n)
    dense = graph.adj.to_dense().double().numpy()
    return graph.x.double().numpy(), dense, even if masses is None else masses


@pytest.fixture
def pair(make_graphs: Callable[..., Graphs]) -> tuple[Graphs, Graphs]:
    graphs = make_graphs([5, 7])
    return graphs[[0]], graphs[[1]]


def coupled(method: GeoMix, left: Graphs, right: Graphs) -> torch.Tensor:
    (block,) = Pairs.of(left, right).blocks()
    return method._coupled(block)[0]


def test_splitting_keeps_the_distance_to_the_original_at_zero(pair: tuple[Graphs, Graphs]) -> None:
    left, right = pair
    method = GeoMix(exact=True, least_weight=0.0)
    T = coupled(method, left, right)
    i, j = split_nodes(T)
    mass = T[i, j].numpy()
    assert len(i) <= 5 + 7 - 1
    assert len(i) > 7, "no permutation"
    first, second = (
        method.mixed(left, right, torch.tensor([end]), torch.tensor([0])) for end in (1.0, 0.0)
    )
    for split, original, node in ((first, left, i), (second, right, j)):
        plan = np.zeros((len(i), original.num_nodes))
        plan[np.arange(len(i)), node.numpy()] = mass
        assert fused(parts(split, mass), parts(original), plan) < 1e-6


def test_the_way_is_a_geodesic(pair: tuple[Graphs, Graphs]) -> None:
    """Between any two of its graphs the distance is their share of the whole."""
    left, right = pair
    method = GeoMix(exact=True, least_weight=0.0)
    T = coupled(method, left, right)
    i, j = split_nodes(T)
    mass = T[i, j].numpy()
    ends = parts(left), parts(right)
    whole = fused(*ends, T.numpy())
    assert whole > 0.1
    shares = torch.tensor([1.0, 0.7, 0.4, 0.0])
    mixes = method.mixed(left, right, shares, torch.zeros(4, dtype=torch.long))
    on_way = [parts(mixes[[k]], mass) for k in range(4)]
    for a in range(4):
        for b in range(a + 1, 4):
            found = fused(on_way[a], on_way[b], np.diag(mass))
            assert found == pytest.approx(float(shares[a] - shares[b]) * whole, rel=1e-3)


def test_equal_graphs_of_equal_size_need_no_splitting(
    from_networkx: Callable[..., Graphs], permuted: Callable[..., tuple[Graphs, torch.Tensor]]
) -> None:
    graph = from_networkx([nx.gnm_random_graph(7, 9, seed=3)])
    graph = graph.replace(x=torch.eye(7))
    copy, _ = permuted(graph)
    for method in (GeoMix(exact=True), GeoMix()):
        found = method.mixed(graph, copy, torch.tensor([0.5]), torch.tensor([0]), nodes=7)
        torch.testing.assert_close(found.adj.to_dense(), graph.adj.to_dense())
        torch.testing.assert_close(found.x, graph.x)


def test_rank_r_is_no_worse_than_where_it_starts(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([6, 7, 9, 8])
    method = GeoMix()
    (block,) = Pairs.of(graphs[:2], graphs[2:]).blocks()
    problem = method._problem(block).double()
    for r in (1, 4, 12):
        new = torch.ones(2, r, dtype=torch.bool)
        Q = node_by_node(block.mask1, new, block.A1.abs().sum(2))
        R = block.mask1.sum(1).view(-1, 1, 1) * Q @ method._coupled(block)
        better = low_rank(problem, Q, R, new)
        for side, mask in zip(better, (problem.p, problem.q), strict=True):
            torch.testing.assert_close(side.sum(1), mask)
            torch.testing.assert_close(side.sum(2), torch.full((2, r), 1 / r).double())
        before, after = (problem.distortion(r * a.mT @ b) for a, b in ((Q, R), better))
        assert (after <= before + 1e-9).all()


def test_a_vertex_has_few_entries_and_is_no_worse(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([6, 7, 9, 8])
    (block,) = Pairs.of(graphs[:2], graphs[2:]).blocks()
    problem = GeoMix()._problem(block).double()
    T = problem.solved(1)
    found = at_a_vertex(problem, T)
    assert (problem.distortion(found) <= problem.distortion(T) + 1e-8).all()
    torch.testing.assert_close(found.sum(1), problem.q)


def test_mixes_by_pair(make_graphs: Callable[..., Graphs]) -> None:
    originals = tagged(make_graphs([6, 5, 7, 8, 6, 5], num_classes=3))
    made = GeoMix(amount=2.0, per_pair=4, high=0.3, seed=0).fit_extend(originals)
    assert len(made) == 18
    new = made[6:]
    assert set(new.sizes.tolist()) == {int(originals.sizes.median())}
    parents = Parents.of(new)
    assert parents is not None
    assert ((parents.lam >= 0.7) & (parents.lam <= 1)).all()
    of_pairs = {*zip(parents.left.tolist(), parents.right.tolist(), strict=True)}
    assert len(of_pairs) == 3
    for left, right in of_pairs:
        others = (originals.labels != originals.labels[left]).nonzero().squeeze(1)
        gap = (originals.sizes[others] - originals.sizes[left]).abs().min()
        assert (originals.sizes[right] - originals.sizes[left]).abs() == gap
        assert originals.labels[right] != originals.labels[left]
    torch.testing.assert_close(parents.expected(originals.y), new.y)


def test_light_edges_are_left_out(pair: tuple[Graphs, Graphs]) -> None:
    left, right = pair
    lam, first = torch.tensor([0.95]), torch.tensor([0])
    every, few = (
        GeoMix(least_weight=least).mixed(left, right, lam, first, nodes=6).adj.to_sparse().weight
        for least in (0.0, 0.2)
    )
    assert every.min() < 0.2 <= few.min()


def test_attributes_are_averaged(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([7, 8])
    adj = graphs.adj.to_sparse()
    attribute = replace(adj, weight=adj.weight.unsqueeze(1) * torch.tensor([2.5, 1.0]))
    kinds = torch.arange(graphs.num_nodes)
    graphs = graphs.replace(
        edge_attrs={"edge_attr": (attribute,)},
        node_attrs={"kind": kinds, "charge": kinds.float()},
    )
    for method in (GeoMix(), GeoMix(exact=True)):
        found = method.mixed(
            graphs[[0]], graphs[[1]], torch.tensor([0.9]), torch.tensor([0]), nodes=7
        )
        values = found.edge_features()[1]
        torch.testing.assert_close(values, torch.tensor([[2.5, 1.0]]).expand_as(values))
        assert set(found.node_attrs["kind"].tolist()) <= set(range(7))
        assert found.node_attrs["charge"].isfinite().all()


def test_copies() -> None:
    P = copies(torch.tensor([2, 0, 2]), 3)
    assert P.to_dense().tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert CommonNodes(P, P, offsets(torch.tensor([3])))._own(torch.arange(3)).tolist() == [2, 0, 2]


def test_published_settings() -> None:
    found = GeoMix.as_published(nodes=40)
    assert (found.nodes, found.amount, found.per_pair) == (40, 1.0, 10)
    assert (found.low, found.high, found.structure_weight) == (0.0, 0.05, 1.0)


@pytest.mark.parametrize(
    "settings",
    [{"per_pair": 0}, {"high": 2}, {"low": 0.2}, {"nodes": 0}, {"structure_weight": -1}],
)
def test_wrong_settings(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"^{next(iter(settings))} must be"):
        GeoMix(**settings)  # type: ignore[arg-type]


def test_blocks_are_solved_together(make_graphs: Callable[..., Graphs]) -> None:
    """A pair is coupled alike whoever stands beside it."""
    graphs = make_graphs([6, 7, 9, 8])
    method = GeoMix()
    (together,) = Pairs.of(graphs[:2], graphs[2:]).blocks()
    blocks: list[PairBlock] = []
    for place in range(2):
        blocks += Pairs.of(graphs[[place]], graphs[[2 + place]]).blocks()
    found = method._coupled(together)
    for place, block in enumerate(blocks):
        n1, n2 = block.mask.shape[1:]
        own = found[together.pairs.tolist().index(place), :n1, :n2]
        torch.testing.assert_close(own, method._coupled(block)[0])
