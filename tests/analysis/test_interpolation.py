"""Interpolation errors of two-node graphs by hand."""

from __future__ import annotations

import pytest
import torch
from single_edges import edges, mixed

from smixup.analysis.interpolation import InterpolationError, Triangle, interpolation_error, triples
from smixup.analysis.mixes import Mixes
from smixup.analysis.parents import Parents, tagged
from smixup.edits.edit_distance import EditDistance


@pytest.mark.parametrize(
    ("weight", "lam", "error", "detour"),
    [
        (0.75, 0.75, 0.0, 1.0),  # where it should be
        (1.0, 0.5, 0.5, 1.0),  # G1 untouched: epsilon is 1
        (2.0, 0.5, 1 / 6, 3.0),  # 1 and 2 from its graphs, which are 1 apart
    ],
)
def test_by_hand(weight: float, lam: float, error: float, detour: float) -> None:
    found = interpolation_error(mixed(weight, lam))
    assert found is not None
    assert (found.error, found.detour) == pytest.approx((error, detour))
    assert (found.least, found.most, found.exact, found.pairs) == pytest.approx(
        (error, error, 1, 1)
    )


def test_known_distances_are_taken_and_kept() -> None:
    known: dict[tuple[int, int], EditDistance] = {}
    interpolation_error(mixed(0.5, 0.5), known=known)
    assert known[0, 1].value == 1
    known[0, 1] = EditDistance(2.0, 2.0, True, (0, 1))
    found = interpolation_error(mixed(0.5, 0.5), known=known)
    assert found is not None
    assert found.detour == pytest.approx(0.5)


def test_what_is_not_exact_is_between_bounds() -> None:
    """epsilon lies in [1 / 5, 2 / 4]: by the path found it is 2 / 6."""
    open_, sure = EditDistance(2.0, 4.0, False, ()), EditDistance(1.0, 1.0, True, ())
    loose = EditDistance(1.0, 2.0, False, ())
    triangle = Triangle(0.25, open_, loose, sure)
    assert triangle.error == pytest.approx(1 / 3 - 1 / 4)
    assert (triangle.within.lower, triangle.within.upper) == pytest.approx((0, 1 / 4))
    above = Triangle(0.75, open_, loose, sure)
    assert (above.within.lower, above.within.upper) == pytest.approx((1 / 4, 0.55))
    both = InterpolationError.of([triangle, Triangle(0.5, sure, sure, sure)])
    assert both is not None
    assert both.exact == 0.5
    assert both.error == pytest.approx((1 / 12) / 2)
    assert both.detour == pytest.approx((6 + 2) / 2)


def test_nothing_to_measure() -> None:
    nothing = Mixes(tagged(edges(1.0, 0.0)))
    assert interpolation_error(nothing) is None
    alone = Parents(torch.tensor([[1.0, 0.0]]), torch.tensor([0]))
    one_parent = Mixes(nothing.originals, edges(1.0), parents=alone)
    assert triples(one_parent) == []
    twins = Mixes(
        tagged(edges(1.0, 1.0)),
        edges(1.0),
        parents=Parents(torch.tensor([[0.5, 0.5]]), torch.tensor([0])),
    )
    assert interpolation_error(twins) is None, "0 / 0"
