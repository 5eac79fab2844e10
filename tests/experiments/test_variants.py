"""S-Mixup as tables alone have it."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from experiments.variants import EqualChange, Study
from smixup import SMixup
from smixup.graphs import Graphs
from smixup.matching import Identity, Uniform
from smixup.progress import silent


def test_the_study_drops_light_edges_and_takes_others_for_whole_ones(
    graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"transport": "paper", "alpha": 1.0, "ratio": "per-batch"}
    settings |= {"partners": None, "amount": None, "seed": 0}
    monkeypatch.setattr(SMixup, "threshold", 0.0)
    plain, light, whole = (
        mix.fit(graphs, silent).on_batch(graphs[range(7)]).adj.to_dense()
        for mix in (
            SMixup(Uniform(), **settings),
            Study(Uniform(), **settings),
            Study(Uniform(), whole=True, **settings),
        )
    )
    expected = torch.where(plain < 0.1, 0.0, plain)
    assert 0 < (expected != 0).sum() < (plain != 0).sum(), "some go, some stay"
    torch.testing.assert_close(light, expected)
    torch.testing.assert_close(whole, (expected != 0).float())


def test_a_control_changes_as_many_edges_as_an_aligned_mix(graphs: Graphs) -> None:
    fixed: dict[str, Any] = {"alpha": 3.0, "seed": 0, "partners": 3, "amount": None}
    batch, mixes = graphs[range(7)], []
    for kind in (SMixup, EqualChange):
        made = kind(Identity(partial=True), **fixed).fit(graphs, silent).mixes(batch)
        assert made is not None
        mixes.append(made.graphs)
    aligned, random = mixes
    torch.testing.assert_close(random.y, aligned.y)
    dense = batch.adj.to_dense()
    wanted, changed = (batch.totals((g.adj.to_dense() - dense).abs().sum(1)) for g in mixes)
    equal = torch.isclose(changed, wanted, atol=1e-5)
    assert (equal | (changed < wanted)).all(), "a random one may have too little to give"
    assert (equal & (wanted > 0)).sum() > 2
    assert not torch.equal(random.adj.to_dense(), aligned.adj.to_dense())
