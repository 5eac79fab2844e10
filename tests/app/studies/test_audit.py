"""The audit: what rows share, and a whole one on few graphs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from smixup.app.runs.opened import open_dataset
from smixup.app.studies.audit import Auditor, audit, sample, trained_judge
from smixup.app.studies.audit_report import Effort
from smixup.app.studies.audit_rows import RATIOS, Row, rows_named
from smixup.classifiers import GIN
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Uniform

FEW = {"num_graphs": 100}
SMALL = {
    "matcher.num_layers": 1,
    "matcher.hidden_channels": 8,
    "matcher.max_steps": 4,
    "matcher.evaluate_every": 2,
}
QUICK = Effort(mixes=30, graphs=20, distances=4, judge_epochs=3)


def test_a_sample_is_of_allowed_sizes_and_a_set_of_its_own(graphs: Graphs) -> None:
    found = sample(graphs, Effort(graphs=3, max_nodes=5), seed=0)
    assert len(found) == 3
    assert int(found.sizes.max()) <= 5
    assert found.ids.tolist() == [0, 1, 2]
    with pytest.raises(SmixupError, match="of 7 held-out graphs, 1 have at most 1 nodes"):
        sample(graphs, Effort(max_nodes=1), seed=0)


def test_wrong_ratios_and_rows() -> None:
    with pytest.raises(UsageError, match=r"unknown choice of ratios 'halve'. Did you mean 'half'"):
        audit(ratios="halve")
    with pytest.raises(UsageError, match="unknown setting of method submix"):
        audit(rows=[Row("mine", "submix", {"shar": 0.5})])


def auditor(**changes: Any) -> Auditor:
    opened = open_dataset("MOTIF", 0, options=FEW)
    graphs = sample(opened.held_out, QUICK, 0)
    judge = GIN(graphs.num_features, graphs.num_classes, hidden_channels=8, num_layers=1)
    return Auditor(opened, graphs, judge, QUICK, RATIOS["uniform"], **changes)


def test_a_missing_package_is_told_before_anything_is_trained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("smixup.optional.find_spec", lambda module: None)
    monkeypatch.setattr("smixup.app.studies.audit.open_dataset", pytest.fail)
    with pytest.raises(SmixupError, match=r"an audit needs POT, .*'smixup\[matching\]'"):
        audit()


def test_matchers_that_learn_alike_are_fitted_once(tiny: Callable[..., GraphMatcher]) -> None:
    shared = auditor()
    first = shared.ready(tiny())
    rows = shared.ready(tiny(normalization="rows"))
    other, sharper = (
        shared.ready(tiny(**changes))
        for changes in ({"seed": 1}, {"normalization": "columns", "perplexity": 2.0})
    )
    assert isinstance(first, GraphMatcher)
    assert isinstance(rows, GraphMatcher)
    assert first.fitted
    assert rows.network is first.network
    assert (str(rows.normalization), rows.num_classes) == ("rows", 3)
    sums = rows(shared.graphs[:4], shared.graphs[4:8]).row_sums()
    torch.testing.assert_close(sums, torch.ones_like(sums))
    assert len(shared.fitted) == 3
    assert getattr(other, "network") is not first.network  # noqa: B009
    assert getattr(sharper, "calibrated_temperature") is not None  # noqa: B009
    plain = Uniform()
    assert shared.ready(plain) is plain


def test_what_a_method_does_not_have_is_none() -> None:
    shared = auditor()
    drop, new, hidden = (
        shared.audited(Row(name, name)) for name in ("drop-edge", "g-mixup", "m-mixup")
    )
    assert (drop.pairs, drop.lam, drop.edit, drop.transport, drop.label) == (0, *[None] * 4)
    assert drop.drift is not None
    assert drop.drift.degree < 0.95
    assert (new.pairs, new.lam, new.edit, new.transport, new.label, new.drift) == (None,) * 6
    assert new.duplicates is not None
    assert new.originals_std is not None
    assert (hidden.edit, hidden.drift, hidden.duplicates, hidden.originals_std) == (None,) * 4
    assert hidden.label is None or hidden.label.mix == pytest.approx(hidden.label.floor, abs=1e-6)
    assert {each.alignment for each in (drop, new, hidden)} == {None}


@pytest.mark.slow
@pytest.mark.parametrize("ratios", RATIOS)
def test_a_whole_audit(ratios: str) -> None:
    names = ["submix", "if-mixup", "graph-transplant"]
    rows = [*rows_named(names), Row("mine", "s-mixup", SMALL)]
    found = audit("motif", rows, ratios, options=FEW, effort=QUICK)
    assert (found.dataset, found.graphs, found.backbone) == ("MOTIF", 20, "gin")
    assert [row.title for row in found.rows] == [*names, "mine"]
    for row in found.rows:
        assert row.mixes == 30
        assert row.pairs is not None
        assert row.pairs > 0.5
        assert row.edit is not None
        assert 0 <= row.edit.least <= row.edit.error + 1e-9 <= row.edit.most + 2e-9 <= 1
        assert row.edit.detour > 0.99
        assert row.transport is not None
        assert row.drift is not None
        assert row.properties.input_level
    mine = found.rows[-1]
    assert mine.alignment is not None
    assert mine.alignment.motif_mass is not None
    assert mine.alignment.row_sums.largest == 1, "one to one"
    assert mine.lam is not None
    assert 0.5 <= mine.lam <= 1
    if ratios == "half":
        assert mine.lam < 0.55


@pytest.mark.slow
def test_real_graphs(real_data: Callable[[str], Path]) -> None:
    """MUTAG knows no motif."""
    found = audit(
        "MUTAG",
        [Row("mine", "s-mixup", SMALL), Row("submix", "submix")],
        backbone="gcn",
        root=real_data("MUTAG.zip"),
        effort=QUICK,
    )
    mine, submix = found.rows
    assert mine.alignment is not None
    assert mine.alignment.motif_edges is None
    assert mine.originals_std is None, "this GCN has no batch norm"
    assert submix.duplicates is not None


@pytest.mark.slow
def test_the_judge_learns() -> None:
    opened = open_dataset("MOTIF", 0, options={"num_graphs": 200})
    judge = trained_judge(opened, "gin", 60)
    with torch.no_grad():
        right = judge(opened.held_out.floating()).argmax(1) == opened.held_out.labels
    assert not judge.training
    assert float(right.float().mean()) > 0.6, "a third by chance"
