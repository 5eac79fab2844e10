"""Which epoch's model is reported; the validation split alone decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Literal, get_args

Selection = Literal["score", "smoothed-loss", "last"]
"""Rules of selection:

- `score`: the highest validation score, as in the paper; of equal scores the lower validation loss.
- `smoothed-loss`: the lowest mean of the validation loss over the last nine epochs. Scores of a
  hundred graphs jump from epoch to epoch, so that their maximum is partly luck.
- `last`: the last epoch; nothing is chosen.
"""
SELECTIONS = get_args(Selection)
WINDOW = 9

Curves = Mapping[str, Sequence[float]]
Merit = tuple[float, ...]


def merit(selection: Selection, curves: Curves, epoch: int, higher: bool = True) -> Merit:
    """Return what an epoch, counted from 1, is worth by a rule: the higher, the better.

    Of scores that are errors, `higher` is false.

    >>> curves = {"validation": [0.5, 0.7], "validation_loss": [0.9, 0.7]}
    >>> merit("score", curves, 2) > merit("score", curves, 1)
    True
    """
    return _MERITS[selection](curves, epoch, higher)


def _by_score(curves: Curves, epoch: int, higher: bool) -> Merit:
    score = curves["validation"][epoch - 1]
    return score if higher else -score, -curves["validation_loss"][epoch - 1]


def _by_smoothed_loss(curves: Curves, epoch: int, higher: bool) -> Merit:
    return (-fmean(curves["validation_loss"][max(epoch - WINDOW, 0) : epoch]),)


def _by_time(curves: Curves, epoch: int, higher: bool) -> Merit:
    return (epoch,)


_MERITS: dict[Selection, Callable[[Curves, int, bool], Merit]] = {
    "score": _by_score,
    "smoothed-loss": _by_smoothed_loss,
    "last": _by_time,
}
