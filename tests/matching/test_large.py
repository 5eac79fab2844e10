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
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import to_pyg
from smixup.matching import GraphMatcher, SiameseMatcher, large, network
from smixup.matching.assign import NORMALIZATIONS, Normalization, OneToOne
from smixup.matching.large import Candidates, are_large
from smixup.matching.learned import LearnedMatcher
from smixup.matching.network import SIMILARITIES, euclidean
from smixup.matching.pairs import Pairs

close = torch.testing.assert_close
ALL = 10**6
SixPairs = tuple[Graphs, Graphs, tuple[Tensor, Tensor]]
FromNetworkx = Callable[..., Graphs]
KINDS: dict[str, type[LearnedMatcher]] = {"graph": GraphMatcher, "siamese": SiameseMatcher}


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


WAYS = [*map(NORMALIZATIONS.of, NORMALIZATIONS.classes), OneToOne(rounds=4)]
WAYS += [OneToOne(rounds=0), OneToOne(rounds=3, noise=0.0, bin=-1.0)]


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
        if isinstance(how, OneToOne):
            S = torch.from_numpy(large.agreed(near, how)[1].toarray())
            close(S, how.agreed(scores, block)[0], atol=1e-6, rtol=1e-6)


def test_neighbours_of_a_true_match_are_proposed(from_networkx: FromNetworkx) -> None:
    path, h = from_networkx([nx.path_graph(60)]), torch.zeros(60, 1)
    h[0], h[-1] = 5.0, -5.0  # ends are known; nodes between look alike, and are found from there
    near = Candidates.of(path, path, (h, h), euclidean, 4.0, nearest=3)
    wider, _ = large.agreed(near, OneToOne(rounds=30, noise=0.0))
    old, new = (set(zip(*by.scores.nonzero(), strict=True)) for by in (near, wider))
    truth = {(i, i) for i in range(60)}
    assert old < new and len(new & truth) > len(old & truth) + 8


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
    else:
        assert max(dense.sum(0).max(), dense.sum(1).max()) == 1
        assert set(dense.unique().tolist()) == {0.0, 1.0}
        assert int(dense.sum()) == int(torch.minimum(left.sizes, right.sizes).sum())
    alone = [matcher(left[[g]], right[[g]]).to_dense() for g in range(len(left))]
    close(dense, torch.block_diag(*alone), atol=1e-4, rtol=0)
    prepared, places = matcher.prepare(Graphs.cat([left, right])), torch.arange(len(left))
    assigned = matcher.assign(prepared, places, places + len(left)).to_dense()
    close(assigned, dense, atol=1e-4, rtol=0)


@pytest.mark.usefixtures("few_tables")
def test_training_on_large_graphs(make_graphs: Callable[..., Graphs]) -> None:
    train = make_graphs([30, 41, 22, 35])
    matcher = GraphMatcher(num_layers=1, hidden_channels=4, max_steps=1).fit(train)
    matched = matcher.match(to_pyg(train[[0, 1]]), to_pyg(train[[2, 3]]))
    assert [(tuple(M.shape), int(M.sum())) for M in matched] == [((30, 22), 22), ((41, 35), 35)]
