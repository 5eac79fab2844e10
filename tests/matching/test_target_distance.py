"""Distances of targets, against numpy and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from smixup.matching.target_distance import standardised, target_distances

NAN = float("nan")


def plain_distances(y: np.ndarray) -> np.ndarray:
    """Pair by pair and entry by entry."""
    with np.errstate(all="ignore"):
        z = (y - np.nanmean(y, 0)) / np.nanstd(y, 0)
    found = np.full((len(y), len(y)), np.nan)
    for i in range(len(y)):
        for j in range(len(y)):
            both = [
                (z[i, t] - z[j, t]) ** 2
                for t in range(y.shape[1])
                if np.nanmax(y[:, t]) > np.nanmin(y[:, t])
                and not np.isnan(y[i, t])
                and not np.isnan(y[j, t])
            ]
            if i != j and both:
                found[i, j] = np.mean(both)
    return found


@pytest.mark.parametrize("gaps", [0.0, 0.4, 0.8])
def test_entry_by_entry(gaps: float) -> None:
    random = np.random.default_rng(int(10 * gaps))
    y = random.normal(size=(25, 4)) * [1, 1000, 1e-3, 0] + [0, 5e4, 0, 3]
    y[random.random(y.shape) < gaps] = np.nan
    y[0] = [0.1, 5e4, 0, 3]
    found = target_distances(standardised(torch.from_numpy(y)))
    np.testing.assert_allclose(found.numpy(), plain_distances(y), rtol=1e-9)
    if gaps == 0.8:
        assert found.isnan().sum() > len(y), "some pairs have nothing in common"


def test_a_rare_label_counts_for_more_than_a_frequent_one() -> None:
    y = torch.zeros(100, 2)
    y[:50, 0], y[99, 1] = 1, 1
    found = target_distances(standardised(y))
    frequent, rare, both = found[0, 60], found[60, 99], found[0, 99]
    assert frequent == pytest.approx((1 / 0.25) / 2)
    assert rare == pytest.approx((1 / (0.01 * 0.99)) / 2)
    assert both == pytest.approx(float(frequent + rare))
    assert found[0, 1] == 0, "graphs that agree are at exactly 0"


@pytest.mark.parametrize("y", [[[3.0], [3.0]], [[NAN], [NAN]], [[1.0], [NAN]]])
def test_what_does_not_differ_has_no_column(y: list[list[float]]) -> None:
    z = standardised(torch.tensor(y))
    assert z.shape == (2, 0)
    assert target_distances(z).isnan().all()


def test_large_equal_numbers_do_not_differ_by_rounding() -> None:
    assert standardised(torch.full((7, 1), 0.1) * 3).size(1) == 0
