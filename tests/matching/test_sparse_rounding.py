"""Rounding on candidates: one to one, the best or close to it, and as many as there can be."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix
from sparse_tables import few_cells
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching import sparse_rounding
from smixup.matching.candidates import find_candidates
from smixup.matching.consensus import OneToOne
from smixup.matching.similarity import euclidean
from smixup.matching.sparse_rounding import (
    best_matches,
    greedy_matches,
    last_matches,
    matches,
    one_to_one,
)
from smixup.matching.tables import rows_of


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
    six_pairs: tuple[Graphs, Graphs, tuple[Tensor, Tensor]], monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right, h = six_pairs
    found = find_candidates(left, right, h, euclidean, 2.0, nearest=3)
    monkeypatch.setattr(sparse_rounding, "EXACT", 6)
    M = matches(found, found.scores)
    for g, (a, c, part) in enumerate(found.pairs(found.scores)):
        by = greedy_matches if min(left.sizes[g], right.sizes[g]) > 6 else best_matches
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
    six_pairs: tuple[Graphs, Graphs, tuple[Tensor, Tensor]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_rounding, "EXACT", exactly)
    monkeypatch.setattr(sparse_rounding, "SECOND_CHOICES", second)
    left, right, h = six_pairs
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
