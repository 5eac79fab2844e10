"""What the drop-in costs is measured on both sides in one run."""

from __future__ import annotations

import pytest

from smixup.app.bench import drop_in
from smixup.app.bench.settings import Settings


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_amount_is_compared_with_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drop_in, "STEPS", 1)
    notes: list[str] = []
    settings = Settings(("MOTIF",), 1, None, None, notes.append)
    found = list(drop_in.compare_drop_in(settings))
    assert [each.case for each in found] == [
        "0.25 mixes per graph : none",
        "1 mixes per graph : none",
    ]
    assert all(each.ours > 0 and each.reference > 0 for each in found)
    assert notes == []
