"""What `smixup compare` says while its runs go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from smixup.progress import Progress, Report

if TYPE_CHECKING:
    from smixup.app.compare.pairs import PairedRuns


class Watch:
    """Turns what runs say into a line of progress; first tells what was read, and after the first
    paired run how long a verdict will take.
    """

    def __init__(self, report: Report) -> None:
        self.report, self.told, self.planned = report, -1, False

    def __call__(self, pairs: PairedRuns) -> None:
        if self.told < 0:
            for note in pairs.facts.notes:
                typer.echo(note, err=True)
        self._plan(pairs)
        going_on = pairs.open_methods() or pairs.methods
        done = min(pairs.pairs(arm) for arm in going_on)
        if self._control(pairs) or done == self.told:
            return
        self.told = done
        judged = {arm.name: pairs.score(arm) for arm in pairs.methods}
        means = {name: each.mean for name, each in judged.items() if each is not None}
        self.report(Progress("paired runs", done, pairs.settings.seeds, means))

    def _control(self, pairs: PairedRuns) -> bool:
        """Tell how far the control is, if it is what is run."""
        left = len(pairs.open_control())
        done = len(pairs.runs.get(pairs.control.name, {})) if pairs.control else 0
        if pairs.open_methods() or not left:
            return False
        self.report(Progress("runs of random-alignment", done, done + left))
        return True

    def _plan(self, pairs: PairedRuns) -> None:
        if not self.planned and pairs.spent and (said := outlook(pairs)):
            self.planned = True
            typer.echo(said, err=True)


def outlook(pairs: PairedRuns) -> str:
    """Say how long it takes to the first verdict, and whether the budget and the number of runs
    reach so far; empty if nothing is known yet, or a verdict is there.
    """
    from smixup.app.compare.evidence import LOOKS
    from smixup.app.runs.words import duration

    seconds, settings = pairs.seconds_of_a_pair(), pairs.settings
    done = min((pairs.pairs(arm) for arm in pairs.open_methods()), default=LOOKS[0])
    if seconds is None or done >= LOOKS[0]:
        return ""
    wait = seconds * (LOOKS[0] - done)
    said = f"A paired run takes about {duration(seconds)}: the first verdict, after {LOOKS[0]}, "
    if settings.seeds < LOOKS[0]:
        return f"{said}needs more than --seeds {settings.seeds}."
    if settings.budget is not None and pairs.spent + wait > settings.budget:
        whole = duration(pairs.spent + wait)
        return f"{said}needs a --budget of about {whole}, or fewer --epochs."
    return f"{said}is about {duration(wait)} away."
