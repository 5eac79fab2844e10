"""The study of Theorem 1 measures the same pairs under every matcher and cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from smixup.analysis.interval import Verdict
from smixup.analysis.theorem import (
    AlignedPair,
    TheoremRecord,
    TheoremStudy,
    draw_pairs,
    one_to_one,
    tally,
)
from smixup.augment.mixing import interpolate, transform
from smixup.datasets import load_dataset
from smixup.edits.edit_costs import EDGES_ONLY, METRIC
from smixup.edits.weighted_graph import WeightedGraph
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import RRWM, RandomOrder, Uniform
from smixup.progress import Progress

STUDY = TheoremStudy(pairs=3, ratios=(0.0, 0.5, 0.8, 1.0), max_nodes=8)


@pytest.fixture(scope="module")
def motif() -> Graphs:
    return load_dataset("MOTIF", num_graphs=120).graphs


@pytest.fixture(scope="module")
def records(motif: Graphs) -> list[TheoremRecord]:
    return STUDY.run(motif, {"uniform": Uniform(), "random order": RandomOrder()})


def test_every_combination_once(records: list[TheoremRecord], motif: Graphs) -> None:
    assert len(records) == 3 * 2 * 3 * 4
    assert len({(r.matcher, r.costs, r.left, r.right, r.error.lam) for r in records}) == len(
        records
    )
    assert all(motif.labels[record.left] != motif.labels[record.right] for record in records)
    assert all(motif.sizes[[record.left, record.right]].max() <= 8 for record in records)


def test_the_corrected_statement_holds_for_norms(records: list[TheoremRecord]) -> None:
    assert all(
        record.error.corrected is Verdict.HOLDS
        for record in records
        if record.costs != "squared, as printed"
    )
    assert any(record.error.printed is Verdict.FAILS for record in records)


def test_ends_of_the_range(records: list[TheoremRecord]) -> None:
    """The mix is G1 at lam = 1 and G2' at lam = 0."""
    for record in records:
        if record.error.lam == 1:
            assert record.error.epsilon == pytest.approx(1.0)
        if record.error.lam == 0:
            b, c = record.pair.to_aligned.value, record.pair.moved.value
            assert record.error.epsilon == pytest.approx(c / (b + c), abs=1e-5)


def test_a_random_order_moves_nothing_but_aligns_badly(
    records: list[TheoremRecord], motif: Graphs
) -> None:
    """GED(G2, G2') counts missing nodes alone, so the printed bound cannot see a bad alignment."""
    for record in records:
        if (
            record.matcher == "random order"
            and motif.sizes[record.left] == motif.sizes[record.right]
        ):
            assert record.pair.moved.value == pytest.approx(0.0, abs=1e-6)
            assert record.error.bound.upper == pytest.approx(0.0, abs=1e-6)


def test_the_mix_is_that_of_smixup(motif: Graphs, device: torch.device) -> None:
    left, right = (motif[[place]].to(device) for place in (0, 1))
    pair = AlignedPair.of(RRWM(), left, right)
    lam = torch.tensor([0.3], device=device)
    mixed = interpolate(left, transform(RRWM()(left, right), left, right), lam)
    expected = WeightedGraph.from_batch(mixed)
    found = pair.left.mixed_with(pair.aligned, 0.3)
    assert np.allclose(found.adj, expected.adj, atol=1e-6)
    assert np.allclose(found.x, expected.x, atol=1e-6)


def test_tally(records: list[TheoremRecord]) -> None:
    rows = tally(records)
    assert [(row.matcher, row.number) for row in rows] == [("uniform", 12)] * 3 + [
        ("random order", 12)
    ] * 3
    for row in rows:
        mine = [
            record
            for record in records
            if (record.matcher, record.costs) == (row.matcher, row.costs)
        ]
        assert row.printed[Verdict.FAILS] == sum(
            record.error.printed is Verdict.FAILS for record in mine
        )
        assert sum(row.one_sided.values()) == sum(row.corrected.values()) == 12
    assert rows[0].identity_optimal == 1.0  # spread evenly, all nodes of G2' are alike


def test_rounding_an_assignment() -> None:
    assert one_to_one(np.array([[0.1, 0.9], [0.8, 0.7], [0.1, 0.2]])) == (1, 0, -1)


def test_pairs_are_drawn_by_seed(motif: Graphs) -> None:
    assert draw_pairs(motif, 5, 9, 0) == draw_pairs(motif, 5, 9, 0) != draw_pairs(motif, 5, 9, 1)
    with pytest.raises(UsageError, match="with up to 3 nodes are needed"):
        draw_pairs(motif, 5, 3, 0)


def test_progress_and_wrong_settings(motif: Graphs) -> None:
    told: list[Progress] = []
    small = replace(STUDY, pairs=2, ratios=(0.5,), costs={"metric": METRIC, "edges": EDGES_ONLY})
    assert len(small.run(motif, {"uniform": Uniform()}, told.append)) == 4
    assert [(each.done, each.total) for each in told] == [(1, 2), (2, 2)]
    with pytest.raises(UsageError, match="pairs must be 1 or more"):
        TheoremStudy(pairs=0)
    with pytest.raises(UsageError, match="a number in ratios must be between 0 and 1"):
        TheoremStudy(ratios=(2.0,))
