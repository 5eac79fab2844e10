"""What every matcher must keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.app.runs.registry import make_matcher
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
from smixup.matching import RRWM, GraphMatcher, Identity, Matcher, RandomOrder, Uniform
from smixup.matching.classical import IPFP, SpectralMatching
from smixup.matching.consensus import Consensus
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.matching.normalized import NormalizedMatcher
from smixup.matching.siamese import SiameseMatcher
from smixup.memory import set_budget

PLAIN: dict[str, Callable[[], Matcher]] = {
    "uniform": Uniform,
    "identity": Identity,
    "random order": RandomOrder,
    "rrwm": RRWM,
    "spectral": SpectralMatching,
    "ipfp": IPFP,
    "fgw": FusedGromovWasserstein,
    "siamese": lambda: SiameseMatcher(
        num_layers=2,
        hidden_channels=8,
        max_steps=4,
        evaluate_every=2,
        normalization="columns",
        perplexity=2.0,
    ),
}
LEARNED: dict[str, dict[str, Any]] = {
    "learned": {"normalization": "columns"},
    "published": {
        "normalization": "columns",
        "correspondences": False,
        "similarity": "cosine",
        "random_walk": 0,
        "degree": False,
    },
    "sinkhorn": {"normalization": "sinkhorn", "perplexity": 2.0},
    "top k": {"normalization": "columns", "top_k": 2},
    "consensus": {"normalization": "consensus"},
    "one-to-one": {"normalization": "one-to-one"},
}
CHOICES = {
    "all": list(range(7)),
    "one pair": [4],
    "one node": [1],
    "no edges": [2, 5],
    "twice the same": [0, 0],
}


@pytest.fixture(params=[*PLAIN, *LEARNED])
def make(request: pytest.FixtureRequest, tiny: Callable[..., Matcher]) -> Callable[[], Matcher]:
    if request.param in PLAIN:
        return PLAIN[request.param]
    return lambda: tiny(**LEARNED[request.param])


def uses_a_node_once(matcher: Matcher) -> bool:
    """Whether nodes may stay without counterpart, and ties are broken by the order of nodes."""
    return isinstance(matcher, NormalizedMatcher) and isinstance(matcher.normalize, Consensus)


def test_columns_sum_to_one_and_nothing_lies_outside_the_pairs(
    make: Callable[[], Matcher],
    graphs: Graphs,
    device: torch.device,
    within_pairs: Callable[..., Tensor],
) -> None:
    graphs = graphs.to(device)
    matcher = make().fit(graphs)
    for name, choice in CHOICES.items():
        left, right = graphs[choice], graphs[choice[::-1]]
        M = matcher(left, right)
        dense = M.to_dense()
        assert M.shape == (left.num_nodes, right.num_nodes), name
        assert M.device == device
        assert (dense >= 0).all(), name
        if uses_a_node_once(matcher):
            assert max(dense.sum(0).max(), dense.sum(1).max()) < 1 + 1e-3, name
        else:
            torch.testing.assert_close(dense.sum(0), dense.new_ones(right.num_nodes))
        assert not dense[~within_pairs(left, right)].any(), name
        torch.testing.assert_close(M.to_sparse().to_dense(), dense)


def test_renumbering_a_graph_renumbers_its_assignment(
    make: Callable[[], Matcher], graphs: Graphs, permuted: Callable[..., Any]
) -> None:
    matcher = make().fit(graphs)
    if isinstance(matcher, Identity) or uses_a_node_once(matcher):
        pytest.skip("goes by the order of nodes")
    left, right = graphs[[0, 4, 3, 1]], graphs[[5, 2, 4, 4]]
    (new_left, old1), (new_right, old2) = permuted(left, 1), permuted(right, 2)
    expected = matcher(left, right).to_dense()[old1][:, old2]
    torch.testing.assert_close(
        matcher(new_left, new_right).to_dense(), expected, atol=1e-4, rtol=1e-4
    )


def test_a_device_is_as_good_as_another(
    make: Callable[[], Matcher], graphs: Graphs, device: torch.device
) -> None:
    left, right = torch.tensor([0, 4, 3]), torch.tensor([5, 2, 4])
    matcher, there = make().fit(graphs.to(device)), graphs.to(device)
    found = matcher.assign(matcher.prepare(there), left, right)
    matched = matcher.match(to_pyg(there[left]), to_pyg(there[right]))
    expected = make().fit(graphs)(graphs[left], graphs[right]).to_dense()
    torch.testing.assert_close(found.to_dense(), expected.to(device), atol=1e-4, rtol=1e-4)
    if not isinstance(matcher, RandomOrder):  # which draws anew
        torch.testing.assert_close(torch.block_diag(*matched), found.to_dense())


@pytest.mark.slow
def test_fitting_twice_is_fitting_once(make: Callable[[], Matcher], graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 3]], graphs[[5, 2, 4]]
    once = make().fit(graphs)
    twice = make().fit(graphs).fit(graphs)
    assert torch.equal(once(left, right).to_dense(), twice(left, right).to_dense())
    assert once.num_classes == 2
    assert make().num_classes is None


@pytest.mark.slow
def test_a_pyg_dataset_is_as_good_as_a_graph_set(
    make: Callable[[], Matcher], graphs: Graphs
) -> None:
    data = to_pyg(graphs[range(7)]).to_data_list()
    left, right = graphs[[0, 4, 3]], graphs[[5, 2, 4]]
    mine, theirs = make().fit(graphs), make().fit(data)
    torch.testing.assert_close(theirs(left, right).to_dense(), mine(left, right).to_dense())
    assert theirs.num_classes == 2


def test_unequal_sides(make: Callable[[], Matcher], graphs: Graphs) -> None:
    with pytest.raises(ValueError, match="a pair has two sides"):
        make().fit(graphs)(graphs[[0, 1]], graphs[[0]])


def pyg_graphs() -> list[Data]:
    ring = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
    both = torch.cat([ring, ring.flip(0)], 1)
    return [Data(x=torch.rand(n, 2), edge_index=both, num_nodes=n) for n in (4, 5, 6)]


@pytest.mark.parametrize("name", ["identity", "rrwm", "uniform", "graph-matcher", "siamese"])
def test_match_takes_graphs_of_pyg(name: str) -> None:
    torch.manual_seed(0)
    first, second = pyg_graphs(), pyg_graphs()[::-1]
    small = {"max_steps": 2, "hidden_channels": 8, "num_layers": 1, "triplets": False}
    small |= {"normalization": "columns"}
    matcher = make_matcher(name, 0, small if name in ("graph-matcher", "siamese") else {})
    matcher.fit(first)
    M = matcher.match(first[0], second[0])
    assert M.shape == (4, 6)
    torch.testing.assert_close(M.sum(0), torch.ones(6))
    several = matcher.match(first, second)
    assert [tuple(each.shape) for each in several] == [(4, 6), (5, 5), (6, 4)]
    torch.testing.assert_close(several[0], M, rtol=1e-4, atol=1e-5)
    batches = Batch.from_data_list(first), Batch.from_data_list(second)
    torch.testing.assert_close(matcher.match(*batches), several)


@pytest.mark.parametrize("wrong", [Data(x=torch.rand(3, 1)), [1, 2], torch.rand(3)])
def test_a_call_on_what_is_no_graphs_says_what_to_do(wrong: object) -> None:
    for matcher in (Identity(), GraphMatcher(), RRWM()):
        with pytest.raises(SmixupError, match=r"use matcher\.match\(data1, data2\)"):
            matcher(wrong, wrong)  # type: ignore[arg-type]


def test_match_refuses_what_is_no_graph() -> None:
    with pytest.raises(SmixupError, match="a list of torch_geometric"):
        Identity().match([1, 2], [3, 4])  # type: ignore[list-item]


def test_pairs_by_index_equal_pairs_of_graphs(graphs: Graphs) -> None:
    for name in ("identity", "graph-matcher", "siamese"):
        small = {"max_steps": 2, "hidden_channels": 8, "num_layers": 1}
        matcher = make_matcher(name, 0, {} if name == "identity" else small).fit(graphs)
        prepared = matcher.prepare(graphs)
        left, right = torch.tensor([4, 0, 2]), torch.tensor([3, 5, 4])
        found = matcher.assign(prepared, left, right).to_dense()
        expected = matcher(graphs[left], graphs[right]).to_dense()
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_matches_are_the_entries_of_m() -> None:
    data = [Data(x=torch.rand(n, 2), edge_index=torch.tensor([[0, 1], [1, 0]])) for n in (3, 5, 4)]
    matcher = Identity(partial=True)
    index, weight = matcher.matches(data[0], data[1])
    assert index.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert weight.tolist() == [1, 1, 1]
    several = matcher.matches(data[:2], data[1:])
    for (index, weight), M in zip(several, matcher.match(data[:2], data[1:]), strict=True):
        assert torch.equal(torch.zeros_like(M).index_put_(tuple(index), weight), M)


def test_a_tensor_that_is_too_large_is_refused_with_what_to_ask_instead() -> None:
    data = Data(x=torch.rand(1000, 1), edge_index=torch.zeros(2, 0, dtype=torch.long))
    set_budget("4MB")
    try:
        assert Identity().matches(data, data)[0].shape == (2, 1000)
        with pytest.raises(SmixupError, match=r"1,000,000 cells .* take matcher\.matches\(data1"):
            Identity().match(data, data)
    finally:
        set_budget(None)
