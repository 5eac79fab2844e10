"""Pairs too large for tables: which they are, and that what is done with some cells is what is done
with all where all are candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import to_pyg
from smixup.matching import GraphMatcher, SiameseMatcher, large, network
from smixup.matching.assign import NORMALIZATIONS, Consensus, Normalization, OneToOne
from smixup.matching.large import Candidates, are_large, rows_of
from smixup.matching.learned import LearnedMatcher
from smixup.matching.network import SIMILARITIES, euclidean
from smixup.matching.pairs import Pairs

close = torch.testing.assert_close
ALL = 10**6
SixPairs = tuple[Graphs, Graphs, tuple[Tensor, Tensor]]
FromNetworkx = Callable[..., Graphs]
KINDS: dict[str, type[LearnedMatcher]] = {"graph": GraphMatcher, "siamese": SiameseMatcher}


def few_cells(n1: int, n2: int, share: float, seed: int, low: float = -3.0) -> csr_matrix:
    """A table of random numbers in random cells."""
    random = np.random.default_rng(seed)
    row, column = (random.random((n1, n2)) < share).nonzero()
    return csr_matrix((random.uniform(low, 3, len(row)), (row, column)), shape=(n1, n2))


def edgeless(sizes: list[int], x: Tensor | None = None) -> Graphs:
    ptr, n = torch.tensor([0, *sizes]).cumsum(0), sum(sizes)
    none = torch.zeros(0, dtype=torch.long)
    adj = SparseOperator(torch.zeros(n + 1, dtype=torch.long), none, torch.zeros(0), n, True)
    return Graphs(torch.ones(n, 1) if x is None else x, adj, torch.ones(len(sizes), 1), ptr)


def one_pair(n1: int, n2: int, similarity: str = "euclidean", **settings: Any) -> Candidates:
    """Candidates of two graphs without edges, whose nodes lie at random."""
    random = torch.Generator().manual_seed(0)
    h1, h2 = (torch.randn(n, 5, generator=random) for n in (n1, n2))
    pair = edgeless([n1]), edgeless([n2])
    return Candidates.of(*pair, (h1, h2), SIMILARITIES[similarity], **settings)


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("nearest", [1, 3, 50])
def test_candidates_are_the_nearest_of_either_side(
    name: str, nearest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "SPREAD", 0.0)
    for n1, n2 in ((12, 9), (1, 8), (0, 5), (5, 0), (30, 41)):
        near = one_pair(n1, n2, name, factor=2.5, nearest=nearest)
        table = SIMILARITIES[name](near.place1[None, :, :-1], near.place2[None, :, :-1])[0]
        wanted = torch.zeros_like(table, dtype=torch.bool)
        for i, row in enumerate(table):
            wanted[i, row.topk(min(nearest, n2)).indices] = True
        for j, column in enumerate(table.T):
            wanted[column.topk(min(nearest, n1)).indices, j] = True
        expected = torch.where(wanted, 2.5 * table, 0.0).numpy()
        np.testing.assert_allclose(near.scores.toarray(), expected, atol=1e-5)
    monkeypatch.setattr(large, "TILE", 100)
    again = one_pair(30, 41, name, factor=2.5, nearest=nearest)
    assert (again.scores != near.scores).nnz == 0, "in tiles of any size"


def test_ties_are_decided_by_numbers_close_to_the_neighbours(from_networkx: FromNetworkx) -> None:
    hubs = nx.disjoint_union_all([nx.star_graph(40) for _ in range(12)])
    adj = csr_matrix(nx.to_scipy_sparse_array(hubs, dtype=float))
    ties = large.tie_coordinates(adj, 0)
    assert ties.std() == pytest.approx(large.SPREAD, rel=0.1)
    assert len(set(ties)) == len(hubs)
    assert ties.reshape(12, 41).std(1).mean() < 0.9 * ties.std(), "leaves of a hub lie together"
    one, two = (from_networkx([nx.star_graph(n)]) for n in (300, 250))
    h = one.adj.row_sums().unsqueeze(1), two.adj.row_sums().unsqueeze(1)
    scores = Candidates.of(one, two, h, euclidean).scores[1:, 1:]
    asked = np.diff(scores.tocsc().indptr), np.diff(scores.indptr)
    assert all(24 <= often.min() <= often.max() < 75 for often in asked), "leaves are shared out"


WAYS = [*map(NORMALIZATIONS.of, NORMALIZATIONS.classes), OneToOne(rounds=4, seed=3)]
WAYS += [OneToOne(rounds=0), Consensus(rounds=3, steps=2, noise=0.0, beta=0.3, bin=-1.0)]


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_with_all_cells_every_normalization_is_the_dense_one(
    how: Normalization, six_pairs: SixPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "UNCONVINCING", 0.0)
    left, right, h = six_pairs
    for g in range(len(left)):
        own = h[0][left.batch == g], h[1][right.batch == g]
        near = Candidates.of(left[[g]], right[[g]], own, euclidean, 2.0, ALL)
        (block,) = Pairs.of(left[[g]], right[[g]]).blocks()
        scores = torch.from_numpy(near.scores.toarray())[None]
        close(scores, 2 * euclidean(own[0][None], own[1][None]))
        M = torch.from_numpy(how.on_candidates(near).toarray())
        close(M, how(scores, block)[0], atol=1e-6, rtol=1e-6)
        if isinstance(how, Consensus):
            S = torch.from_numpy(large.agreed(near, how)[1].toarray())
            close(S, how.agreed(scores, block)[0], atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("shares", [(0.1, 0.5), (0.5, 0.1), (0.0, 0.3)])
def test_neighbours_against_the_dense_product(
    shares: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the side on which there are fewer, whichever it is; of any cells, some rows empty."""
    A1, A2 = few_cells(15, 15, shares[0], 1), few_cells(9, 9, shares[1], 2)
    M, cells = few_cells(15, 9, 0.5, 3, low=0.01), few_cells(15, 9, 0.3, 4)
    expected = (A1 @ M @ A2.T).toarray()[rows_of(cells), cells.indices]
    for at_once in (1, 20, 10**6):
        monkeypatch.setattr(large, "ENTRIES_AT_ONCE", at_once)
        sums = large.neighbours_agree(A1, A2, M, cells)
        np.testing.assert_allclose(sums, expected, atol=1e-12)
    nothing = few_cells(15, 9, 0.0, 0)
    assert large.neighbours_agree(A1, A2, M, nothing).shape == (0,)
    assert not large.neighbours_agree(A1, A2, nothing, cells).any()


def test_neighbours_of_a_true_match_are_proposed(from_networkx: FromNetworkx) -> None:
    path, h = from_networkx([nx.path_graph(60)]), torch.zeros(60, 1)
    h[0], h[-1] = 5.0, -5.0  # ends are known; nodes between look alike, and are found from there
    near = Candidates.of(path, path, (h, h), euclidean, 4.0, nearest=3)
    wider, _ = large.agreed(near, OneToOne(rounds=30, noise=0.0))
    old, new = (set(zip(*by.scores.nonzero(), strict=True)) for by in (near, wider))
    truth = {(i, i) for i in range(60)}
    assert old < new and len(new & truth) > len(old & truth) + 8


@pytest.mark.parametrize("nearest", [1, 24])
def test_as_many_are_matched_as_the_smaller_graph_has(
    nearest: int, six_pairs: SixPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nodes look alike, so that ties decide; of hubs only a few edges are taken."""
    monkeypatch.setattr(large, "FEW", 2)
    left, right, h = six_pairs
    for g in range(len(left)):
        own = h[0][left.batch == g], h[1][right.batch == g]
        for places in (own, tuple(torch.ones_like(one) for one in own)):
            near = Candidates.of(left[[g]], right[[g]], places, euclidean, 4.0, nearest)
            M = large.one_to_one(near, OneToOne())
            assert set(M.data) == {1.0} and M.nnz == min(M.shape)
            assert max(M.sum(0).max(), M.sum(1).max()) == 1


@pytest.fixture
def few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of more than 17 nodes a side are large; so is attention."""
    monkeypatch.setattr(large, "CELLS", 300)
    monkeypatch.setattr(network, "TABLE", 300)


@pytest.fixture
def sets(make_graphs: Callable[..., Graphs]) -> tuple[Graphs, Graphs]:
    """Six pairs, of which the second, the third and the last are large; the third has no edges."""
    left, right = [10, 40, 33, 5, 1, 24], [12, 30, 38, 8, 1, 50]
    return make_graphs(left, seed=1), make_graphs(right, seed=2)


def begun(kind: str, train: Graphs, **settings: Any) -> LearnedMatcher:
    """A matcher that has learnt nothing: nodes that see the same look alike to it all the same."""
    matcher = KINDS[kind](**({"num_layers": 2, "hidden_channels": 8, "random_walk": 4} | settings))
    matcher._begin(train)
    return matcher


def test_which_pairs_are_large() -> None:
    """By the table of their cells, or by that of the edges of one of them."""
    left, right = edgeless([400, 300, 1024, 1025, 1]), edgeless([327, 437, 128, 1, 1030])
    assert are_large(left, right).tolist() == [False, True, False, True, True]


@pytest.mark.usefixtures("few_tables")
@pytest.mark.parametrize("name", NORMALIZATIONS.classes)
@pytest.mark.parametrize("kind", KINDS)
def test_every_normalization_keeps_its_promise_in_any_company(
    kind: str, name: str, sets: tuple[Graphs, Graphs]
) -> None:
    left, right = sets
    matcher = begun(kind, left, normalization=name)
    dense = matcher(left, right).to_dense()
    assert (dense >= 0).all() and not dense[left.batch.unsqueeze(1) != right.batch].any()
    if name in ("columns", "sinkhorn"):
        close(dense.sum(0), torch.ones(right.num_nodes))
    elif name == "rows":
        close(dense.sum(1), torch.ones(left.num_nodes))
    else:
        assert max(dense.sum(0).max(), dense.sum(1).max()) < 1 + 1e-3 and dense.sum() > 20
    if name == "one-to-one":
        assert set(dense.unique().tolist()) == {0.0, 1.0}
        assert int(dense.sum()) == int(torch.minimum(left.sizes, right.sizes).sum())
    alone = [matcher(left[[g]], right[[g]]).to_dense() for g in range(len(left))]
    close(dense, torch.block_diag(*alone), atol=1e-4, rtol=0)
    prepared, places = matcher.prepare(Graphs.cat([left, right])), torch.arange(len(left))
    assigned = matcher.assign(prepared, places, places + len(left)).to_dense()
    close(assigned, dense, atol=1e-4, rtol=0)


@pytest.mark.usefixtures("few_tables")
def test_top_k_and_training_on_large_graphs(
    sets: tuple[Graphs, Graphs], make_graphs: Callable[..., Graphs]
) -> None:
    left, right = sets
    for k in (1, 3, 35):
        M = begun("graph", left, normalization="columns", top_k=k)(left, right).to_dense()
        assert ((M > 0).sum(0) <= k).all()
        close(M.sum(0), torch.ones(right.num_nodes))
    assert (M > 0).sum(0).max() > 24, "more are looked for if more are wished"
    train = make_graphs([30, 41, 22, 35])
    matcher = GraphMatcher(num_layers=1, hidden_channels=4, max_steps=1).fit(train)
    matched = matcher.match(to_pyg(train[[0, 1]]), to_pyg(train[[2, 3]]))
    assert [(tuple(M.shape), int(M.sum())) for M in matched] == [((30, 22), 22), ((41, 35), 35)]

    class Own(OneToOne):
        on_candidates = Normalization.on_candidates

    with pytest.raises(SmixupError, match="Own has no form for pairs as large as these"):
        begun("graph", left, normalization=Own())(left, right)
