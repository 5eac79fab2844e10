"""Who is mixed with whom, by rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.augment.pairing import PAIRINGS, AnyPartner, SameClass, SimilarPartner
from smixup.errors import UsageError
from smixup.graphs import Graphs


def source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_any_and_same_class(graphs: Graphs) -> None:
    found = AnyPartner().draw(graphs, graphs, source())
    assert sorted(found.tolist()) == list(range(7))
    alike = SameClass().draw(graphs, graphs, source())
    assert torch.equal(graphs.labels[alike], graphs.labels)


def test_similar_sizes_are_drawn_evenly(make_graphs: Callable[..., Graphs]) -> None:
    pool = make_graphs([10, 30, 12, 8, 9, 13])
    left = pool[[0] * 6000]
    found = SimilarPartner(ratio=1.25).draw(left, pool, source())
    shares = found.bincount(minlength=6).float() / 6000
    expected = torch.tensor([1, 0, 1, 1, 1, 0]) / 4  # 8 to 12.5 nodes
    assert (shares - expected).abs().max() < 0.03


def test_the_nearest_size_where_none_is_similar(make_graphs: Callable[..., Graphs]) -> None:
    pool, left = make_graphs([3, 40, 9]), make_graphs([20, 100, 2])
    found = SimilarPartner(ratio=1.1).draw(left, pool, source())
    assert found.tolist() == [2, 1, 0]


def test_candidates_per_partner() -> None:
    assert AnyPartner().tries == SameClass().tries == 1
    assert PAIRINGS.of("similar(candidates=5)").tries == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("similar(candidates=0)", "candidates must be 1 or more"),
        ("similar(ratio=0.5)", "ratio must be 1 or more"),
    ],
)
def test_wrong_settings(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PAIRINGS.of(text)
