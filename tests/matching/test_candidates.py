"""Pairs of large graphs by some cells of their table: which they are, and that what is done with
them is what is done with all cells where all are candidates.
"""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching import assign, candidates, large
from smixup.matching.assign import Columns, Consensus, Normalization, OneToOne, Rows, Sinkhorn
from smixup.matching.candidates import (
    SPREAD,
    Points,
    find_candidates,
    larger_than,
    largest,
    largest_of_rows,
    log_softmax_columns,
    log_softmax_rows,
    rows_of,
    tie_coordinates,
    with_data,
)
from smixup.matching.large import agreed, neighbours_agree, partial_sinkhorn, proposals
from smixup.matching.network import SIMILARITIES, euclidean
from smixup.matching.pairs import PairBlock, Pairs

close = torch.testing.assert_close
NEVER, ALL = -np.inf, 10**6
SixPairs = tuple[Graphs, Graphs, tuple[Tensor, Tensor]]


def few_cells(n1: int, n2: int, share: float, seed: int, low: float = -3.0) -> csr_matrix:
    """A table of random numbers in random cells."""
    random = np.random.default_rng(seed)
    row, column = (random.random((n1, n2)) < share).nonzero()
    return csr_matrix((random.uniform(low, 3, len(row)), (row, column)), shape=(n1, n2))


TABLES = [
    few_cells(7, 5, 1.1, 0),
    few_cells(9, 12, 0.5, 1),
    few_cells(30, 20, 0.04, 2),  # most rows and columns are empty
    few_cells(1, 40, 0.5, 3),
    few_cells(4, 3, 0.0, 0),
]


def full(S: csr_matrix) -> np.ndarray:
    """The table as an array; what is no entry is minus infinity, whatever an entry is."""
    dense = np.full(S.shape, NEVER)
    dense[rows_of(S), S.indices] = S.data
    return dense


@pytest.mark.parametrize("S", TABLES, ids=lambda S: f"{S.shape} {S.nnz}")
def test_tables_with_few_entries_against_full_ones(S: csr_matrix) -> None:
    dense = full(S)
    assert np.array_equal(rows_of(S), S.tocoo().row)
    assert np.array_equal(largest(S), dense.max(1))
    assert np.array_equal(largest(S, 0.5), np.maximum(dense.max(1), 0.5))
    for sparse, dim in ((log_softmax_rows(S), 1), (log_softmax_columns(S), 0)):
        whole = torch.from_numpy(dense)
        expected = torch.where(whole.isfinite(), whole.log_softmax(dim), NEVER)
        np.testing.assert_allclose(full(sparse), expected.numpy(), atol=1e-12)
        assert np.array_equal(sparse.indices, S.indices), "in the same order"
    for number in (1, 2, 3, 100):
        kept = full(largest_of_rows(S, number))
        for row, values in zip(kept, dense, strict=True):
            best = sorted(values[np.isfinite(values)], reverse=True)[:number]
            assert sorted(row[np.isfinite(row)], reverse=True) == best
        assert (np.isneginf(kept) | (kept == dense)).all(), "at their places"
    for threshold in (-100.0, 0.0, 2.0, 100.0):
        expected = np.where(dense > threshold, dense, NEVER)
        assert np.array_equal(full(larger_than(S, threshold)), expected)
    high = csr_matrix(np.array([[1e4, 1e4 - 1.0], [-1e4, -2e4]]))
    share = np.log(1 / (1 + np.exp(-1.0)))
    np.testing.assert_allclose(log_softmax_rows(high).data, [share, share - 1, 0, -1e4])
    assert np.diff(largest_of_rows(csr_matrix(np.ones((3, 6))), 2).indptr).tolist() == [2, 2, 2]


def both_sides(name: str, n1: int, n2: int, ties: float = 0.0) -> tuple[Points, Points, Tensor]:
    """Points of both sides, and what they are to be ranked by: the similarity, and the squared
    difference of what decides between nodes that are alike, in the scale of each similarity.
    """
    random = torch.Generator().manual_seed(0)
    h1, h2 = (torch.randn(n, 6, generator=random) for n in (n1, n2))
    tie1, tie2 = (ties * torch.randn(n, generator=random) for n in (n1, n2))
    table = SIMILARITIES[name](h1.double()[None], h2.double()[None])[0]
    apart = (tie1.unsqueeze(1) - tie2).double().square() / 2
    whole = {"dot": 6**0.5 * table, "cosine": table, "euclidean": -table.square() / 2}[name]
    one, two = (Points.of(h, tie, SIMILARITIES[name]) for h, tie in ((h1, tie1), (h2, tie2)))
    return one, two, whole - apart


@pytest.mark.parametrize("ties", [0.0, 0.7])
@pytest.mark.parametrize("name", SIMILARITIES)
def test_nearest_nodes_against_a_plain_sort(
    name: str, ties: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, table = both_sides(name, 30, 41, ties)
    order, backwards = (t.argsort(dim=1, descending=True)[:, :7] for t in (table, table.T))
    for at_once in (1, 200, 10**6):
        monkeypatch.setattr(candidates, "CELLS_AT_ONCE", at_once)
        assert torch.equal(first.nearest(second, 7), order)
        assert torch.equal(second.nearest(first, 7), backwards)
    chosen = torch.tensor([3, 8, 20, 29])
    expected = table[:, chosen].argsort(dim=1, descending=True)[:, :2]
    assert torch.equal(first.nearest(second[chosen], 2), expected)
    for n1, n2 in ((0, 0), (0, 5), (1, 1), (4, 0), (4, 5)):
        first, second, table = both_sides(name, n1, n2)
        assert torch.equal(first.nearest(second, 5), table.argsort(1, descending=True))


LEFT, RIGHT = [12, 1, 7, 20], [9, 8, 15, 20]


@pytest.fixture
def four(make_graphs: Callable[..., Graphs]) -> SixPairs:
    left, right = make_graphs(LEFT, seed=1), make_graphs(RIGHT, seed=2)
    random = torch.Generator().manual_seed(0)
    h1, h2 = (torch.randn(side.num_nodes, 5, generator=random) for side in (left, right))
    return left, right, (h1, h2)


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("nearest", [1, 3, 50])
def test_candidates_are_the_nearest_of_either_side(
    name: str, nearest: int, four: SixPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "SPREAD", 0.0)
    left, right, h = four
    near = find_candidates(left, right, h, SIMILARITIES[name], 2.5, nearest)
    dense, covered = near.scores.toarray(), 0
    for g, (a, c, part) in enumerate(near.pairs(near.scores)):
        table = SIMILARITIES[name](h[0][left.batch == g][None], h[1][right.batch == g][None])[0]
        wanted = torch.zeros_like(table, dtype=torch.bool)
        for i, row in enumerate(table):
            wanted[i, row.topk(min(nearest, len(row))).indices] = True
        for j, column in enumerate(table.T):
            wanted[column.topk(min(nearest, len(column))).indices, j] = True
        expected = torch.where(wanted, 2.5 * table, 0.0).numpy()
        np.testing.assert_allclose(part.toarray(), expected, atol=1e-5)
        assert (a, c, part.shape) == (int(left.ptr[g]), int(right.ptr[g]), (LEFT[g], RIGHT[g]))
        assert np.array_equal(part.toarray(), dense[a : a + LEFT[g], c : c + RIGHT[g]])
        covered += part.nnz
    assert covered == near.scores.nnz, "none between nodes of different pairs"
    rows, columns = rows_of(near.scores), near.scores.indices
    assert near.left.local(rows).tolist() == (rows - left.ptr[left.batch[rows]].numpy()).tolist()
    local = columns - right.ptr[right.batch[columns]].numpy()
    assert near.right.local(columns).tolist() == local.tolist()


@pytest.mark.parametrize("how", [OneToOne(), Consensus(), Columns()], ids=str)
def test_a_pair_does_not_feel_its_company(
    how: Normalization, six_pairs: SixPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where nodes look alike, so that ties decide; of hubs only a few edges are taken."""
    monkeypatch.setattr(candidates, "FEW", 2)
    left, right, given = six_pairs
    for h in (given, tuple(torch.ones_like(one) for one in given)):
        near = find_candidates(left, right, h, euclidean, 4.0, nearest=2)
        M, total = how.on_candidates(near).toarray(), 0.0
        for g in range(len(left)):
            own = h[0][left.batch == g], h[1][right.batch == g]
            single = find_candidates(left[[g]], right[[g]], own, euclidean, 4.0, nearest=2)
            a, c, (n1, n2) = int(left.ptr[g]), int(right.ptr[g]), single.scores.shape
            cells = near.scores[a : a + n1, c : c + n2].toarray() != 0
            assert np.array_equal(cells, single.scores.toarray() != 0)
            edges = near.left.few_edges[a : a + n1, a : a + n1]
            assert np.array_equal(edges.toarray(), single.left.few_edges.toarray())
            alone = how.on_candidates(single).toarray()
            np.testing.assert_allclose(M[a : a + n1, c : c + n2], alone, atol=1e-9)
            total += alone.sum()
        assert M.sum() == pytest.approx(total), "nothing between pairs"


def test_candidates_among_those_that_are_left(
    four: SixPairs, make_graphs: Callable[..., Graphs]
) -> None:
    left, right, h = four
    near = find_candidates(left, right, h, euclidean, 3.0, nearest=2)
    random = np.random.default_rng(0)
    free1, free2 = random.random(40) < 0.5, random.random(52) < 0.5
    free2[:9] = False  # nothing is left of the first right graph
    rest = near.among(free1, free2).scores
    i, j = rows_of(rest), rest.indices
    assert free1[i].all() and free2[j].all() and torch.equal(left.batch[i], right.batch[j])
    has_partner = np.isin(left.batch.numpy(), right.batch.numpy()[free2])
    assert set(i) == set((free1 & has_partner).nonzero()[0]), "everybody who can has one"
    np.testing.assert_allclose(rest.data, -3 * (h[0][i] - h[1][j]).norm(dim=1), rtol=1e-5)
    nobody = near.among(np.zeros_like(free1), free2).scores
    assert (nobody.nnz, nobody.shape) == (0, near.scores.shape)
    graphs = make_graphs([200, 200, 200])
    h1 = torch.randn(600, 5, generator=torch.Generator().manual_seed(0))
    near = find_candidates(graphs, graphs, (h1, h1), euclidean)
    free = np.concatenate([random.permutation(200) < n for n in (60, 150, 200)])
    rest = near.among(free, free).scores
    asked = np.diff(rest.indptr)[free]
    assert asked[:60].tolist() == [60] * 60, "where few are left, all there are"
    assert asked[60:210].min() >= 32
    assert (rest[400:] != near.scores[400:]).nnz == 0, "as before where all are left"


def test_ties_are_decided_by_numbers_close_to_the_neighbours(
    from_networkx: Callable[..., Graphs], make_graphs: Callable[..., Graphs]
) -> None:
    hubs = from_networkx([nx.disjoint_union_all([nx.star_graph(40) for _ in range(12)])])
    ties = tie_coordinates(hubs, 0)
    assert float(ties.std()) == pytest.approx(SPREAD, rel=0.1)
    assert ties.unique().numel() == hubs.num_nodes
    assert ties.view(12, 41).std(1).mean() < 0.9 * ties.std(), "leaves of a hub lie together"
    assert not torch.equal(tie_coordinates(hubs, 1), ties), "chance, not the number of a node"
    graphs = make_graphs([1, 4, 9, 1, 30, 12])
    adj = graphs.adj.to_sparse()
    for weight in (1.0, -1.0, 1e-3):
        chosen = torch.where(torch.arange(len(adj.weight)) % 3 == 0, weight, 1.0)
        odd = graphs.replace(adj=adj.scaled(chosen / adj.weight))
        ties = tie_coordinates(odd, 0)
        assert ties.isfinite().all() and ties.abs().max() < 5 * SPREAD
        for g in range(len(odd)):
            close(ties[odd.batch == g], tie_coordinates(odd[[g]], 0))
    one, two = (from_networkx([nx.star_graph(n)]) for n in (300, 250))
    h = one.adj.row_sums().unsqueeze(1), two.adj.row_sums().unsqueeze(1)
    scores = find_candidates(one, two, h, euclidean).scores[1:, 1:]
    asked = np.diff(scores.tocsc().indptr), np.diff(scores.indptr)
    assert all(24 <= often.min() <= often.max() < 75 for often in asked), "leaves are shared out"
    path = make_graphs([9])
    twice = path.replace(adj=path.adj.add_unmerged(path.adj))  # type: ignore[attr-defined]
    near = find_candidates(twice, path, (path.x, path.x), euclidean)
    np.testing.assert_allclose(near.left.adj.toarray(), 2 * near.right.adj.toarray())


def blocks_of(
    scores: csr_matrix, left: Graphs, right: Graphs
) -> list[tuple[slice, slice, Tensor, PairBlock]]:
    """Rows, columns, scores and block of every pair, all cells of which are candidates."""
    parts = []
    for g in range(len(left)):
        (block,) = Pairs.of(left[[g]], right[[g]]).blocks()
        rows, columns = (slice(*side.ptr[g : g + 2].tolist()) for side in (left, right))
        dense = torch.from_numpy(scores.toarray())[rows, columns]
        parts.append((rows, columns, dense.unsqueeze(0), block))
    return parts


NORMALIZATIONS = [
    Columns(),
    Rows(),
    Sinkhorn(3),
    Consensus(),
    Consensus(rounds=0),
    Consensus(rounds=3, steps=2, noise=0.0, beta=0.3, bin=-1.0),
    OneToOne(),
    OneToOne(rounds=0),
    OneToOne(rounds=4, seed=3),
]


@pytest.mark.parametrize("how", NORMALIZATIONS, ids=str)
def test_with_all_cells_every_normalization_is_the_dense_one(
    how: Normalization, six_pairs: SixPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right, h = six_pairs
    near = find_candidates(left, right, h, euclidean, 2.0, ALL)
    assert near.scores.nnz == int((left.sizes * right.sizes).sum())
    rough = how.on_candidates(near).toarray()
    monkeypatch.setattr(large, "UNCONVINCING", 0.0)
    M = torch.from_numpy(how.on_candidates(near).toarray())
    for rows, columns, scores, block in blocks_of(near.scores, left, right):
        close(scores[0], 2 * euclidean(h[0][rows][None], h[1][columns][None])[0])
        close(M[rows, columns], how(scores, block)[0], atol=1e-6, rtol=1e-6)
        if isinstance(how, Consensus):
            S = torch.from_numpy(agreed(near, how)[1].toarray())
            close(S[rows, columns], how.agreed(scores, block)[0], atol=1e-6, rtol=1e-6)
    assert np.abs(rough - M.numpy()).max() < 0.05 or isinstance(how, OneToOne)


def test_the_partial_sinkhorn_of_some_cells() -> None:
    """Cells that are no candidates have a share of zero."""
    S = few_cells(8, 11, 0.4, 0)
    table = torch.full((1, 8, 11), -1e9, dtype=torch.double)
    table[0, rows_of(S), S.indices] = torch.from_numpy(S.data)
    expected = assign.partial_sinkhorn(table, -2.0, 6)[0]
    close(torch.from_numpy(partial_sinkhorn(S, -2.0, 6).toarray()), expected)
    assert partial_sinkhorn(few_cells(3, 4, 0.0, 0), -4.0, 2).nnz == 0
    for scores in (1e5 * S.data, -1e5 * np.abs(S.data)):
        M = partial_sinkhorn(with_data(S, scores), -4.0, 8)
        assert np.isfinite(M.data).all() and M.max() <= 1 + 1e-9


@pytest.mark.parametrize("shares", [(0.1, 0.5), (0.5, 0.1), (0.0, 0.3)])
def test_neighbours_against_the_dense_product(
    shares: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the side on which there are fewer, whichever it is; of any cells, some rows empty."""
    sums_of, seen = large._sums_of, []

    def watched(sums: csr_matrix, rows: np.ndarray, columns: np.ndarray, A: csr_matrix) -> object:
        seen.append(int(np.diff(A.indptr)[columns].sum()))
        return sums_of(sums, rows, columns, A)

    monkeypatch.setattr(large, "_sums_of", watched)
    A1, A2 = few_cells(15, 15, shares[0], 1), few_cells(9, 9, shares[1], 2)
    M, cells = few_cells(15, 9, 0.5, 3, low=0.01), few_cells(15, 9, 0.3, 4)
    expected = (A1 @ M @ A2.T).toarray()[rows_of(cells), cells.indices]
    for at_once in (1, 20, 10**6):
        monkeypatch.setattr(large, "LOOKUPS_AT_ONCE", at_once)
        seen.clear()
        np.testing.assert_allclose(neighbours_agree(A1, A2, M, cells), expected, atol=1e-12)
        assert max(seen, default=0) <= at_once + 9, "not too many are looked up at once"
    nothing = few_cells(15, 9, 0.0, 0)
    assert neighbours_agree(A1, A2, M, nothing).shape == (0,)
    assert not neighbours_agree(A1, A2, nothing, cells).any()


def test_neighbours_of_a_true_match_are_proposed(
    from_networkx: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    ring, turned = csr_matrix(nx.to_numpy_array(nx.cycle_graph(7))), np.arange(7)[::-1]
    M = csr_matrix((np.ones(1), ([3], [turned[3]])), shape=(7, 7))
    for rows_at_once in (2, 10**6):
        monkeypatch.setattr(large, "ROWS_AT_ONCE", rows_at_once)
        proposed = np.argwhere(proposals(ring, M, ring[turned][:, turned]).toarray())
        expected = {(i, j) for i in (2, 4) for j in (turned[2], turned[4])}
        assert {tuple(cell) for cell in proposed} == expected
    assert proposals(ring, with_data(M, np.array([0.04])), ring).nnz == 0
    assert proposals(ring, csr_matrix((7, 7)), ring).shape == (7, 7)
    random = np.random.default_rng(0)
    A1, A2 = ((random.random((n, n)) < 0.4).astype(float) for n in (12, 9))
    shares = random.random((12, 9)) * 0.3
    whole = A1 @ np.where(shares > 0.05, shares, 0.0) @ A2.T
    fourth = np.array([np.sort(row)[-4] for row in whole])
    expected = np.where((whole >= fourth[:, None]) & (whole > 0.1), whole, 0.0)
    proposed = proposals(*(csr_matrix(table) for table in (A1, shares, A2))).toarray()
    np.testing.assert_allclose(proposed, expected)
    path, h = from_networkx([nx.path_graph(60)]), torch.zeros(60, 1)
    h[0], h[-1] = 5.0, -5.0  # ends are known; nodes between look alike, and are found from there
    near = find_candidates(path, path, (h, h), euclidean, 4.0, nearest=3)
    wider, _ = agreed(near, OneToOne(rounds=30, noise=0.0))
    old, new = (set(zip(*by.scores.nonzero(), strict=True)) for by in (near, wider))
    truth = {(i, i) for i in range(60)}
    assert old < new and len(new & truth) > len(old & truth) + 8


@pytest.mark.parametrize("shape", [(12, 12), (7, 16), (16, 7), (1, 5)])
def test_matches_of_cells_against_scipy_and_networkx(shape: tuple[int, int]) -> None:
    for seed in range(8):
        S = few_cells(*shape, 1.1, seed)
        rows, columns = large.best_matches(S)
        assert np.array_equal(
            columns[np.argsort(rows)], linear_sum_assignment(S.toarray(), maximize=True)[1]
        )
        S = few_cells(*shape, 0.15, seed, low=-3.0)
        matched = large.best_matches(S)
        cells = list(zip(rows_of(S), S.indices, S.data, strict=True))
        assert {*zip(*matched, strict=True)} <= {(i, j) for i, j, _ in cells}
        assert all(len(set(side)) == len(side) for side in matched)
        graph = nx.Graph()
        graph.add_weighted_edges_from((int(i), int(j) + 100, w) for i, j, w in cells)
        wanted = nx.max_weight_matching(graph, maxcardinality=True)
        assert len(matched[0]) == len(wanted), "as many as can be"
        total = sum(graph.edges[edge]["weight"] for edge in wanted)
        assert S.toarray()[matched].sum() == pytest.approx(total)


@pytest.mark.parametrize("second", [0, 3])
@pytest.mark.parametrize("nearest", [1, 24])
def test_as_many_are_matched_as_the_smaller_graph_has(
    nearest: int, second: int, six_pairs: SixPairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "SECOND_CHOICES", second)
    left, right, h = six_pairs
    near = find_candidates(left, right, h, euclidean, 4.0, nearest)
    M = large.one_to_one(near, OneToOne())
    i, j = M.nonzero()
    assert set(M.data) == {1.0} and len(set(i)) == len(set(j)) == len(i)
    assert torch.equal(left.batch[i], right.batch[j])
    of_pairs = torch.bincount(left.batch[i], minlength=len(left))
    assert torch.equal(of_pairs, torch.minimum(left.sizes, right.sizes))
    M = large.matches(near, near.scores)
    for a, c, part in near.pairs(near.scores):
        (n1, n2), expected = part.shape, {*zip(*large.best_matches(part), strict=True)}
        assert {*zip(*M[a : a + n1, c : c + n2].nonzero(), strict=True)} == expected


def test_what_is_left_is_matched_in_order(from_networkx: Callable[..., Graphs]) -> None:
    one, two = (from_networkx([nx.empty_graph(2), nx.empty_graph(n)]) for n in (7, 5))
    h1 = torch.tensor([9.0, 8.0, *(3.0, 0.0, 6.0, 1.0, 5.0, 2.0, 4.0)]).unsqueeze(1)
    h2 = torch.tensor([1.0, 2.0, *(20.0, 0.0, 10.0, 40.0, 30.0)]).unsqueeze(1)
    near = find_candidates(one, two, (h1, h2), euclidean, nearest=1)
    made = csr_matrix((np.ones(2), ([0, 3], [1, 3])), shape=(9, 7))  # those of height zero
    rest = large.last_matches(near, made)
    pairs = {(float(h1[i]), float(h2[j])) for i, j in zip(*rest.nonzero(), strict=True)}
    assert (8.0, 1.0) in pairs, "one is left on both sides of the first pair"
    second = sorted(pairs - {(8.0, 1.0)})
    assert [b for _, b in second] == [10.0, 20.0, 30.0, 40.0] and second[0][0] > 0
    nothing = large.last_matches(near, made + rest)
    assert (nothing.nnz, nothing.shape) == (0, (9, 7))
