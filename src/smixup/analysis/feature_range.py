"""Do the features of mixes occur in originals?"""

from __future__ import annotations

from torch import Tensor

from smixup.graphs import Graphs

ROUNDING = 1e-4


def outside_range(mixes: Graphs, originals: Graphs) -> Tensor:
    """Return which nodes of mixes have a feature that is smaller, or larger, than that of any
    original node, `[n]` bool.
    """
    known, x = originals.floating().x, mixes.floating().x
    low, high = known.amin(0), known.amax(0)
    return ((x < low - ROUNDING) | (x > high + ROUNDING)).any(1)
