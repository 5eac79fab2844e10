"""Theorem 1 is put to the test on small held-out graphs."""

from __future__ import annotations

import pytest

from smixup.app.runs.opened import open_dataset
from smixup.app.studies import theorem_study as module
from smixup.app.studies.theorem_study import theorem_study


def test_records_of_held_out_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MATCHERS", {"uniform": "uniform", "random-order": "random order"})
    records = theorem_study(pairs=2, options={"num_graphs": 300})
    assert len(records) == 2 * 2 * 2 * 11
    assert {each.matcher for each in records} == {"uniform", "random order"}
    assert all(each.pair.between.exact for each in records)
    held_out = open_dataset("MOTIF", 0, options={"num_graphs": 300}).held_out
    for record in records:
        left, right = held_out[[record.left]], held_out[[record.right]]
        assert left.num_nodes <= 9 >= right.num_nodes
        assert left.labels != right.labels
