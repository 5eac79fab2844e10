"""What is drawn from stored alignments is what the matcher would have given."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.augment import alignments
from smixup.augment.adaptive import distortion
from smixup.augment.alignments import Aligned, Alignments, align, aligned_cost, cheapest
from smixup.augment.mixing import transform
from smixup.errors import SmixupError
from smixup.graphs import Graphs, Operator
from smixup.matching import GraphMatcher, Identity, Matcher, Uniform

MEMORY = 2**24


@pytest.fixture
def matcher(graphs: Graphs) -> GraphMatcher:
    small = {"hidden_channels": 8, "num_layers": 2, "max_steps": 2, "batch_size": 4}
    return GraphMatcher(normalization="columns", **small).fit(graphs)


def carried(M: Operator, left: Graphs, right: Graphs) -> Aligned:
    zeros = torch.zeros(len(left))
    return Aligned(transform(M, left, right), zeros, zeros)


def aligned(
    graphs: Graphs, matcher: Matcher, threshold: float = 0.0
) -> tuple[Alignments, torch.Tensor]:
    partner = torch.tensor([3, 4, 5, 6, 0, 1, 2, *[6, 5, 4, 3, 2, 1, 0]])
    return align(graphs, matcher, partner, carried, threshold, MEMORY), partner


@pytest.mark.parametrize("top_k", [None, 2])
def test_drawn_pairs_equal_fresh_ones(
    graphs: Graphs, matcher: GraphMatcher, top_k: int | None
) -> None:
    matcher.top_k = top_k
    stored, partner = aligned(graphs, matcher)
    ids = torch.tensor([5, 0, 4])
    for seed in range(4):
        drawn = stored.draw(ids, torch.Generator().manual_seed(seed)).aligned.graphs
        turn = torch.randint(2, (3,), generator=torch.Generator().manual_seed(seed))
        right = graphs[partner[turn * 7 + ids]]
        fresh = transform(matcher(graphs[ids], right), graphs[ids], right)
        torch.testing.assert_close(drawn.x, fresh.x, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(drawn.adj.to_dense(), fresh.adj.to_dense(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(drawn.y, right.y)


def test_every_partner_is_drawn(graphs: Graphs) -> None:
    stored, partner = aligned(graphs, Uniform())
    generator = torch.Generator().manual_seed(0)
    seen = {
        tuple(stored.draw(torch.tensor([1]), generator).aligned.graphs.y[0].tolist())
        for _ in range(20)
    }
    assert seen == {tuple(graphs.y[partner[1]].tolist()), tuple(graphs.y[partner[8]].tolist())}


def test_undirected_graphs_stay_undirected_and_small_weights_go(
    graphs: Graphs, matcher: GraphMatcher
) -> None:
    whole, _ = aligned(graphs, matcher)
    sparse, _ = aligned(graphs, matcher, threshold=0.1)
    for stored in (whole, sparse):
        adj = stored.stored.graphs.adj
        assert adj.symmetric
        assert torch.equal(adj.to_dense(), adj.to_dense().T)
    assert float(sparse.stored.graphs.adj.weight.min()) >= 0.1
    assert sparse.stored.graphs.adj.weight.numel() < whole.stored.graphs.adj.weight.numel()


def test_too_much_for_the_memory_allowed(graphs: Graphs) -> None:
    with pytest.raises(SmixupError, match="raise `threshold`"):
        align(graphs, Uniform(), torch.arange(7), carried, 0.0, memory=100)


def test_as_many_partners_as_there_is_room_for(
    graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alignments, "PAIRS_AT_ONCE", 4)
    partner = torch.tensor([3, 4, 5, 6, 0, 1, 2]).repeat(3)
    whole = align(graphs, Uniform(), partner, carried, 0.0, MEMORY)
    some = align(graphs, Uniform(), partner, carried, 0.0, memory=int(2.7 / 3 * whole.num_bytes))
    assert (len(whole.stored), len(some.stored), len(some.stored.distortion)) == (21, 14, 14)
    x = some.stored.graphs.x
    assert x.equal(whole.stored.graphs.x[: len(x)])


def test_what_is_known_of_a_pair_is_drawn_with_it(graphs: Graphs, matcher: GraphMatcher) -> None:
    def measured(M: Operator, left: Graphs, right: Graphs) -> Aligned:
        lost = distortion(M, left, right)
        return Aligned(transform(M, left, right), lost, lost / 2)

    partner = torch.tensor([3, 4, 5, 6, 0, 1, 2, *[6, 5, 4, 3, 2, 1, 0]])
    stored = align(graphs, matcher, partner, measured, 0.0, MEMORY)
    ids = torch.tensor([5, 0, 4])
    for seed in range(4):
        found = stored.draw(ids, torch.Generator().manual_seed(seed)).aligned
        turn = torch.randint(2, (3,), generator=torch.Generator().manual_seed(seed))
        left, right = graphs[ids], graphs[partner[turn * 7 + ids]]
        expected = distortion(matcher(left, right), left, right)
        torch.testing.assert_close(found.distortion, expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(found.arrived, expected / 2, rtol=1e-4, atol=1e-4)
        assert found.distortion.max() > 0.1


def test_the_cost_of_a_pair_by_hand(make_graphs: Callable[..., Graphs]) -> None:
    left, other = make_graphs([3, 4]), make_graphs([3, 4], seed=5)
    torch.testing.assert_close(aligned_cost(left, left), torch.zeros(2))
    expected = []
    for g in range(2):
        one, two = left[[g]], other[[g]]
        total = 0.0
        for a, b in ((one.adj.to_dense(), two.adj.to_dense()), (one.x, two.x)):
            total += float((a - b).norm() ** 2 / (a.norm() * b.norm()))
        expected.append(total)
    torch.testing.assert_close(aligned_cost(left, other), torch.tensor(expected))


def test_the_candidates_that_align_best_are_kept(
    graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alignments, "PAIRS_AT_ONCE", 4)
    every = torch.arange(7)
    candidates = torch.cat([every.roll(1), every, every.roll(3)])
    found = cheapest(graphs, Identity(), candidates, 2, carried)
    assert found[:7].tolist() == every.tolist(), "nothing is nearer to a graph than itself"
    for g in range(7):
        costs = {
            int(j): float(
                aligned_cost(
                    graphs[[g]],
                    transform(
                        Identity()(graphs[[g]], graphs[[int(j)]]), graphs[[g]], graphs[[int(j)]]
                    ),
                )
            )
            for j in (every.roll(1)[g], every.roll(3)[g])
        }
        assert int(found[7 + g]) == min(costs, key=lambda j: costs[j])
