"""How the page writes estimates, tables and verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from smixup.app.evidence.estimate import Estimate
from smixup.app.runs.words import signed, signed_interval

LOSS_DIGITS, POINT_DIGITS = 3, 2
NO_PROOF = "looked at twice while runs came in, so no proof"
"""What stands beside the estimate on the study's folds, wherever it is told."""


def digits_of(outcome: str) -> int:
    """Return with how many digits an outcome is written."""
    return POINT_DIGITS if outcome == "accuracy" else LOSS_DIGITS


def interval(estimate: Estimate | None, digits: int = POINT_DIGITS) -> str:
    """Write a difference with its interval, bold where it leaves zero out."""
    if estimate is None:
        return ""
    mean = signed(estimate.mean, digits)
    if not math.isfinite(estimate.low):
        return mean
    text = f"{mean} {signed_interval(estimate.low, estimate.high, digits)}"
    return f"**{text}**" if estimate.decided else text


def power(estimate: Estimate | None, digits: int = 1) -> str:
    """Write what an estimate could have shown."""
    if estimate is None or not math.isfinite(estimate.detectable):
        return ""
    return f"{estimate.detectable:.{digits}f}"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def listed(names: Sequence[str]) -> str:
    """Write names as people list them: a, b and c."""
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), *names[-1:]])
