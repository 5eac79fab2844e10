"""Every command of README.md and docs has verbs and options that there are."""

from __future__ import annotations

import pytest
from documented import commands, understood

GONE = (
    *("sweep", "table", "report", "figure", "match ", "matchers", "audit", "harm", "bench"),
    "data formats",
)
"""Commands that left the package; pages that still name them are being rewritten."""


def test_every_command_is_understood() -> None:
    gone = tuple(f"smixup {verb}" for verb in GONE)
    known = [each for each in commands() if each.startswith("smixup ")]
    for command in known:
        if not command.startswith(gone):
            understood(command)


def test_an_unknown_option_would_be_noticed() -> None:
    with pytest.raises(Exception, match="No such option"):
        understood("smixup train --dateset MOTIF")
