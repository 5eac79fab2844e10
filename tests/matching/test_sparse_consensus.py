"""Consensus on candidates: with all cells it is the dense one; with few it keeps its promises."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix
from sparse_tables import few_cells
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
    neighbours_agree,
    partial_sinkhorn,
    proposals,
)
from smixup.matching.tables import rows_of, with_data

ALL = 10**6


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
    name: str, six_pairs: tuple[Graphs, Graphs, tuple[Tensor, Tensor]]
) -> None:
    left, right, h = six_pairs
    found = find_candidates(left, right, h, SIMILARITIES[name], 2.0, ALL)
    assert found.scores.nnz == int((left.sizes * right.sizes).sum())
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
    six_pairs: tuple[Graphs, Graphs, tuple[Tensor, Tensor]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_consensus, "NEGLIGIBLE", 0.0)
    left, right, h = six_pairs
    found = find_candidates(left, right, h, euclidean, 2.0, ALL)
    M = how.on_candidates(found)
    for rows, columns, scores, block in blocks_of(found, left, right):
        close(M, rows, columns, how(scores, block))


@pytest.mark.parametrize("how", [OneToOne(), Consensus(rounds=3)], ids=str)
def test_with_all_cells_the_scores_after_all_rounds_are_the_dense_ones(
    how: Consensus,
    six_pairs: tuple[Graphs, Graphs, tuple[Tensor, Tensor]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_consensus, "NEGLIGIBLE", 0.0)
    left, right, h = six_pairs
    found = find_candidates(left, right, h, euclidean, 2.0, ALL)
    _, S = agreed(found, how)
    for rows, columns, scores, block in blocks_of(found, left, right):
        close(S, rows, columns, how.agreed(scores, block))


def test_small_shares_make_little_difference(
    six_pairs: tuple[Graphs, Graphs, tuple[Tensor, Tensor]],
) -> None:
    left, right, h = six_pairs
    found, how = find_candidates(left, right, h, euclidean, 2.0, ALL), Consensus()
    M = how.on_candidates(found)
    for rows, columns, scores, block in blocks_of(found, left, right):
        near = how(scores, block)[0] - dense(M)[rows, columns]
        assert near.abs().max() < 0.05


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


@pytest.mark.parametrize("how", [OneToOne(), Consensus(), Columns()], ids=str)
def test_a_pair_does_not_feel_its_company(
    how: Normalization, six_pairs: tuple[Graphs, Graphs, tuple[Tensor, Tensor]]
) -> None:
    left, right, h = six_pairs
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
