"""Alignments computed once are those that the matcher would give again."""

from __future__ import annotations

import pytest
import torch

from smixup.augment import alignments as module
from smixup.augment.alignments import DenseAlignments, SparseAlignments, align, draw_pairs
from smixup.augment.mixing import transform
from smixup.errors import SmixupError
from smixup.graphs import GraphSet
from smixup.matching import GraphMatcher, Matcher, Uniform
from smixup.progress import Progress

PARTNER = torch.tensor([3, 0, 5, 1, 6, 2, 4, 1, 4, 6, 2, 3, 0, 5])
"""Two partners of each of the seven graphs; none is its own: at distance zero, rounding shows."""

GENEROUS = 2**24


def small(**settings: object) -> GraphMatcher:
    tiny: dict[str, object] = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2, "batch_size": 8}
    return GraphMatcher(**(tiny | settings))  # type: ignore[arg-type]


@pytest.fixture(params=["dense", "sparse", "uniform"])
def matcher(request: pytest.FixtureRequest, graphs: GraphSet) -> Matcher:
    made: Matcher = Uniform() if request.param == "uniform" else small(top_k=2 if request.param == "sparse" else None)
    return made.fit(graphs)


@pytest.mark.parametrize("at_once", [512, 3])
def test_what_is_drawn_is_what_the_matcher_gives(
    matcher: Matcher, graphs: GraphSet, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", at_once)
    stored = align(graphs, matcher, PARTNER, GENEROUS)
    assert isinstance(stored, SparseAlignments if getattr(matcher, "top_k", None) else DenseAlignments)
    for ids in (torch.arange(7), torch.tensor([4, 1, 1, 6]), torch.tensor([2])):
        for seed in range(3):
            pair = draw_pairs(ids, 7, 14, torch.Generator().manual_seed(seed))
            found = stored.draw(ids, torch.Generator().manual_seed(seed))
            right = graphs[PARTNER[pair]]
            expected = transform(matcher(graphs[ids], right), right)
            torch.testing.assert_close(found.x, expected.x, atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(found.adj.to_dense(), expected.adj.to_dense(), atol=1e-5, rtol=1e-5)
            assert torch.equal(found.y, right.y)


def test_both_partners_are_drawn() -> None:
    pairs = draw_pairs(torch.tensor([2]).repeat(1000), 7, 14, torch.Generator().manual_seed(0))
    assert set(pairs.tolist()) == {2, 9}
    assert 400 < int((pairs == 2).sum()) < 600


@pytest.mark.parametrize("top_k", [None, 2])
def test_too_little_memory_is_an_error_that_says_what_to_do(graphs: GraphSet, top_k: int | None) -> None:
    matcher = small(top_k=top_k).fit(graphs)
    with pytest.raises(SmixupError, match=r"14 pairs need more than 0 MB: lower `partners`.*partners=None"):
        align(graphs, matcher, PARTNER, 100)


def test_progress(graphs: GraphSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAIRS_AT_ONCE", 5)
    seen: list[Progress] = []
    align(graphs, Uniform(), PARTNER, GENEROUS, seen.append)
    assert [(each.stage, each.done, each.total) for each in seen] == [
        ("aligning", 5, 14),
        ("aligning", 10, 14),
        ("aligning", 14, 14),
    ]
