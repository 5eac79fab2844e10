"""The source of the paper, where that is at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def source() -> str:
    """Return the paper's LaTeX, or skip."""
    folder = os.environ.get("SMIXUP_PAPER")
    if folder is None:
        pytest.skip("no source of the paper: SMIXUP_PAPER names no folder with its LaTeX")
    files = sorted(Path(folder).expanduser().glob("*.tex"))
    if not files:
        pytest.skip(f"no source of the paper: there is no LaTeX in {folder} (SMIXUP_PAPER)")
    return files[0].read_text(encoding="utf-8")
