"""Large pairs among small ones, and the learned matchers on them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix
from torch import Tensor
from torch_geometric.data import Data

from smixup.errors import SmixupError
from smixup.graphs import BlockOperator, Graphs, Padding, SparseOperator
from smixup.graphs.pyg import to_pyg
from smixup.graphs.ragged import offsets
from smixup.matching import GraphMatcher, SiameseMatcher, attention, large_pairs, twins
from smixup.matching.assignment import top_k
from smixup.matching.base import Matcher
from smixup.matching.consensus import OneToOne
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.large_pairs import (
    Part,
    are_large,
    as_operator,
    in_runs,
    joined,
    with_few_entries,
)
from smixup.matching.learned import LearnedMatcher
from smixup.matching.normalization import Normalization
from smixup.matching.normalizations import NORMALIZATIONS

CELLS = 300
KINDS: dict[str, type[LearnedMatcher]] = {"graph": GraphMatcher, "siamese": SiameseMatcher}


@pytest.fixture
def few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of more than 17 nodes a side are large; so are attention and twins."""
    monkeypatch.setattr(large_pairs, "CELLS", CELLS)
    monkeypatch.setattr(attention, "TABLE", CELLS)
    monkeypatch.setattr(twins, "LARGE", 15)


@pytest.fixture
def sets(make_graphs: Callable[..., Graphs]) -> tuple[Graphs, Graphs]:
    """Six pairs, of which the second, the third and the last are large; the third has no edges."""
    left, right = make_graphs([10, 40, 33, 5, 1, 24], seed=1), make_graphs([12, 30, 38, 8, 1, 50])
    return left, right


def begun(kind: str, train: Graphs, **settings: object) -> LearnedMatcher:
    """A matcher that has learnt nothing: nodes that see the same look alike to it all the same."""
    given = {"num_layers": 2, "hidden_channels": 8, "random_walk": 4} | settings
    matcher = KINDS[kind](**given)  # type: ignore[arg-type]
    matcher._begin(train)
    return matcher


def asymmetric(n: int, seed: int = 0) -> nx.Graph:
    return nx.gnm_random_graph(n, 3 * n, seed=seed)


def edgeless(sizes: list[int]) -> Graphs:
    ptr, n, none = offsets(torch.tensor(sizes)), sum(sizes), torch.zeros(0, dtype=torch.long)
    adj = SparseOperator(torch.zeros(n + 1, dtype=torch.long), none, torch.zeros(0), n, True)
    return Graphs(torch.ones(n, 1), adj, torch.ones(len(sizes), 1), ptr)


def test_which_pairs_are_large(graphs: Graphs) -> None:
    """By the table of their cells, or by that of the edges of one of them."""
    left, right = edgeless([400, 300, 1024, 1025, 1]), edgeless([327, 437, 128, 1, 1030])
    assert are_large(left, right).tolist() == [False, True, False, True, True]
    with pytest.raises(ValueError, match="3 graphs on the left, 1 on the right"):
        are_large(graphs[[0, 1, 2]], graphs[[0]])


@pytest.mark.parametrize("normalization", ["one-to-one", "columns"])
def test_small_pairs_in_several_runs_equal_all_at_once(
    graphs: Graphs, normalization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = begun("siamese", graphs, normalization=normalization)
    left, right = graphs[[0, 1, 2, 3, 4]], graphs[[4, 3, 6, 1, 0]]
    at_once = matcher(left, right).to_dense()
    monkeypatch.setattr(large_pairs, "CELLS_AT_ONCE", 100)
    assert len(list(large_pairs.in_table_runs(left, right, torch.arange(5)))) > 1
    torch.testing.assert_close(matcher(left, right).to_dense(), at_once, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_has_two_sides(kind: str, graphs: Graphs) -> None:
    with pytest.raises(ValueError, match="3 graphs on the left, 2 on the right"):
        begun(kind, graphs)(graphs[[0, 1, 2]], graphs[[0, 1]])


def test_runs_hold_all_in_order_and_not_too_much(
    make_graphs: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_pairs, "NODES_AT_ONCE", 30)
    left, right = make_graphs([10, 1, 5, 40, 3, 6, 20]), make_graphs([5, 1, 5, 2, 3, 6, 9])
    runs = [run.tolist() for run in in_runs(left, right, torch.tensor([0, 2, 3, 4, 5, 6]))]
    assert runs == [[0, 2], [3], [4, 5], [6]]
    assert list(in_runs(left, right, torch.tensor([], dtype=torch.long))) == []


def test_parts_come_back_to_their_places(sets: tuple[Graphs, Graphs]) -> None:
    left, right = sets
    random = torch.Generator().manual_seed(0)
    whole = torch.zeros(left.num_nodes, right.num_nodes)
    parts = []
    for chosen in ([4, 1], [0, 2, 5], [3]):
        of = torch.tensor(chosen)
        M = torch.block_diag(
            *(torch.rand(int(left.sizes[g]), int(right.sizes[g]), generator=random) for g in chosen)
        )
        rows, columns = M.nonzero(as_tuple=True)
        parts.append(
            Part(of, SparseOperator.from_entries(rows, columns, M[rows, columns], M.shape))
        )
        first1, first2 = 0, 0
        for g in chosen:
            (a, b), (c, d) = left.ptr[g : g + 2].tolist(), right.ptr[g : g + 2].tolist()
            whole[a:b, c:d] = M[first1 : first1 + b - a, first2 : first2 + d - c]
            first1, first2 = first1 + b - a, first2 + d - c
    assert torch.equal(joined(parts, left, right).to_dense(), whole)


def test_tables_become_operators() -> None:
    table = np.array([[0.5, 0.0, 1e-12], [0.0, 0.0, 0.0], [1.0, 0.25, 1e-39]])
    cells = csr_matrix(
        (
            np.array([1e-12, 0.5, 1e-39, 0.25, 1.0]),
            np.array([2, 0, 2, 1, 0]),
            np.array([0, 2, 2, 5]),
        )
    )
    found = as_operator(cells, torch.zeros(0))
    torch.testing.assert_close(found.to_dense(), torch.from_numpy(table).float())
    assert len(found.weight) == 3, "without what would be slow to multiply by"
    assert found.row_ptr.dtype == found.column.dtype == torch.long
    assert found.column.tolist() == [0, 0, 1], "in order"


@pytest.mark.parametrize("k", [1, 2, 5, 100])
def test_few_entries_are_those_of_the_dense_form(k: int, sets: tuple[Graphs, Graphs]) -> None:
    left, right = sets
    random = torch.Generator().manual_seed(0)
    M = torch.rand(left.num_nodes, right.num_nodes, generator=random)
    M *= (left.batch.unsqueeze(1) == right.batch) & (torch.rand(M.shape, generator=random) < 0.5)
    rows, columns = M.nonzero(as_tuple=True)
    sparse = SparseOperator.from_entries(rows, columns, M[rows, columns], M.shape)
    every = [torch.arange(len(left))]
    blocks = BlockOperator.from_sparse(sparse, *(Padding.of(g.ptr, every) for g in (left, right)))
    torch.testing.assert_close(with_few_entries(sparse, k).to_dense(), top_k(blocks, k).to_dense())


@pytest.mark.usefixtures("few_cells")
@pytest.mark.parametrize("name", NORMALIZATIONS.classes)
@pytest.mark.parametrize("kind", KINDS)
def test_every_normalization_keeps_its_promise_on_large_pairs(
    kind: str, name: str, sets: tuple[Graphs, Graphs], within_pairs: Callable[..., Tensor]
) -> None:
    left, right = sets
    M = begun(kind, left, normalization=name)(left, right)
    assert M.shape == (left.num_nodes, right.num_nodes)
    dense = M.to_dense()
    assert dense.isfinite().all()
    assert (dense >= 0).all()
    assert not dense[~within_pairs(left, right)].any()
    if name in ("columns", "sinkhorn"):
        torch.testing.assert_close(dense.sum(0), torch.ones(right.num_nodes))
    elif name == "rows":
        torch.testing.assert_close(dense.sum(1), torch.ones(left.num_nodes))
    else:
        assert max(dense.sum(0).max(), dense.sum(1).max()) < 1 + 1e-3
        assert dense.sum() > 20
    if name == "one-to-one":
        assert set(dense.unique().tolist()) == {0.0, 1.0}
        assert int(dense.sum()) == int(torch.minimum(left.sizes, right.sizes).sum())


@pytest.mark.usefixtures("few_cells")
@pytest.mark.parametrize("similarity", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_nodes_of_a_shuffled_copy_are_found(
    kind: str, similarity: str, from_networkx: Callable[..., Graphs]
) -> None:
    graphs = from_networkx([asymmetric(70), asymmetric(90, 1)])
    copy, origin = shuffled_copy(graphs, torch.Generator().manual_seed(0))
    matcher = begun(kind, graphs, similarity=similarity, scale=30.0, random_walk=8)
    M = matcher(graphs, copy).to_sparse()
    found = (origin[M.column] == M.row).sum() / len(origin)
    assert found > 0.97


@pytest.mark.usefixtures("few_cells")
@pytest.mark.parametrize("normalization", ["one-to-one", "columns", "consensus"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_of_small_and_large_pairs_is_each_pair_alone(
    kind: str, normalization: str, sets: tuple[Graphs, Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    close = 5e-3 if normalization == "consensus" else 1e-4  # shares about a threshold count or not
    left, right = sets
    matcher = begun(kind, left, normalization=normalization)
    together = matcher(left, right).to_dense()
    alone = [matcher(left[[g]], right[[g]]).to_dense() for g in range(len(left))]
    expected = torch.block_diag(*alone)
    torch.testing.assert_close(together, expected, atol=close, rtol=0)
    assert torch.equal(matcher(left, right).to_dense(), together), "and the same again"
    prepared = matcher.prepare(Graphs.cat([left, right]))
    places = torch.arange(len(left))
    assigned = matcher.assign(prepared, places, places + len(left)).to_dense()
    torch.testing.assert_close(assigned, expected, atol=close, rtol=0)
    monkeypatch.setattr(large_pairs, "NODES_AT_ONCE", 1)
    torch.testing.assert_close(matcher(left, right).to_dense(), expected, atol=close, rtol=0)


@pytest.mark.parametrize("normalization", ["columns", "rows", "sinkhorn", "consensus"])
def test_pairs_of_few_nodes_are_matched_as_by_tables(
    normalization: str, sets: tuple[Graphs, Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to 24 nodes on a side, all cells are candidates."""
    left, right = (side[[0, 3, 4]] for side in sets)
    matcher = begun("graph", left, normalization=normalization)
    expected = matcher(left, right).to_dense()
    monkeypatch.setattr(large_pairs, "CELLS", 0)
    torch.testing.assert_close(matcher(left, right).to_dense(), expected, atol=2e-3, rtol=0)


@pytest.mark.usefixtures("few_cells")
@pytest.mark.parametrize("k", [1, 3, 35])
def test_top_k_is_kept(k: int, sets: tuple[Graphs, Graphs]) -> None:
    left, right = sets
    M = begun("graph", left, normalization="columns", top_k=k)(left, right).to_dense()
    entries = (M > 0).sum(0)
    assert (entries <= k).all()
    torch.testing.assert_close(M.sum(0), torch.ones(right.num_nodes))
    if k == 35:
        assert entries.max() > 24, "more are looked for if more are wished"


@pytest.mark.usefixtures("few_cells")
@pytest.mark.parametrize("kind", KINDS)
def test_a_matcher_learns_from_large_graphs_and_is_asked_by_pyg(
    kind: str, make_graphs: Callable[..., Graphs]
) -> None:
    train = make_graphs([30, 41, 22, 35])
    matcher = KINDS[kind](num_layers=1, hidden_channels=4, max_steps=2, batch_size=4)
    matcher.fit(train)
    first, second = to_pyg(train[[0, 1]]), to_pyg(train[[2, 3]])
    matched = matcher.match(first, second)
    assert [tuple(M.shape) for M in matched] == [(30, 22), (41, 35)]
    assert [int(M.sum()) for M in matched] == [22, 35]


def test_a_perplexity_is_found_on_small_pairs(
    make_graphs: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_pairs, "CELLS", CELLS)
    settings: dict[str, object] = {"num_layers": 1, "hidden_channels": 4, "max_steps": 1}
    settings |= {"normalization": "columns", "perplexity": 3.0, "triplets": False}
    seen = []

    def watched(self: Matcher, left: Graphs, right: Graphs) -> object:
        seen.append(are_large(left, right))
        return scores(self, left, right)

    scores = SiameseMatcher.scores
    monkeypatch.setattr(SiameseMatcher, "scores", watched)
    matcher = SiameseMatcher(**settings).fit(make_graphs([30, 12, 9, 40, 14]))  # type: ignore[arg-type]
    assert matcher.calibrated_temperature is not None
    assert seen
    assert not torch.cat(seen).any()
    with pytest.raises(SmixupError, match=r"too large for it: leave perplexity out"):
        SiameseMatcher(**settings).fit(make_graphs([30, 40, 50]))  # type: ignore[arg-type]


@pytest.mark.usefixtures("few_cells")
def test_a_way_without_candidates_says_so(sets: tuple[Graphs, Graphs]) -> None:
    class Own(OneToOne):
        on_candidates = Normalization.on_candidates

    left, right = sets
    with pytest.raises(SmixupError, match="Own has no form for pairs as large as these"):
        begun("graph", left, normalization=Own())(left, right)


@pytest.mark.usefixtures("few_cells")
@pytest.mark.parametrize("normalization", ["one-to-one", "columns", "consensus"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_device_is_as_good_as_another(
    kind: str, normalization: str, sets: tuple[Graphs, Graphs], device: torch.device
) -> None:
    left, right = sets
    expected = begun(kind, left, normalization=normalization)(left, right).to_dense()
    there = left.to(device), right.to(device)
    M = begun(kind, there[0], normalization=normalization)(*there)
    assert M.device == device
    torch.testing.assert_close(M.to_dense(), expected.to(device), atol=1e-4, rtol=1e-4)


def path_of(nodes: int) -> Data:
    ahead = torch.stack([torch.arange(nodes - 1), torch.arange(1, nodes)])
    return Data(
        edge_index=torch.cat([ahead, ahead.flip(0)], 1), x=torch.ones(nodes, 1), y=nodes % 2
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of the process")
def test_a_graph_of_many_nodes_takes_no_table_of_its_pairs() -> None:
    """A table of 12,000 x 12,000 numbers has 576 MB, and encodings once took several."""
    import resource

    small, large = path_of(20), path_of(12_000)
    matcher = GraphMatcher(max_steps=1, evaluate_every=1, num_layers=2, hidden_channels=16)
    matcher.fit([path_of(nodes) for nodes in range(5, 15)])
    status = Path("/proc/self/status").read_text().splitlines()
    line = next(each for each in status if each.startswith("VmData"))
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (int(line.split()[1]) * 1024 + 500 * 2**20, before[1]))
    try:
        for left, right in ((small, large), (large, small)):
            index, weight = matcher.matches(left, right)
            assert weight.isfinite().all()
            assert index[0].max() < left.num_nodes and index[1].max() < right.num_nodes
            assert len(weight) >= min(left.num_nodes, right.num_nodes)
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
