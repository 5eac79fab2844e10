"""What every matcher must keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
from smixup.matching import Identity, Matcher, RandomOrder, Uniform
from smixup.matching.classical import IPFP, SpectralMatching
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.matching.rrwm import RRWM
from smixup.matching.siamese import SiameseMatcher

PLAIN: dict[str, Callable[[], Matcher]] = {
    "uniform": Uniform,
    "identity": Identity,
    "random order": RandomOrder,
    "rrwm": RRWM,
    "spectral": SpectralMatching,
    "ipfp": IPFP,
    "fgw": FusedGromovWasserstein,
    "siamese": lambda: SiameseMatcher(
        num_layers=2, hidden_channels=8, max_steps=4, evaluate_every=2, perplexity=2.0
    ),
}
LEARNED: dict[str, dict[str, Any]] = {
    "learned": {},
    "published": {
        "correspondences": False,
        "similarity": "cosine",
        "random_walk": 0,
        "degree": False,
    },
    "sinkhorn": {"normalization": "sinkhorn", "perplexity": 2.0},
    "top k": {"top_k": 2},
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
        torch.testing.assert_close(dense.sum(0), dense.new_ones(right.num_nodes))
        assert not dense[~within_pairs(left, right)].any(), name
        torch.testing.assert_close(M.to_sparse().to_dense(), dense)


def test_renumbering_a_graph_renumbers_its_assignment(
    make: Callable[[], Matcher], graphs: Graphs, permuted: Callable[..., Any]
) -> None:
    matcher = make().fit(graphs)
    if isinstance(matcher, Identity):
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


def test_fitting_twice_is_fitting_once(make: Callable[[], Matcher], graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 3]], graphs[[5, 2, 4]]
    once = make().fit(graphs)
    twice = make().fit(graphs).fit(graphs)
    assert torch.equal(once(left, right).to_dense(), twice(left, right).to_dense())
    assert once.num_classes == 2
    assert make().num_classes is None


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
