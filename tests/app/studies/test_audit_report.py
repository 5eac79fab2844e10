"""How much an audit measures, and what it returns."""

from __future__ import annotations

import json

import pytest

from smixup.app.studies.audit_report import AuditReport, Effort
from smixup.errors import UsageError


def test_wrong_effort() -> None:
    with pytest.raises(UsageError, match="mixes must be 2 or more, not 1"):
        Effort(mixes=1)
    with pytest.raises(UsageError, match="judge_epochs must be 1 or more, not 0"):
        Effort(judge_epochs=0)


def test_a_report_is_ready_for_json() -> None:
    report = AuditReport("MOTIF", 0, "gin", 1.0, "half", 20, 5, Effort(mixes=30), [])
    found = json.loads(json.dumps(report.to_dict()))
    assert (found["dataset"], found["effort"]["mixes"], found["rows"]) == ("MOTIF", 30, [])
