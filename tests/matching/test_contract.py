"""What every matcher must keep, and pairs of graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

from smixup.errors import SmixupError
from smixup.graphs import Codes, Graphs
from smixup.graphs.pyg import to_pyg
from smixup.matching import IPFP, RRWM, Identity, Matcher, RandomOrder, Uniform
from smixup.matching.assign import NormalizedMatcher, OneToOne
from smixup.memory import set_budget

close = torch.testing.assert_close
CHOICES = {
    "all": list(range(7)),
    "one pair": [4],
    "one node": [1],
    "no edges": [2, 5],
    "twice the same": [0, 0],
}


def uses_a_node_once(matcher: Matcher) -> bool:
    """Whether nodes may stay without counterpart, and ties are broken by the order of nodes."""
    return isinstance(matcher, NormalizedMatcher) and isinstance(matcher.normalize, OneToOne)


def test_columns_sum_to_one_and_nothing_lies_outside_the_pairs(
    matcher: Matcher, graphs: Graphs
) -> None:
    for name, choice in CHOICES.items():
        left, right = graphs[choice], graphs[choice[::-1]]
        M = matcher(left, right)
        dense = M.to_dense()
        assert M.shape == (left.num_nodes, right.num_nodes), name
        assert (dense >= 0).all(), name
        if uses_a_node_once(matcher):
            assert max(dense.sum(0).max(), dense.sum(1).max()) < 1 + 1e-3, name
        else:
            close(dense.sum(0), torch.ones(right.num_nodes))
        assert not dense[left.batch.unsqueeze(1) != right.batch].any(), name
        close(M.to_dense(), dense)


def test_renumbering_a_graph_renumbers_its_assignment(
    matcher: Matcher, graphs: Graphs, permuted: Callable[..., Any]
) -> None:
    if isinstance(matcher, Identity) or uses_a_node_once(matcher):
        pytest.skip("goes by the order of nodes")
    left, right = graphs[[0, 4, 3, 1]], graphs[[5, 2, 4, 4]]
    (new_left, old1), (new_right, old2) = permuted(left, 1), permuted(right, 2)
    expected = matcher(left, right).to_dense()[old1][:, old2]
    close(matcher(new_left, new_right).to_dense(), expected, atol=1e-4, rtol=1e-4)


def test_graphs_of_pyg_and_pairs_by_number_are_matched_alike(
    matcher: Matcher, graphs: Graphs
) -> None:
    left, right = torch.tensor([4, 0, 2]), torch.tensor([3, 5, 4])
    assigned = matcher.assign(matcher.prepare(graphs), left, right).to_dense()
    if isinstance(matcher, RandomOrder):  # draws anew
        return
    close(matcher(graphs[left], graphs[right]).to_dense(), assigned, rtol=1e-4, atol=1e-4)
    batches = to_pyg(graphs[left]), to_pyg(graphs[right])
    matched = matcher.match(*batches)
    close(torch.block_diag(*matched), assigned, rtol=1e-4, atol=1e-4)
    lists = [batch.to_data_list() for batch in batches]
    close(matcher.match(*lists), matched, rtol=1e-4, atol=1e-4)
    close(matcher.match(lists[0][0], lists[1][0]), matched[0], rtol=1e-4, atol=1e-4)
    for (index, weight), M in zip(matcher.matches(*lists), matched, strict=True):
        close(torch.zeros_like(M).index_put_(tuple(index), weight), M, rtol=1e-4, atol=1e-4)


def test_matches_are_the_entries_of_m() -> None:
    edge = torch.tensor([[0, 1], [1, 0]])
    first, second = (Data(x=torch.rand(n, 2), edge_index=edge) for n in (3, 5))
    index, weight = Identity(partial=True).matches(first, second)
    assert (index.tolist(), weight.tolist()) == ([[0, 1, 2], [0, 1, 2]], [1, 1, 1])
    coded = Data(torch.tensor([5, 7]), edge), Data(torch.tensor([9, 2]), edge)
    for matcher in (Identity(), Uniform(), RRWM(encode=Codes(nodes=(10,)))):
        assert matcher.match(*coded).shape == (2, 2)


def test_solvers_refuse_pairs_that_do_not_fit_into_memory(
    make_graphs: Callable[..., Graphs],
) -> None:
    graphs = make_graphs([4, 300, 5])
    try:
        set_budget("1MB")
        with pytest.raises(
            SmixupError,
            match=r"^matching two graphs that have 305 nodes together, .* about 1 MB of memory",
        ):
            RRWM()(graphs[[0, 1]], graphs[[2, 2]])
        with pytest.raises(SmixupError, match=r"all matches of 40 and 40 nodes .* matcher rrwm"):
            IPFP()(make_graphs([40]), make_graphs([40]))
    finally:
        set_budget(None)
