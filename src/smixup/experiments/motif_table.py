"""The study on MOTIF as tables: mean and deviation, and the paired difference to Vanilla with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from smixup.experiments.comparison import Difference, Summary
from smixup.experiments.motif_study import BACKBONES, CONDITIONS, arms, scores

PERCENT = ("test", "calibration_error")


def markdown(records: Sequence[Mapping[str, Any]], curve: str = "test") -> str:
    """Return one table per backbone; differences whose interval leaves zero out are bold."""
    return "\n\n".join(
        f"**{backbone.upper()}**\n\n" + "\n".join(_rows(records, backbone, curve)) for backbone in BACKBONES
    )


def _rows(records: Sequence[Mapping[str, Any]], backbone: str, curve: str) -> Iterator[str]:
    yield "| |" + "".join(f" {number} graphs, {noise:.0%} noise |" for number, noise in CONDITIONS)
    yield "|---|" + "---|" * len(CONDITIONS)
    for arm in arms():
        cells = [_cell(records, backbone, arm.name, number, noise, curve) for number, noise in CONDITIONS]
        yield f"| {arm.name} |" + "".join(f" {cell} |" for cell in cells)


def _cell(
    records: Sequence[Mapping[str, Any]], backbone: str, arm: str, train_graphs: int, label_noise: float, curve: str
) -> str:
    where = {"backbone": backbone, "train_graphs": train_graphs, "label_noise": label_noise}
    ours, vanilla = (scores(records, curve, arm=name, **where) for name in (arm, "Vanilla"))
    if not ours:
        return "not run"
    scale = 100 if curve in PERCENT else 1
    summary = Summary.of([scale * value for value in ours])
    text = f"{summary.mean:.2f} ± {summary.deviation:.2f}"
    if arm == "Vanilla":
        return f"{text} (n = {summary.number})"
    difference = Difference.between([scale * value for value in ours], [scale * value for value in vanilla])
    paired = f"{difference.mean:+.2f} [{difference.low:+.2f}, {difference.high:+.2f}]"
    return f"{text}; {f'**{paired}**' if difference.decided else paired}"
