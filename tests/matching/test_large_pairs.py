"""Large pairs among small ones: learned matchers on them, and parts that are taught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import csr_matrix

from smixup.errors import SmixupError
from smixup.graphs import BlockOperator, Graphs, Padding, SparseOperator
from smixup.graphs.pyg import to_pyg
from smixup.matching import GraphMatcher, SiameseMatcher, fitting, large, network
from smixup.matching.assign import NORMALIZATIONS, Normalization, OneToOne, top_k
from smixup.matching.large import are_large, as_operator, in_runs, joined
from smixup.matching.learned import LearnedMatcher
from smixup.progress import silent

close = torch.testing.assert_close
KINDS: dict[str, type[LearnedMatcher]] = {"graph": GraphMatcher, "siamese": SiameseMatcher}


@pytest.fixture
def few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_which_pairs_are_large_and_come_in_which_runs(
    make_graphs: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the table of their cells, or by that of the edges of one of them."""
    nobody = torch.zeros(0, dtype=torch.long)

    def edgeless(sizes: list[int]) -> Graphs:
        ptr, n = torch.tensor([0, *sizes]).cumsum(0), sum(sizes)
        adj = SparseOperator(torch.zeros(n + 1, dtype=torch.long), nobody, torch.zeros(0), n, True)
        return Graphs(torch.ones(n, 1), adj, torch.ones(len(sizes), 1), ptr)

    left, right = edgeless([400, 300, 1024, 1025, 1]), edgeless([327, 437, 128, 1, 1030])
    assert are_large(left, right).tolist() == [False, True, False, True, True]
    monkeypatch.setattr(large, "NODES_AT_ONCE", 30)
    left, right = make_graphs([10, 1, 5, 40, 3, 6, 20]), make_graphs([5, 1, 5, 2, 3, 6, 9])
    runs = [run.tolist() for run in in_runs(left, right, torch.tensor([0, 2, 3, 4, 5, 6]))]
    assert runs == [[0, 2], [3], [4, 5], [6]]
    assert list(in_runs(left, right, nobody)) == []


def test_parts_tables_and_few_entries(sets: tuple[Graphs, Graphs]) -> None:
    left, right = sets
    random = torch.Generator().manual_seed(0)
    M = torch.rand(left.num_nodes, right.num_nodes, generator=random)
    M *= (left.batch.unsqueeze(1) == right.batch) & (torch.rand(M.shape, generator=random) < 0.5)
    parts = []
    for chosen in ([4, 1], [0, 2, 5], [3]):
        ends = [[slice(*side.ptr[g : g + 2].tolist()) for side in sets] for g in chosen]
        part = torch.block_diag(*(M[rows, columns] for rows, columns in ends))
        i, j = part.nonzero(as_tuple=True)
        entries = SparseOperator.from_entries(i, j, part[i, j], tuple(part.shape))
        parts.append((torch.tensor(chosen), entries))
    whole = joined(parts, left, right)
    assert torch.equal(whole.to_dense(), M)
    every = [torch.arange(len(left))]
    blocks = BlockOperator.from_sparse(whole, *(Padding.of(g.ptr, every) for g in sets))
    for k in (1, 2, 5, 100):
        few = large.with_few_entries(whole, k)
        close(few.to_dense(), top_k(blocks, k).to_dense())
    data = np.array([1e-12, 0.5, 1e-39, 0.25, 1.0])
    cells = csr_matrix((data, np.array([2, 0, 2, 1, 0]), np.array([0, 2, 2, 5])))
    operator = as_operator(cells, torch.zeros(0))
    close(operator.to_dense(), torch.tensor([[0.5, 0, 0], [0, 0, 0], [1, 0.25, 0]]))
    assert operator.column.tolist() == [0, 0, 1], "in order, without what is slow to multiply by"


@pytest.mark.usefixtures("few_cells")
@pytest.mark.parametrize("name", NORMALIZATIONS.classes)
@pytest.mark.parametrize("kind", KINDS)
def test_every_normalization_keeps_its_promise_in_any_company(
    kind: str, name: str, sets: tuple[Graphs, Graphs], monkeypatch: pytest.MonkeyPatch
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
    tolerance = 5e-3 if name == "consensus" else 1e-4  # shares about a threshold count or not
    alone = [matcher(left[[g]], right[[g]]).to_dense() for g in range(len(left))]
    close(dense, torch.block_diag(*alone), atol=tolerance, rtol=0)
    prepared, places = matcher.prepare(Graphs.cat([left, right])), torch.arange(len(left))
    assigned = matcher.assign(prepared, places, places + len(left)).to_dense()
    close(assigned, dense, atol=tolerance, rtol=0)
    monkeypatch.setattr(large, "NODES_AT_ONCE", 1)
    monkeypatch.setattr(large, "CELLS_AT_ONCE", 100)
    close(matcher(left, right).to_dense(), dense, atol=tolerance, rtol=0)


@pytest.mark.parametrize("normalization", ["columns", "rows", "sinkhorn", "consensus"])
def test_pairs_of_few_nodes_are_matched_as_by_tables(
    normalization: str, sets: tuple[Graphs, Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to 24 nodes on a side, all cells are candidates."""
    left, right = (side[[0, 3, 4]] for side in sets)
    matcher = begun("graph", left, normalization=normalization)
    expected = matcher(left, right).to_dense()
    monkeypatch.setattr(large, "CELLS", 0)
    close(matcher(left, right).to_dense(), expected, atol=5e-3, rtol=0)


@pytest.mark.usefixtures("few_cells")
def test_top_k_and_training_on_large_graphs(
    sets: tuple[Graphs, Graphs], make_graphs: Callable[..., Graphs]
) -> None:
    left, right = sets
    for k in (1, 3, 35):
        M = begun("graph", left, normalization="columns", top_k=k)(left, right).to_dense()
        assert ((M > 0).sum(0) <= k).all()
        close(M.sum(0), torch.ones(right.num_nodes))
    assert (M > 0).sum(0).max() > 24, "more are looked for if more are wished"
    small: dict[str, Any] = {"num_layers": 1, "hidden_channels": 4, "max_steps": 1}
    matcher = GraphMatcher(**small).fit(make_graphs([30, 41, 22, 35]))
    train = make_graphs([30, 41, 22, 35])
    matched = matcher.match(to_pyg(train[[0, 1]]), to_pyg(train[[2, 3]]))
    assert [(tuple(M.shape), int(M.sum())) for M in matched] == [((30, 22), 22), ((41, 35), 35)]

    class Own(OneToOne):
        on_candidates = Normalization.on_candidates

    with pytest.raises(SmixupError, match="Own has no form for pairs as large as these"):
        begun("graph", left, normalization=Own())(left, right)


def test_of_very_large_graphs_parts_around_a_node_are_taught(
    from_networkx: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = torch.Generator().manual_seed(0)
    apart = nx.disjoint_union(nx.path_graph(4), nx.empty_graph(26))
    batch = from_networkx([nx.path_graph(7), nx.random_labeled_tree(90, seed=1), apart])
    assert fitting.taught_parts(batch, random) is batch
    monkeypatch.setattr(fitting, "LARGEST", 20)
    part = fitting.taught_parts(batch, random)
    assert part.sizes.tolist() == [7, 20, 20], "other components fill up"
    assert torch.equal(part[[0]].adj.to_dense(), batch[[0]].adj.to_dense())
    assert nx.is_connected(nx.from_numpy_array(part[[1]].adj.to_dense().numpy()))
    matcher = SiameseMatcher(triplets=False, max_steps=2, hidden_channels=8, num_layers=2)
    assert matcher.fit(batch, silent)(batch, batch).shape == (127, 127), "matched as a whole"
