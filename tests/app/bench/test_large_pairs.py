"""Both ways match the same pair, and what is said of it is true."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
import torch
from warm_processes import WARM

from smixup.app.bench import large_pairs, machine
from smixup.app.bench.large_pairs import (
    DAMAGED,
    PairWork,
    by_matcher,
    by_table,
    compare_large,
    fitted_matcher,
    measured,
    random_graph,
    share_found,
)
from smixup.app.bench.settings import Settings
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import GraphMatcher, SiameseMatcher
from smixup.matching.learned import LearnedMatcher
from smixup.seeding import generator


@pytest.fixture(scope="module")
def matcher() -> LearnedMatcher:
    return fitted(SiameseMatcher)


def fitted(kind: type[LearnedMatcher]) -> LearnedMatcher:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_pairs, "STEPS", 15)
        patch.setattr(large_pairs, "TRAINING_GRAPHS", 20)
        return fitted_matcher(kind)


def test_graphs_have_the_edges_that_are_said() -> None:
    graph = random_graph(500, generator(0, "test"))
    A = graph.adj.to_dense()
    assert graph.num_nodes == 500
    assert A.sum() == 2 * 5 * 500
    assert torch.equal(A, A.T)
    assert A.diagonal().sum() == 0
    assert set(A.unique().tolist()) == {0.0, 1.0}


def test_the_damaged_copy_has_lost_two_per_cent_of_its_edges(matcher: LearnedMatcher) -> None:
    work = PairWork(matcher, 2000)
    number = {what: len(copy.adj.to_sparse().weight) for what, (copy, _) in work.copies.items()}
    whole = len(work.graph.adj.to_sparse().weight)
    assert number["self match"] == whole
    assert 0.015 < 1 - number[DAMAGED] / whole < 0.025
    copy, origin = work.copies["self match"]
    order = torch.argsort(origin)
    assert torch.equal(copy.adj.to_dense()[order][:, order], work.graph.adj.to_dense())


def test_a_match_is_found_where_it_is_the_node_itself(matcher: LearnedMatcher) -> None:
    work = PairWork(matcher, 50)
    copy, origin = work.copies["self match"]
    right = torch.eye(50)[:, origin]  # M of the true correspondence
    assert share_found(_operator(right), origin) == 1.0
    assert share_found(_operator(right.roll(1, 0)), origin) == 0.0
    assert share_found(_operator(right * (torch.arange(50) < 20)), origin) == 0.4
    assert copy.num_nodes == 50


def test_the_table_is_what_a_matcher_makes_of_a_small_pair(matcher: LearnedMatcher) -> None:
    left, right = (random_graph(n, generator(n, "test")) for n in (60, 45))
    expected = by_matcher(matcher, left, right).to_dense()
    assert torch.equal(by_table(matcher, left, right).to_dense(), expected)


@pytest.mark.parametrize("kind", [SiameseMatcher, GraphMatcher])
def test_a_large_pair_is_no_table_and_finds_what_the_table_does(
    kind: type[LearnedMatcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = fitted(kind)
    work, tables = PairWork(matcher, 500), []
    scored = matcher.scores

    def scores(left: Graphs, right: Graphs) -> object:
        tables.append(left.num_nodes)
        return scored(left, right)

    monkeypatch.setattr(matcher, "scores", scores)
    ours = work.shares()
    assert tables == []
    dense = work.shares(by_table)
    assert tables == [500, 500]
    for what, share in ours.items():
        assert dense[what] > 0.9
        assert share >= 0.98 * dense[what]


def test_matches_are_not_made_twice_for_their_shares(
    matcher: LearnedMatcher,
) -> None:
    calls = []

    def way(matcher: LearnedMatcher, left: Graphs, right: Graphs) -> object:
        calls.append(right)
        return by_matcher(matcher, left, right)

    work = PairWork(matcher, 40)
    work(DAMAGED, way)
    assert work.shares(way).keys() == {"self match", DAMAGED}
    assert len(calls) == 2


def test_a_size_without_table_has_no_reference(matcher: LearnedMatcher, tmp_path: Path) -> None:
    matcher.save(tmp_path)
    beyond, within = (
        measured(tmp_path, 60, 2, torch.get_num_threads(), table) for table in (False, True)
    )
    assert beyond.dense_seconds is None
    assert beyond.dense == {}
    assert within.dense_seconds is not None
    assert within.dense.keys() == beyond.shares.keys()


@pytest.mark.slow
def test_every_matcher_is_compared_in_processes_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warm = multiprocessing.get_context(WARM)
    monkeypatch.setattr(machine, "get_context", lambda method: warm)
    monkeypatch.setattr(large_pairs, "STEPS", 1)
    monkeypatch.setattr(large_pairs, "TRAINING_GRAPHS", 10)
    monkeypatch.setattr(large_pairs, "DENSE", 400)
    found = list(compare_large(Settings((), 1, None, 500, pytest.fail)))
    assert [each.case for each in found][:3] == [
        "siamese, 500 nodes",
        "siamese, 500 nodes, self match : 400",
        "siamese, 500 nodes, 2 % of edges lost : 400",
    ]
    assert {each.case.split(",")[0] for each in found} == {"siamese", "graph-matcher"}
    seconds, *shares = found[:3]
    assert seconds.spent
    assert seconds.ours > 0
    assert seconds.reference is None
    assert all(0 <= each.ours <= 1 and each.reference is not None for each in shares)


def _operator(M: torch.Tensor) -> SparseOperator:
    row, column = M.nonzero(as_tuple=True)
    return SparseOperator.from_entries(row, column, M[row, column], tuple(M.shape))
