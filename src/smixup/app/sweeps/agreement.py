"""Do two sets of records have the same numbers for the same configurations, whatever code computed
them?
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.exported import COUNTS, OUTCOMES, SCORES
from smixup.app.sweeps.merging import Source, difference
from smixup.app.sweeps.record import Record
from smixup.errors import SmixupError

Values = tuple[str, float, float]


@dataclass(frozen=True)
class Disagreement:
    """Two records of one configuration that do not say the same.

    Attributes:
        one, other: the records.
        score: the first number in which they differ, by name, and its two values; None if one of
            the runs failed.
    """

    one: Record
    other: Record
    score: Values | None


@dataclass
class Agreement:
    """What came of a comparison.

    Attributes:
        agreeing: how many configurations have the same numbers in both.
        differing: the others that are in both.
        failed: how many failed in both.
        only: how many are in the first alone, and how many in the second.
        foreign: how many records have a configuration that the code at hand cannot run.
    """

    agreeing: int = 0
    differing: list[Disagreement] = field(default_factory=list)
    failed: int = 0
    only: tuple[int, int] = (0, 0)
    foreign: int = 0

    @property
    def common(self) -> int:
        """How many configurations are in both."""
        return self.agreeing + len(self.differing) + self.failed


def compare(one: Source, other: Source) -> Agreement:
    """Compare two sources to the bit, configuration by configuration.

    Records belong together if their configurations would have one identity today; what they lack,
    as settings that came later, is at its default. Scores, counts, curves and predictions are
    compared as far as both have them; seconds and versions may differ. Where a source has several
    records of a configuration, all must agree.
    """
    (ours, unknown), (theirs, unknown_there) = _by_identity(one.runs), _by_identity(other.runs)
    found = Agreement(
        only=(len(ours.keys() - theirs.keys()), len(theirs.keys() - ours.keys())),
        foreign=unknown + unknown_there,
    )
    for id, records in ours.items():
        if id in theirs:
            _sort_in(records, theirs[id], found)
    return found


def first_difference(one: RunResult, other: RunResult) -> Values | None:
    """Return the first number in which two results differ beyond what `merging.difference` looks
    at: curves as `curve NAME, epoch N`, predictions as `prediction of graph N`.
    """
    return next(_curves(one, other), None) or next(_predictions(one, other), None)


def _by_identity(runs: Iterable[Record]) -> tuple[dict[str, list[Record]], int]:
    found: dict[str, list[Record]] = {}
    unknown = 0
    for run in runs:
        id = run.current_id()
        if id is None:
            unknown += 1
        else:
            found.setdefault(id, []).append(run)
    return found, unknown


def _sort_in(ours: Sequence[Record], theirs: Sequence[Record], found: Agreement) -> None:
    pairs = list(product(_results_first(ours), _results_first(theirs)))
    if not any(run.done for pair in pairs for run in pair):
        found.failed += 1
        return
    for one, other in pairs:
        score = _difference(one, other)
        if score is not None or one.done != other.done:
            found.differing.append(Disagreement(one, other, score))
            return
    found.agreeing += 1


def _results_first(records: Sequence[Record]) -> list[Record]:
    """Return the results of a configuration; its failures only if it has none."""
    return [run for run in records if run.done] or list(records)


def _difference(one: Record, other: Record) -> Values | None:
    if one.result is None or other.result is None:
        return None
    # Results of earlier versions have no further outcomes; every result that has some has this.
    whole = not any(math.isnan(run.temperature) for run in (one.result, other.result))
    names = (*SCORES, *(OUTCOMES if whole else ()), *COUNTS)
    return difference(one, other, names) or first_difference(one.result, other.result)


def _curves(one: RunResult, other: RunResult) -> Iterator[Values]:
    for name in (each for each in one.curves if each in other.curves):
        ours, theirs = one.curves[name], other.curves[name]
        for epoch, (first, second) in enumerate(zip(ours, theirs, strict=False), 1):
            if first != second and not (math.isnan(first) and math.isnan(second)):
                yield f"curve {name}, epoch {epoch}", first, second
        if len(ours) != len(theirs):
            yield f"length of curve {name}", len(ours), len(theirs)


def _predictions(one: RunResult, other: RunResult) -> Iterator[Values]:
    if not one.predictions or not other.predictions:
        return
    try:
        ours, theirs = from_bytes(one.predictions), from_bytes(other.predictions)
    except ValueError as error:
        raise SmixupError(f"predictions cannot be compared: {error}; export them anew.") from error
    if ours.logits.shape != theirs.logits.shape:
        yield "number of predictions", ours.logits.size, theirs.logits.size
        return
    compared = np.ones(len(ours.labels), bool)
    if not (ours.validated.any() and theirs.validated.any()):  # the first records have none
        compared = ~(ours.validated | theirs.validated)
    labels = (each.labels[:, None].astype(float) for each in (ours, theirs))
    for what, values in (("label", labels), ("prediction", (ours.logits, theirs.logits))):
        yield from _first_cell(what, *(np.where(compared[:, None], each, 0) for each in values))


def _first_cell(what: str, ours: np.ndarray, theirs: np.ndarray) -> Iterator[Values]:
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    for graph, place in np.argwhere(~same)[:1]:
        yield f"{what} of graph {graph}", float(ours[graph, place]), float(theirs[graph, place])
