"""What tests of large tables share."""

from __future__ import annotations

import pytest

from smixup.datasets.readers import csv_blocks


@pytest.fixture(params=[64, 1 << 20])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Tables are read in blocks of a few bytes, or as a whole."""
    monkeypatch.setattr(csv_blocks, "BLOCK", request.param)
    monkeypatch.setattr(csv_blocks, "ROWS", 3)
    return int(request.param)
