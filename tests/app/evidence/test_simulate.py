"""Simulated differences are what they claim to be; all coverages rest on it."""

from __future__ import annotations

import numpy as np
import pytest
from app.evidence.simulate import EFFECT, TRUTHS, Design, Truth, differences


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUTHS)
def test_the_mean_is_the_effect(name: str) -> None:
    random = np.random.default_rng(0)
    design = Design(graphs=200, splits=5)
    means = [np.nanmean(differences(design, TRUTHS[name], random)[0]) for _ in range(1500)]
    assert np.mean(means) == pytest.approx(EFFECT, abs=3.5 * np.std(means) / np.sqrt(1500))
    assert np.std(means) < 0.03


def test_folds_test_every_graph_once_a_repeat() -> None:
    values, splits = differences(
        Design(53, splits=10, folds=5, initialisations=2), Truth(), np.random.default_rng(0)
    )
    tested = ~np.isnan(values)
    assert values.shape == (20, 53)
    assert (tested[:5].sum(0) == 1).all()
    assert (tested[5:10].sum(0) == 1).all()
    assert (tested[:10] == tested[10:]).all()
    assert list(splits) == [*range(10)] * 2
    assert set(np.unique(values[tested])) == {-1.0, 0.0, 1.0}
