"""What is drawn from stored alignments is what the matcher would have given."""

from __future__ import annotations

import pytest
import torch

from smixup.augment import alignments
from smixup.augment.adaptive import distortion
from smixup.augment.alignments import Alignments, align
from smixup.augment.mixing import transform
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Matcher, Uniform

MEMORY = 2**24


@pytest.fixture
def matcher(graphs: Graphs) -> GraphMatcher:
    return GraphMatcher(hidden_channels=8, num_layers=2, max_steps=2, batch_size=4).fit(graphs)


def aligned(
    graphs: Graphs, matcher: Matcher, threshold: float = 0.0
) -> tuple[Alignments, torch.Tensor]:
    partner = torch.tensor([3, 4, 5, 6, 0, 1, 2, *[6, 5, 4, 3, 2, 1, 0]])
    return align(graphs, matcher, partner, threshold, MEMORY), partner


@pytest.mark.parametrize("top_k", [None, 2])
def test_drawn_pairs_equal_fresh_ones(
    graphs: Graphs, matcher: GraphMatcher, top_k: int | None
) -> None:
    matcher.top_k = top_k
    stored, partner = aligned(graphs, matcher)
    ids = torch.tensor([5, 0, 4])
    for seed in range(4):
        drawn, _ = stored.draw(ids, torch.Generator().manual_seed(seed))
        turn = torch.randint(2, (3,), generator=torch.Generator().manual_seed(seed))
        right = graphs[partner[turn * 7 + ids]]
        fresh = transform(matcher(graphs[ids], right), graphs[ids], right)
        torch.testing.assert_close(drawn.x, fresh.x, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(drawn.adj.to_dense(), fresh.adj.to_dense(), rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(drawn.y, right.y)


def test_every_partner_is_drawn(graphs: Graphs) -> None:
    stored, partner = aligned(graphs, Uniform())
    generator = torch.Generator().manual_seed(0)
    seen = {tuple(stored.draw(torch.tensor([1]), generator)[0].y[0].tolist()) for _ in range(20)}
    assert seen == {tuple(graphs.y[partner[1]].tolist()), tuple(graphs.y[partner[8]].tolist())}


def test_undirected_graphs_stay_undirected_and_small_weights_go(
    graphs: Graphs, matcher: GraphMatcher
) -> None:
    whole, _ = aligned(graphs, matcher)
    sparse, _ = aligned(graphs, matcher, threshold=0.1)
    for stored in (whole, sparse):
        adj = stored.transformed.adj
        assert adj.symmetric
        assert torch.equal(adj.to_dense(), adj.to_dense().T)
    assert float(sparse.transformed.adj.weight.min()) >= 0.1
    assert sparse.transformed.adj.weight.numel() < whole.transformed.adj.weight.numel()


def test_too_much_for_the_memory_allowed(graphs: Graphs) -> None:
    with pytest.raises(SmixupError, match="raise `threshold`"):
        align(graphs, Uniform(), torch.arange(7), 0.0, memory=100)


def test_as_many_partners_as_there_is_room_for(
    graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alignments, "PAIRS_AT_ONCE", 4)
    partner = torch.tensor([3, 4, 5, 6, 0, 1, 2]).repeat(3)
    whole = align(graphs, Uniform(), partner, 0.0, MEMORY)
    each = (
        sum(tensor.numel() * 4 for tensor in (whole.transformed.x, whole.transformed.adj.weight))
        // 3
    )
    each += whole.transformed.adj.column.numel() * whole.transformed.adj.column.element_size() // 3
    some = align(graphs, Uniform(), partner, 0.0, memory=int(2.7 * each))
    assert (len(whole.transformed), len(some.transformed), len(some.distortion)) == (21, 14, 14)
    assert some.transformed.x.equal(whole.transformed.x[: some.transformed.x.size(0)])


def test_the_distortion_of_a_pair_is_drawn_with_it(graphs: Graphs, matcher: GraphMatcher) -> None:
    partner = torch.tensor([3, 4, 5, 6, 0, 1, 2, *[6, 5, 4, 3, 2, 1, 0]])
    stored = align(graphs, matcher, partner, 0.0, MEMORY, estimate=distortion)
    ids = torch.tensor([5, 0, 4])
    for seed in range(4):
        _, found = stored.draw(ids, torch.Generator().manual_seed(seed))
        turn = torch.randint(2, (3,), generator=torch.Generator().manual_seed(seed))
        left, right = graphs[ids], graphs[partner[turn * 7 + ids]]
        torch.testing.assert_close(
            found, distortion(matcher(left, right), left, right), rtol=1e-4, atol=1e-4
        )
        assert found.max() > 0.1
    assert not aligned(graphs, matcher)[0].distortion.any(), "none is estimated unless asked for"
