"""Matchers that learn nothing: controls by plain loops, random walks and couplings against other
implementations, linear programs and sums written out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations, product

import networkx as nx
import pygmtools
import pytest
import torch
from ot.gromov import fused_gromov_wasserstein
from torch import Tensor

from smixup.datasets import load_dataset
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import RRWM, Identity, Matcher, RandomOrder, Uniform
from smixup.matching.classical import IPFP, SpectralMatching, dense_affinity
from smixup.matching.controls import motif_kept
from smixup.matching.fgw import Couplings, FusedGromovWasserstein, feature_cost, with_sums
from smixup.matching.lessons import shuffled_copy
from smixup.matching.pairs import PairBlock, Pairs
from smixup.matching.rrwm import SMALLEST, node_affinity

close = torch.testing.assert_close
SIZES = [(20, 20), (12, 20), (20, 12), (7, 6), (1, 5), (5, 1), (1, 1)]


def plain_order(matcher: Identity, left: Graphs, right: Graphs) -> Tensor:
    """Pair by pair and node by node, given where `order` puts the nodes."""
    M = torch.zeros(left.num_nodes, right.num_nodes)
    places, partners = matcher.order(left).tolist(), matcher.order(right).tolist()
    for g in range(len(left)):
        (a, b), (c, d) = left.ptr[g : g + 2].tolist(), right.ptr[g : g + 2].tolist()
        at = {places[i]: i for i in range(a, b)}
        assert sorted(at) == list(range(b - a)), "every place is taken once"
        for j in range(c, d):
            if b > a and (partners[j] < b - a or not matcher.partial):
                M[at[partners[j] % (b - a)], j] = 1.0
    return M


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("kind", [Identity, RandomOrder])
def test_orders_against_a_plain_loop(kind: type[Identity], partial: bool, graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 1, 5, 6, 2]], graphs[[5, 2, 3, 0, 6, 4]]
    M = kind(partial=partial)(left, right)
    assert M is M, "kept entry by entry"
    assert torch.equal(M.to_dense(), plain_order(kind(partial=partial), left, right))


def test_random_order_varies_repeats_by_seed_and_prefers_nobody(graphs: Graphs) -> None:
    pair = graphs[[4]], graphs[[4]]
    matcher, again, other = RandomOrder(), RandomOrder(), RandomOrder(seed=1)
    one, two = matcher(*pair).to_dense(), matcher(*pair).to_dense()
    assert not torch.equal(one, two), "a new order at every call"
    assert torch.equal(again(*pair).to_dense(), one)
    assert not torch.equal(other(*pair).to_dense(), one)
    M = RandomOrder()(graphs[[0] * 3000], graphs[[3] * 3000])
    hits = torch.zeros(4, 3).index_put_((M.row % 4, M.column % 3), M.weight, accumulate=True) / 3000
    assert (hits - 0.25).abs().max() < 0.03
    n, none = 200_000, torch.zeros(0, dtype=torch.long)  # a table would take 160 gigabytes
    adj = SparseOperator(torch.zeros(n + 1, dtype=torch.long), none, torch.zeros(0), n, True)
    graph = Graphs(torch.ones(n, 1), adj, torch.ones(1, 1), torch.tensor([0, n]))
    large = RandomOrder()(graph, graph)
    assert large.column.unique().numel() == large.row.unique().numel() == len(large.weight) == n


def test_node_affinity_by_hand(graphs: Graphs, grouped: Callable[..., Pairs]) -> None:
    left, right = graphs[[0, 4, 3, 1]], graphs[[5, 2, 4, 3]]
    (block,) = grouped(left, right, "one").blocks()
    N = node_affinity(block)
    d1, d2 = left.adj.row_sums(), right.adj.row_sums()
    for pair in range(4):
        rows, columns = (range(*side.ptr[pair : pair + 2].tolist()) for side in (left, right))
        for (i, u), (j, v) in product(enumerate(rows), enumerate(columns)):
            d, x = d1[u] - d2[v], (left.x[u] - right.x[v]).square().sum()
            close(N[pair, i, j], torch.exp(-d * d) + torch.exp(-x))
    assert not N[~block.mask].any()
    far = replace(block, A1=100 * block.A1)
    assert (node_affinity(far)[block.mask] >= SMALLEST).all()


@pytest.mark.parametrize("steps", [7, 50])
def test_random_walks_are_those_of_pygmtools_whatever_the_padding(
    steps: int,
    make_graphs: Callable[..., Graphs],
    grouped: Callable[..., Pairs],
) -> None:
    left, right = (make_graphs([size[side] for size in SIZES], seed=side) for side in (0, 1))
    (block,) = grouped(left, right, "one").blocks()
    N, X = node_affinity(block), RRWM(steps=steps).solve(block)
    for pair, (n1, n2) in enumerate(SIZES):
        K = dense_affinity(N[pair, :n1, :n2], block.A1[pair, :n1, :n1], block.A2[pair, :n2, :n2])
        peer = pygmtools.rrwm(K, n1, n2, max_iter=steps, backend="pytorch")
        close(X[pair, :n1, :n2], peer, atol=1e-5, rtol=0)
        assert not X[pair, n1:].any() and not X[pair, :, n2:].any()
    close(X.sum((1, 2)), torch.ones(len(SIZES)))


@pytest.mark.parametrize("matcher", [RRWM(), SpectralMatching(), IPFP(), FusedGromovWasserstein()])
def test_the_nodes_of_a_shuffled_copy_are_found(
    matcher: Matcher, from_networkx: Callable[..., Graphs]
) -> None:
    graphs = from_networkx([nx.gnp_random_graph(12, 0.4, seed=seed) for seed in range(8)])
    if isinstance(matcher, FusedGromovWasserstein):
        graphs = graphs.replace(x=torch.randn(96, 2, generator=torch.Generator().manual_seed(0)))
    copy, origin = shuffled_copy(graphs, torch.Generator().manual_seed(0))
    M = matcher(graphs, copy).to_dense()
    assert float((M.argmax(0) == origin).float().mean()) >= 0.95


def objective(pair: PairBlock, X: Tensor) -> float:
    x = X.float().T.flatten()
    return float(x @ dense_affinity(node_affinity(pair)[0], pair.A1[0], pair.A2[0]) @ x)


def test_ipfp_is_no_worse_than_its_start_and_close_to_the_best_of_all(
    make_graphs: Callable[..., Graphs],
) -> None:
    left, right = make_graphs([5] * 4, seed=3), make_graphs([5] * 4, seed=4)
    for place in range(4):
        (pair,) = Pairs.of(left[[place]], right[[place]]).blocks()
        spectral, ipfp = (objective(pair, s.solve(pair)[0]) for s in (SpectralMatching(), IPFP()))
        best = max(objective(pair, torch.eye(5)[list(order)]) for order in permutations(range(5)))
        assert spectral <= ipfp * (1 + 1e-5)
        assert 0.8 * best <= ipfp <= best * (1 + 1e-5)


@pytest.mark.parametrize("solver", [SpectralMatching(), IPFP()])
def test_what_stays_without_match_is_spread_evenly(
    solver: SpectralMatching, make_graphs: Callable[..., Graphs]
) -> None:
    two = make_graphs([3, 5])
    M = solver(two[[0]], two[[1]]).to_dense()
    close(M.amax(0).sort().values, torch.tensor([1 / 3, 1 / 3, 1, 1, 1]))
    assert (M[:, M.amax(0) == 1].sum(1) == 1).all()


def couplings_of(block: PairBlock, alpha: float = 0.5) -> Couplings:
    cost = feature_cost(block.x1, block.x2)
    return Couplings(cost, block.A1, block.A2, block.mask1, block.mask2, alpha).double()


@pytest.fixture
def block(make_graphs: Callable[..., Graphs]) -> PairBlock:
    """Pairs of several sizes in one block."""
    graphs = make_graphs([5, 8, 7, 6, 4, 9, 1, 3])
    (pairs,) = Pairs.of(graphs[:4], graphs[4:]).blocks()
    return pairs


def random_couplings(problem: Couplings, seed: int = 0) -> Tensor:
    T = torch.rand(problem.M.shape, generator=torch.Generator().manual_seed(seed)).double()
    mask = problem.mask1.unsqueeze(2) & problem.mask2.unsqueeze(1)
    return with_sums(T * mask, problem.p, problem.q)


@pytest.mark.parametrize("directed", [False, True])
def test_the_distortion_of_a_coupling_and_its_gradient(block: PairBlock, directed: bool) -> None:
    problem = couplings_of(block, 0.7)
    if directed:
        C1, C2 = problem.C1.triu(), problem.C2.triu()
        problem = Couplings(problem.M, C1, C2, problem.mask1, problem.mask2, 0.7)
    T, other = random_couplings(problem), random_couplings(problem, 1)
    apart = (problem.C1[:, :, None, :, None] - problem.C2[:, None, :, None, :]).square()
    structure = torch.einsum("bij,bkm,bijkm->b", T, T, apart)
    close(problem.distortion(T), 0.3 * (T * problem.M).sum((1, 2)) + 0.7 * structure)
    step, d = 1e-5, other - T
    slope = (problem.distortion(T + step * d) - problem.distortion(T - step * d)) / (2 * step)
    close((problem.gradient(T) * d).sum((1, 2)), slope, rtol=1e-5, atol=1e-7)


def test_couplings_against_pot_and_of_nodes_that_all_look_alike(
    make_graphs: Callable[..., Graphs], from_networkx: Callable[..., Graphs]
) -> None:
    graphs = make_graphs([6, 8])
    (pair,) = Pairs.of(graphs[[0]], graphs[[1]]).blocks()
    problem = couplings_of(pair)
    T = problem.descended(problem.p.unsqueeze(2) * problem.q.unsqueeze(1), 100)
    costs = (cost[0].numpy() for cost in (problem.M, problem.C1, problem.C2))
    _, log = fused_gromov_wasserstein(*costs, alpha=0.5, log=True)
    assert float(problem.distortion(T)) == pytest.approx(float(log["fgw_dist"]), rel=1e-3)
    ring = from_networkx([nx.cycle_graph(6)])
    problem = couplings_of(next(iter(Pairs.of(ring, ring).blocks())), 1.0)
    solved = float(problem.distortion(problem.solved(20)))
    assert solved < 1e-6, "from the even coupling no gradient leads away"


@pytest.fixture
def tail() -> Graphs:
    """A triangle, the motif, with a tail of one node."""
    edges = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3], [1, 0, 2, 1, 0, 2, 3, 2]])
    adj, motif = SparseOperator.from_edges(edges, torch.ones(8), 4), torch.arange(4) < 3
    ones = torch.ones(4, 1), torch.ones(1, 1)
    return Graphs(ones[0], adj, ones[1], torch.tensor([0, 4]), node_attrs={"motif": motif})


@pytest.mark.parametrize(
    ("places", "share"),
    [
        ([0, 1, 2, 3], 1),
        ([1, 2, 0, 3], 1),  # turned
        ([0, 1, 2, 0], 1),  # wherever the rest goes
        ([3, 1, 2, 0], 1 / 3),  # one edge is left, the tail is no motif
        ([0, 1, 1, 3], 1 / 3),  # two edges on one count as one
    ],
)
def test_motif_kept_by_hand(tail: Graphs, places: list[int], share: float) -> None:
    row, column = torch.eye(4)[:, places].nonzero(as_tuple=True)
    M = SparseOperator.from_entries(row, column, torch.ones(4), (4, 4))
    assert float(motif_kept(M, tail, tail)) == pytest.approx(share)


def test_motif_kept_of_many_pairs() -> None:
    graphs = load_dataset("MOTIF", num_graphs=12).graphs
    order = graphs.labels.argsort(stable=True)
    left, right = graphs[order], graphs[order.view(3, 4).roll(1, 1).flatten()]
    edges = torch.tensor([5.0, 6.0, 6.0]).repeat_interleave(4)  # of cycle, house and crane
    kept = motif_kept(Uniform()(left, right), left, right)
    torch.testing.assert_close(kept, 2 * edges / left.sizes**2)
    with pytest.raises(SmixupError, match="no known motif"):
        motif_kept(Uniform()(left, right), left.replace(node_attrs={}), right)
