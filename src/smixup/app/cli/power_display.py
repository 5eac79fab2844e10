"""The power of a plan on standard output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from smixup.app.cli.printing import print_table
from smixup.app.runs.words import counted

if TYPE_CHECKING:
    from smixup.app.tables.planned_power import PlannedPower

COLUMNS = (
    *("column", "graphs\ntested", "runs\nplanned", "would see\n(points)"),
    *("runs needed\nfor 1 point", "noise"),
)
CAPTION = "The difference between two methods found in four of five such sweeps (5 %, two-sided)."
ADVICE = "Graphs are counted where the data is: --root names the folder of the datasets."
NOT_TOLD = "not told"


def print_power(found: Sequence[PlannedPower]) -> None:
    """Print what every column of an experiment could see."""
    from smixup.app.tables.planned_power import NOT_KNOWN

    print_table(COLUMNS, [_row(each) for each in found], narrow=True, caption=CAPTION)
    if any(each.why == NOT_KNOWN for each in found):
        typer.echo(ADVICE)


def _row(power: PlannedPower) -> tuple[str, ...]:
    from smixup.app.tables.planned_power import UNLIMITED

    if power.plan is None or power.detectable is None:
        return power.column, "?", str(power.runs), NOT_TOLD, NOT_TOLD, power.why
    tested, graphs = round(power.plan.tested), power.plan.graphs
    of = f"{tested}, new ones" if graphs == UNLIMITED else f"{tested} of {graphs}"
    points = 100 * power.detectable
    visible = f"{points:.2f}" if math.isfinite(points) else "none"
    needed = power.runs_needed()
    enough = "no number suffices" if needed is None else f"{needed:,}"
    noise = "assumed" if power.seen is None else f"of {counted(power.seen.pairs, 'pair')}"
    return power.column, of, str(power.runs), visible, enough, noise
