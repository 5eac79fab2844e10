"""Estimated return probabilities against powers of the matrix."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.graphs import Graphs, SparseOperator
from smixup.matching import encodings, walk_estimates
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.encodings import return_probabilities
from smixup.matching.walk_estimates import estimated_returns, own_colours, short_returns, signs

STEPS = 7


def operator(A: Tensor) -> SparseOperator:
    target, source = A.nonzero(as_tuple=True)
    return SparseOperator.from_edges(torch.stack([source, target]), A[target, source], len(A))


def drawn(kind: str, n: int = 60) -> Tensor:
    """The matrix of a graph, whose nodes 3 and 4 have no edges."""
    random = torch.Generator().manual_seed(0)
    A = (torch.rand(n, n, generator=random) < 0.08).float()
    A = A if kind == "directed" else ((A + A.T) > 0).float()
    if kind == "weighted":
        W = torch.rand(n, n, generator=random)
        A = A * (W + W.T)
    if kind == "loops":
        A = A + torch.diag((torch.arange(n) % 4 == 1).float())
    if kind == "tree":
        A = torch.from_numpy(nx.to_numpy_array(nx.random_labeled_tree(n, seed=0))).float()
    A[3:5] = A[:, 3:5] = 0
    return A


def exact(A: Tensor, steps: int = STEPS) -> Tensor:
    d = A.double().sum(1, keepdim=True)
    P = torch.where(d > 0, A.double() / d, 0.0)
    powers = [torch.linalg.matrix_power(P, step) for step in range(1, steps + 1)]
    return torch.stack([power.diagonal() for power in powers], dim=1)


KINDS = ["plain", "weighted", "directed", "loops", "tree"]


@pytest.mark.parametrize("kind", KINDS)
def test_many_signs_tell_the_truth(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    A = drawn(kind)
    errors = []
    for number, at_once in ((128, 32), (128 * 256, 1024)):
        monkeypatch.setattr(walk_estimates, "SIGNS", number)
        monkeypatch.setattr(walk_estimates, "SIGNS_AT_ONCE", at_once)
        found = estimated_returns(operator(A), STEPS)
        assert found.isfinite().all()
        errors.append(float((found - exact(A)).square().mean().sqrt()))
    assert errors[0] < 0.05
    assert errors[1] < 0.2 * errors[0], "with 256 times as many, a sixteenth is to be expected"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_short_walks_are_exact(steps: int, kind: str) -> None:
    A = drawn(kind)
    found = estimated_returns(operator(A), steps)
    assert found.shape == (60, steps)
    torch.testing.assert_close(found[:, :2].double(), exact(A, min(steps, 2)), atol=1e-6, rtol=1e-5)


def test_short_walks_where_entries_stand_twice() -> None:
    S = operator(drawn("weighted"))
    expected = torch.stack([S.to_dense().diagonal(), (S.to_dense() @ S.to_dense()).diagonal()], 1)
    twice = S.add_unmerged(S)
    torch.testing.assert_close(short_returns(twice), expected * torch.tensor([2.0, 4.0]))


@pytest.mark.parametrize("kind", KINDS)
def test_isolated_nodes_never_return_and_all_are_probabilities(kind: str) -> None:
    found = estimated_returns(operator(drawn(kind)), STEPS)
    assert not found[3:5].any()
    assert found.min() >= 0
    assert found.max() <= 1
    nothing = estimated_returns(operator(torch.zeros(5, 5)), STEPS)
    assert torch.equal(nothing, torch.zeros(5, STEPS))


def test_a_node_and_its_image_have_the_same_estimate(
    from_networkx: Callable[..., Graphs],
) -> None:
    graph = from_networkx([nx.gnm_random_graph(80, 240, seed=0)])
    assert own_colours(graph.adj.to_sparse()).unique().numel() == 80, "no two nodes look alike"
    copy, origin = shuffled_copy(graph, torch.Generator().manual_seed(0))
    found, again = (estimated_returns(each.adj.to_sparse(), STEPS) for each in (graph, copy))
    assert not torch.equal(origin, torch.arange(80))
    torch.testing.assert_close(again, found[origin], atol=1e-6, rtol=1e-5)


def test_nodes_that_look_alike_draw_signs_of_their_own() -> None:
    """With equal signs, all walks around a ring would come back."""
    ring = operator(torch.from_numpy(nx.to_numpy_array(nx.cycle_graph(50))).float())
    colour = own_colours(ring)
    assert colour.unique().numel() == 50
    expected = exact(ring.to_dense())
    assert (estimated_returns(ring, STEPS) - expected).abs().max() < 0.35
    assert (estimated_returns(ring, STEPS) - expected).mean().abs() < 0.02


def test_signs_are_those_of_a_fair_coin() -> None:
    colour = torch.randint(-(2**62), 2**62, (400,), generator=torch.Generator().manual_seed(0))
    found = signs(colour, 0, 256)
    assert set(found.unique().tolist()) == {-1.0, 1.0}
    assert found.mean().abs() < 0.02
    between = found @ found.T / 256
    assert (between - torch.eye(400)).abs().max() < 0.4
    assert torch.equal(torch.cat([signs(colour, 0, 100), signs(colour, 100, 156)], 1), found)
    assert torch.equal(signs(colour.flip(0), 0, 256), found.flip(0))


def test_long_walks_of_very_large_graphs_alone_are_estimated(
    from_networkx: Callable[..., Graphs], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = from_networkx([nx.gnm_random_graph(n, 2 * n, seed=n) for n in (150, 20, 200, 180)])
    expected = return_probabilities(batch, STEPS)
    monkeypatch.setattr(encodings, "EXACT", 180)
    found = return_probabilities(batch, STEPS)
    estimated = batch.batch == 2
    assert torch.equal(found[~estimated], expected[~estimated])
    part = batch[[2]].adj.to_sparse()
    assert torch.equal(found[estimated], estimated_returns(part, STEPS))
    difference = (found - expected)[estimated]
    torch.testing.assert_close(found[:, :2], expected[:, :2], atol=1e-6, rtol=1e-5)
    assert 0 < difference.square().mean().sqrt() < 0.03
    assert difference.square().mean() < 0.1 * expected[estimated].var(), (
        "it still tells nodes apart"
    )


def test_a_device_is_as_good_as_another(device: torch.device) -> None:
    for kind in ("weighted", "directed"):
        adj = operator(drawn(kind, 20))
        there = estimated_returns(adj.to(device), 4)
        assert there.device == device
        torch.testing.assert_close(there.cpu(), estimated_returns(adj, 4))
