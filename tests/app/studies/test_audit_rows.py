"""Rows of the audit by name, legal at all ratios."""

from __future__ import annotations

import pytest

from smixup.app.runs.registry import METHODS, method_settings
from smixup.app.studies.audit_rows import RATIOS, ROWS, rows_named
from smixup.errors import UsageError


def test_the_rows_are_legal_at_every_choice_of_ratios() -> None:
    for ratios in RATIOS.values():
        assert ratios.keys() <= METHODS.entries.keys()
        for row in ROWS:
            method_settings(row.method, {**ratios.get(row.method, {}), **row.settings})
    assert len({row.title for row in ROWS}) == len(ROWS)


def test_rows_by_name() -> None:
    assert rows_named([]) == ROWS
    titles = [row.title for row in rows_named(["s-mixup", "drop-edge", "submix"])]
    assert titles[0] == "s-mixup"
    assert titles[-2:] == ["drop-edge", "submix"]
    assert {row.method for row in rows_named(["s-mixup"])} == {"s-mixup"}
    assert [row.title for row in rows_named(["s-mixup, uniform"])] == ["s-mixup, uniform"]
    (row,) = rows_named(["s-mixup"], {"alpha": "2", "matcher": "rrwm"})
    assert row.title == "s-mixup, alpha=2, matcher=rrwm"
    assert row.settings == {"alpha": 2.0, "matcher": "rrwm"}
    with pytest.raises(UsageError, match=r"unknown method 'submicks'. Did you mean 'submix'"):
        rows_named(["submicks"])
    with pytest.raises(UsageError, match="settings are those of one method"):
        rows_named(["submix", "s-mixup"], {"alpha": "2"})
