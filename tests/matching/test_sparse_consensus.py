"""Consensus on candidates: with all cells it is the dense one; with few it keeps its promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.matching import consensus, sparse_consensus
from smixup.matching.candidates import Candidates, find_candidates
from smixup.matching.consensus import Consensus, OneToOne
from smixup.matching.normalization import Columns, Normalization, Rows, Sinkhorn
from smixup.matching.pairs import PairBlock, Pairs
from smixup.matching.similarity import SIMILARITIES, euclidean
from smixup.matching.sparse_consensus import (
    agreed,
    best_matches,
    greedy_matches,
    last_matches,
    matches,
    neighbours_agree,
    one_to_one,
    partial_sinkhorn,
    proposals,
)
from smixup.matching.tables import rows_of, with_data

ALL = 10**6
LEFT, RIGHT = [9, 1, 6, 12, 1, 8], [7, 5, 1, 12, 1, 10]  # every third one has no edges


def exact(batch: Graphs) -> Graphs:
    adj = batch.adj.to_sparse()
    return batch.replace(x=batch.x.double(), adj=replace(adj, weight=adj.weight.double()))


def directed(batch: Graphs) -> Graphs:
    """The edges of which one direction is gone, of two out of three."""
    adj = batch.adj.to_sparse()
    kept = (adj.row < adj.column) | ((adj.row + adj.column) % 3 == 0)
    part = replace(adj.mask_entries(kept), symmetric=False)
    return batch.replace(adj=part)


@pytest.fixture(params=["undirected", "directed"])
def sides(
    request: pytest.FixtureRequest, make_graphs: Callable[..., Graphs]
) -> tuple[Graphs, Graphs, tuple[Tensor, Tensor]]:
    left, right = (exact(make_graphs(sizes, seed=len(sizes))) for sizes in (LEFT, RIGHT))
    if request.param == "directed":
        left, right = directed(left), directed(right)
    return left, right, (left.x, right.x)


def dense(scores: csr_matrix) -> Tensor:
    return torch.from_numpy(scores.toarray())


def blocks_of(
    found: Candidates, left: Graphs, right: Graphs
) -> list[tuple[slice, slice, Tensor, PairBlock]]:
    """The rows, the columns, the scores and the block of every pair, all cells of which are
    candidates.
    """
    parts = []
    for g in range(len(left)):
        (block,) = Pairs.of(left[[g]], right[[g]]).blocks()
        rows = slice(int(left.ptr[g]), int(left.ptr[g + 1]))
        columns = slice(int(right.ptr[g]), int(right.ptr[g + 1]))
        parts.append((rows, columns, dense(found.scores)[rows, columns].unsqueeze(0), block))
    return parts


def close(found: csr_matrix, rows: slice, columns: slice, expected: Tensor) -> None:
    torch.testing.assert_close(dense(found)[rows, columns], expected[0], atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_the_scores_are_those_of_all_cells(
    name: str, sides: tuple[Graphs, Graphs, tuple[Tensor, Tensor]]
) -> None:
    left, right, h = sides
    found = find_candidates(left, right, h, SIMILARITIES[name], 2.0, ALL)
    assert found.scores.nnz == sum(n1 * n2 for n1, n2 in zip(LEFT, RIGHT, strict=True))
    for g, (rows, columns, scores, _) in enumerate(blocks_of(found, left, right)):
        table = 2 * SIMILARITIES[name](h[0][rows][None], h[1][columns][None])
        torch.testing.assert_close(scores, table, msg=f"pair {g}")


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
    how: Normalization,
    sides: tuple[Graphs, Graphs, tuple[Tensor, Tensor]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_consensus, "NEGLIGIBLE", 0.0)
    left, right, h = sides
    found = find_candidates(left, right, h, euclidean, 2.0, ALL)
    M = how.on_candidates(found)
    for rows, columns, scores, block in blocks_of(found, left, right):
        close(M, rows, columns, how(scores, block))


@pytest.mark.parametrize("how", [OneToOne(), Consensus(rounds=3)], ids=str)
def test_with_all_cells_the_scores_after_all_rounds_are_the_dense_ones(
    how: Consensus,
    sides: tuple[Graphs, Graphs, tuple[Tensor, Tensor]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_consensus, "NEGLIGIBLE", 0.0)
    left, right, h = sides
    found = find_candidates(left, right, h, euclidean, 2.0, ALL)
    _, S = agreed(found, how)
    for rows, columns, scores, block in blocks_of(found, left, right):
        close(S, rows, columns, how.agreed(scores, block))


def test_small_shares_make_little_difference(
    sides: tuple[Graphs, Graphs, tuple[Tensor, Tensor]],
) -> None:
    left, right, h = sides
    found, how = find_candidates(left, right, h, euclidean, 2.0, ALL), Consensus()
    M = how.on_candidates(found)
    for rows, columns, scores, block in blocks_of(found, left, right):
        near = how(scores, block)[0] - dense(M)[rows, columns]
        assert near.abs().max() < 0.05


def few_cells(n1: int, n2: int, share: float, seed: int, low: float = -3.0) -> csr_matrix:
    random = np.random.default_rng(seed)
    row, column = (random.random((n1, n2)) < share).nonzero()
    return csr_matrix((random.uniform(low, 3, len(row)), (row, column)), shape=(n1, n2))


def test_the_partial_sinkhorn_of_some_cells() -> None:
    """Cells that are no candidates have a share of zero."""
    S = few_cells(8, 11, 0.4, 0)
    table = torch.full((1, 8, 11), -1e9, dtype=torch.double)
    table[0, rows_of(S), S.indices] = torch.from_numpy(S.data)
    expected = consensus.partial_sinkhorn(table, -2.0, 6)[0]
    torch.testing.assert_close(dense(partial_sinkhorn(S, -2.0, 6)), expected)
    empty = partial_sinkhorn(few_cells(3, 4, 0.0, 0), -4.0, 2)
    assert empty.shape == (3, 4)
    assert empty.nnz == 0


def test_scores_of_any_size_stay_numbers() -> None:
    for size in (1e3, 1e5):
        S = few_cells(8, 11, 0.3, 1)
        for scores in (size * S.data, -size * np.abs(S.data)):
            M = partial_sinkhorn(with_data(S, scores), -4.0, 8)
            assert np.isfinite(M.data).all()
            assert M.max() <= 1 + 1e-9


def test_not_too_many_cells_are_looked_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_consensus, "LOOKUPS_AT_ONCE", 20)
    sums_of, seen = sparse_consensus._sums_of, []

    def watched(sums: csr_matrix, rows: np.ndarray, columns: np.ndarray, A: csr_matrix) -> object:
        seen.append(int(np.diff(A.indptr)[columns].sum()))
        return sums_of(sums, rows, columns, A)

    monkeypatch.setattr(sparse_consensus, "_sums_of", watched)
    A, cells = few_cells(9, 9, 0.4, 0), few_cells(9, 9, 0.6, 1)
    neighbours_agree(A, A, few_cells(9, 9, 0.5, 2), cells)
    assert len(seen) > 5
    assert max(seen) <= 20 + 9


@pytest.mark.parametrize("at_once", [1, 10, 10**6])
@pytest.mark.parametrize("shares", [(0.1, 0.5), (0.5, 0.1), (0.0, 0.3), (0.0, 0.0)])
def test_neighbours_against_the_dense_product(
    shares: tuple[float, float], at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the side on which there are fewer, whichever it is; of any cells, some rows empty."""
    monkeypatch.setattr(sparse_consensus, "LOOKUPS_AT_ONCE", at_once)
    A1, A2 = few_cells(15, 15, shares[0], 1), few_cells(9, 9, shares[1], 2)
    M, cells = few_cells(15, 9, 0.5, 3, low=0.01), few_cells(15, 9, 0.3, 4)
    expected = (A1 @ M @ A2.T).toarray()[rows_of(cells), cells.indices]
    np.testing.assert_allclose(neighbours_agree(A1, A2, M, cells), expected, atol=1e-12)
    nothing = few_cells(15, 9, 0.0, 0)
    assert neighbours_agree(A1, A2, M, nothing).shape == (0,)
    assert not neighbours_agree(A1, A2, nothing, cells).any()


@pytest.mark.parametrize("rows_at_once", [2, 10**6])
def test_neighbours_of_a_true_match_are_proposed(
    rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sparse_consensus, "ROWS_AT_ONCE", rows_at_once)
    ring = csr_matrix(nx.to_numpy_array(nx.cycle_graph(7)))
    turned = np.arange(7)[::-1]
    M = csr_matrix((np.ones(1), ([3], [turned[3]])), shape=(7, 7))
    found = proposals(ring, M, ring[turned][:, turned]).toarray()
    assert {tuple(cell) for cell in np.argwhere(found)} == {
        (i, j) for i in (2, 4) for j in (turned[2], turned[4])
    }
    unlikely = with_data(M, np.array([0.04]))
    assert proposals(ring, unlikely, ring).nnz == 0
    assert proposals(ring, csr_matrix((7, 7)), ring).shape == (7, 7)


def test_of_many_proposals_those_on_which_most_neighbours_agree() -> None:
    random = np.random.default_rng(0)
    A1, A2 = ((random.random((n, n)) < 0.4).astype(float) for n in (12, 9))
    M = random.random((12, 9)) * 0.3
    found = proposals(*(csr_matrix(each) for each in (A1, M, A2))).toarray()
    whole = A1 @ np.where(M > 0.05, M, 0.0) @ A2.T
    kept = np.array([np.sort(row)[-4] for row in whole])
    expected = np.where((whole >= kept[:, None]) & (whole > 0.1), whole, 0.0)
    np.testing.assert_allclose(found, expected)


def test_neighbours_widen_the_candidates(from_networkx: Callable[..., Graphs]) -> None:
    """Ends of two paths are known; the nodes between look alike, and are found from there."""
    path = from_networkx([nx.path_graph(60)])
    h = torch.zeros(60, 1)
    h[0], h[-1] = 5.0, -5.0
    found = find_candidates(path, path, (h, h), euclidean, 4.0, nearest=3)
    wider, _ = agreed(found, OneToOne(rounds=30, noise=0.0))
    truth = np.arange(60), np.arange(60)
    before = np.asarray(with_data(found.scores, np.ones(found.scores.nnz))[truth]).sum()
    after = np.asarray(with_data(wider.scores, np.ones(wider.scores.nnz))[truth]).sum()
    assert after > before + 8
    old, new = (set(zip(*each.scores.nonzero(), strict=True)) for each in (found, wider))
    assert old < new, "none is lost"


def sum_at(S: csr_matrix, cells: tuple[np.ndarray, np.ndarray]) -> float:
    return float(np.asarray(S[cells]).sum())


def is_one_to_one(cells: tuple[np.ndarray, np.ndarray]) -> bool:
    return all(len(set(each)) == len(each) for each in cells)


@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (9, 4), (1, 5), (5, 1)])
def test_best_matches_of_full_tables_are_the_hungarian_method_s(shape: tuple[int, int]) -> None:
    for seed in range(10):
        S = few_cells(*shape, 1.1, seed)
        rows, columns = best_matches(S)
        expected = linear_sum_assignment(S.toarray(), maximize=True)
        assert np.array_equal(columns[np.argsort(rows)], expected[1])


@pytest.mark.parametrize("match", [best_matches, greedy_matches])
@pytest.mark.parametrize("shape", [(12, 12), (7, 16), (16, 7)])
def test_matches_of_few_cells_against_networkx(
    shape: tuple[int, int], match: Callable[..., tuple[np.ndarray, np.ndarray]]
) -> None:
    for seed in range(12):
        S = few_cells(*shape, 0.15, seed, low=-3.0 if match is best_matches else 0.1)
        found = match(S)
        cells = set(zip(rows_of(S), S.indices, strict=True))
        assert set(zip(*found, strict=True)) <= cells
        assert is_one_to_one(found)
        graph = nx.Graph()
        weights = zip(rows_of(S), S.indices, S.data, strict=True)
        graph.add_weighted_edges_from((int(i), int(j) + 100, w) for i, j, w in weights)
        best = nx.max_weight_matching(graph, maxcardinality=match is best_matches)
        total = sum(graph.edges[edge]["weight"] for edge in best)
        if match is best_matches:
            assert len(found[0]) == len(best), "as many as can be"
            assert sum_at(S, found) == pytest.approx(total)
        else:
            assert sum_at(S, found) >= total / 2 - 1e-9
            left = (i not in found[0] and j not in found[1] for i, j in cells)
            assert not any(left), "until nothing is left"


@pytest.mark.parametrize("match", [best_matches, greedy_matches])
def test_no_cells_no_matches(match: Callable[..., tuple[np.ndarray, np.ndarray]]) -> None:
    rows, columns = match(few_cells(4, 3, 0.0, 0))
    assert len(rows) == len(columns) == 0
    assert rows.dtype.kind == columns.dtype.kind == "i"


def test_greedy_takes_what_is_best_for_both() -> None:
    S = csr_matrix(np.array([[5.0, 4.0, 0.5], [4.5, 1.0, 0.5], [0.2, 3.0, 0.1]]))
    found = set(zip(*(each.tolist() for each in greedy_matches(S)), strict=True))
    assert found == {(0, 0), (2, 1), (1, 2)}


def test_large_pairs_are_rounded_greedily(
    sides: tuple[Graphs, Graphs, tuple[Tensor, Tensor]], monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right, h = sides
    found = find_candidates(left, right, h, euclidean, 2.0, nearest=3)
    monkeypatch.setattr(sparse_consensus, "EXACT", 6)
    M = matches(found, found.scores)
    for g, (a, c, part) in enumerate(found.pairs(found.scores)):
        by = greedy_matches if min(LEFT[g], RIGHT[g]) > 6 else best_matches
        expected = set(zip(*by(part), strict=True))
        n1, n2 = part.shape
        assert set(zip(*M[a : a + n1, c : c + n2].nonzero(), strict=True)) == expected


@pytest.mark.parametrize("second", [0, 3])
@pytest.mark.parametrize("exactly", [0, 10**6])
@pytest.mark.parametrize("nearest", [1, 24])
def test_as_many_are_matched_as_the_smaller_graph_has(
    nearest: int,
    exactly: int,
    second: int,
    sides: tuple[Graphs, Graphs, tuple[Tensor, Tensor]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_consensus, "EXACT", exactly)
    monkeypatch.setattr(sparse_consensus, "SECOND_CHOICES", second)
    left, right, h = sides
    M = one_to_one(find_candidates(left, right, h, euclidean, 4.0, nearest), OneToOne())
    assert set(M.data) == {1.0}
    i, j = M.nonzero()
    assert is_one_to_one((i, j))
    assert torch.equal(left.batch[i], right.batch[j])
    of_pairs = torch.bincount(left.batch[i], minlength=len(left))
    assert torch.equal(of_pairs, torch.minimum(left.sizes, right.sizes))


def test_what_is_left_is_matched_in_order(from_networkx: Callable[..., Graphs]) -> None:
    one, two = (
        from_networkx([nx.empty_graph(2), nx.empty_graph(7)]),
        from_networkx([nx.empty_graph(2), nx.empty_graph(5)]),
    )
    h1 = torch.tensor([9.0, 8.0, *(3.0, 0.0, 6.0, 1.0, 5.0, 2.0, 4.0)]).unsqueeze(1)
    h2 = torch.tensor([1.0, 2.0, *(20.0, 0.0, 10.0, 40.0, 30.0)]).unsqueeze(1)
    found = find_candidates(one, two, (h1, h2), euclidean, nearest=1)
    made = csr_matrix((np.ones(2), ([0, 3], [1, 3])), shape=(9, 7))  # those of height zero
    rest = last_matches(found, made)
    pairs = {(float(h1[i]), float(h2[j])) for i, j in zip(*rest.nonzero(), strict=True)}
    assert (8.0, 1.0) in pairs, "one is left on both sides of the first pair"
    second = sorted(pairs - {(8.0, 1.0)})
    assert len(second) == 4
    assert [b for _, b in second] == [10.0, 20.0, 30.0, 40.0]
    assert all(a > 0 for a, _ in second)
    nothing = last_matches(found, made + rest)
    assert nothing.nnz == 0
    assert nothing.shape == (9, 7)


@pytest.mark.parametrize("how", [OneToOne(), Consensus(), Columns()], ids=str)
def test_a_pair_does_not_feel_its_company(
    how: Normalization, sides: tuple[Graphs, Graphs, tuple[Tensor, Tensor]]
) -> None:
    left, right, h = sides
    M = how.on_candidates(find_candidates(left, right, h, euclidean, 4.0, nearest=2)).toarray()
    total = 0.0
    for g in range(len(left)):
        own = h[0][left.batch == g], h[1][right.batch == g]
        found = find_candidates(left[[g]], right[[g]], own, euclidean, 4.0, nearest=2)
        a, c = int(left.ptr[g]), int(right.ptr[g])
        alone = how.on_candidates(found).toarray()
        mine = M[a : a + alone.shape[0], c : c + alone.shape[1]]
        np.testing.assert_allclose(mine, alone, atol=1e-9)
        total += alone.sum()
    assert M.sum() == pytest.approx(total), "nothing between pairs"


def test_ties_of_a_hub_s_leaves_are_broken_alike(from_networkx: Callable[..., Graphs]) -> None:
    """Of graphs in which all leaves look alike, most edges arrive nevertheless."""
    hubs = nx.disjoint_union_all([nx.star_graph(n) for n in (70, 40, 25, 12)])
    graph = from_networkx([hubs])
    order = torch.randperm(len(hubs), generator=torch.Generator().manual_seed(0))
    copy = graph.replace(adj=graph.adj.to_sparse().scatter(order, len(hubs)))
    h = tuple(torch.log1p(side.adj.row_sums()).unsqueeze(1) for side in (graph, copy))
    M = one_to_one(find_candidates(graph, copy, h, euclidean, 8.0), OneToOne())
    A, B = (csr_matrix(side.adj.to_dense().numpy()) for side in (graph, copy))
    kept = A.multiply(M @ B @ M.T).sum() / A.sum()
    assert M.sum() == len(hubs)
    assert kept > 0.8


def test_entries_that_stand_twice_count_as_their_sum() -> None:
    """A mix may hold two entries at one place; lookups find one."""
    adj = SparseOperator.from_edges(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), torch.ones(4), 3)
    twice = adj.add_unmerged(adj)
    graphs = (
        Graphs(torch.ones(3, 1), each, torch.ones(1, 1), torch.tensor([0, 3]))
        for each in (twice, adj)
    )
    one, two = graphs
    h = torch.tensor([[1.0], [2.0], [3.0]])
    found = find_candidates(one, two, (h, h), euclidean)
    assert np.array_equal(found.left.adj.toarray(), 2 * found.right.adj.toarray())
    assert found.left.few_edges.max() == 1
