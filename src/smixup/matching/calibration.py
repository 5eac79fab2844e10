"""Sharpness in words a user understands: the temperature at which a node is spread over the wished
number of nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch import Tensor

from smixup.matching.assignment import mean_perplexity
from smixup.matching.normalization import Normalization
from smixup.matching.pairs import PairBlock

COLDEST, HOTTEST = 1e-4, 1e4
HALVINGS = 40


def calibrate(
    scores: Sequence[Tensor],
    blocks: Sequence[PairBlock],
    normalize: Normalization,
    perplexity: float,
) -> float:
    """Return the temperature at which the mean perplexity of `normalize(scores / temperature)` is
    as wished.

    Perplexity grows with temperature, so its place is bisected on a logarithmic scale; a wish that
    no temperature fulfils (below one node, or more nodes than there are) ends at the nearest bound.

    Args:
        scores: similarities `[b, N1, N2]`, one tensor per bucket.
        blocks: the pairs of each bucket.
        normalize: the way from scores to M in use.
        perplexity: over how many nodes of G1 a node of G2 should be spread.
    """
    columns = [block.mask.any(1) for block in blocks]
    low, high = COLDEST, HOTTEST
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        pairs = zip(scores, blocks, strict=True)
        M = [normalize(score / middle, block) for score, block in pairs]
        low, high = (middle, high) if mean_perplexity(M, columns) < perplexity else (low, middle)
    return math.sqrt(low * high)
