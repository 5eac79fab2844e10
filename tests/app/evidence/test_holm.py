"""Holm's p values: by hand, by the step-down rule, and the promise itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smixup.app.evidence.holm import holm
from smixup.errors import UsageError


def test_by_hand() -> None:
    """0.005 x 4, 0.01 x 3, 0.03 x 2, and 0.04 x 1, which is raised to the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.6]) == pytest.approx([1.0, 1.0])


def test_cells_without_a_test_do_not_count() -> None:
    found = holm(np.array([[0.01, math.nan], [0.02, math.nan]]))
    assert found[:, 0] == pytest.approx([0.02, 0.02])
    assert np.isnan(found[:, 1]).all()
    assert holm([]).shape == (0,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_it_rejects_what_the_step_down_rule_rejects(p: list[float]) -> None:
    rejected, left = set(), sorted(range(len(p)), key=lambda i: p[i])
    while left and p[left[0]] * len(left) < 0.05:
        rejected.add(left.pop(0))
    assert set(np.flatnonzero(holm(p) < 0.05)) == rejected


def test_any_error_among_true_nulls_is_rare() -> None:
    random = np.random.default_rng(0)
    wrong = 0
    for _ in range(4000):
        p = random.random(10)
        p[:3] *= 1e-4
        wrong += (holm(p)[3:] < 0.05).any()
    assert 0.03 < wrong / 4000 <= 0.058


@pytest.mark.parametrize("p", [[-0.1], [1.1, 0.5]])
def test_other_numbers_are_an_error(p: list[float]) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        holm(p)
