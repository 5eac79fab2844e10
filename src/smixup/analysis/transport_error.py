"""Does a mix lie where its ratio puts it? By fused Gromov-Wasserstein distances, for graphs of any
size.
"""

from __future__ import annotations

import math
from collections.abc import MutableMapping
from dataclasses import dataclass

import numpy as np

from smixup.analysis.interpolation import Pair, triples
from smixup.analysis.mixes import Mixes
from smixup.analysis.mixup_error import normalized_ged
from smixup.edits.weighted_graph import Array, WeightedGraph
from smixup.errors import require
from smixup.optional import import_optional

STRUCTURE_WEIGHT = 0.5
MAX_STEPS = 200


@dataclass(frozen=True)
class TransportError:
    """How far mixes are from where their ratios put them.

    Attributes:
        error: mean of `|epsilon - lam|`, with epsilon as for edit distances.
        detour: `(d(G', G1) + d(G', G2)) / d(G1, G2)`, sums over all mixes; NaN if the graphs of all
            pairs are equal.
        pairs: how many mixes.
    """

    error: float
    detour: float
    pairs: int


@dataclass(frozen=True, eq=False)
class Coupling:
    """How the nodes of two graphs meet at least distortion.

    Attributes:
        plan: `[n1, n2]`, rows sum to `1 / n1` and columns to `1 / n2`.
        distance: the root of the distortion.
    """

    plan: Array
    distance: float


def transport_error(
    mixes: Mixes,
    structure_weight: float = STRUCTURE_WEIGHT,
    known: MutableMapping[Pair, Coupling] | None = None,
) -> TransportError | None:
    """Measure all mixes of two graphs; None if there are none, or if they are no graphs.

    Args:
        mixes: of any graphs; the time grows with the third power of their size.
        structure_weight: alpha of the distance, from 0 (features alone) to 1 (structure alone).
        known: couplings of originals, by their places: those that are missing are added, for other
            mixes of the same originals.
    """
    require(0 <= structure_weight <= 1, "structure_weight", structure_weight, "between 0 and 1")
    known = {} if known is None else known
    errors, ways, whole = [], 0.0, 0.0
    for each in triples(mixes):
        if each.places not in known:
            known[each.places] = fused_distance(each.left, each.right, structure_weight)
        between, n = known[each.places], len(each.mix)
        # A mix on the nodes of G1 meets G1 node by node, and G2 as G1 does.
        starts = (np.eye(n) / n, between.plan) if n == len(each.left) else (None, None)
        to_left, to_right = (
            fused_distance(each.mix, side, structure_weight, start).distance
            for side, start in zip((each.left, each.right), starts, strict=True)
        )
        epsilon = normalized_ged(to_left, to_right)
        if not math.isnan(epsilon):
            errors.append(abs(epsilon - each.lam))
            ways, whole = ways + to_left + to_right, whole + between.distance
    if not errors:
        return None
    return TransportError(
        sum(errors) / len(errors), ways / whole if whole > 0 else math.nan, len(errors)
    )


def fused_distance(
    left: WeightedGraph,
    right: WeightedGraph,
    structure_weight: float = STRUCTURE_WEIGHT,
    start: Array | None = None,
) -> Coupling:
    """Return the coupling of least distortion that was found, and the root of its distortion

        (1 - alpha) sum_ij T_ij |x_i - x_j|^2 + alpha sum_ijkl T_ij T_kl (A1_ik - A2_jl)^2.

    Of the distance it is an upper bound: a conditional gradient, from the independent coupling, and
    from another one if given, stops at the nearest minimum.

    Args:
        left, right: two graphs.
        structure_weight: alpha.
        start: a coupling `[n1, n2]` to start from, too.
    """
    gromov = import_optional("ot.gromov", "POT", "matching")
    cost = ((left.x[:, None] - right.x[None]) ** 2).sum(2)
    found = []
    for first in [None] if start is None else [None, start]:
        plan, log = gromov.fused_gromov_wasserstein(
            cost,
            left.adj,
            right.adj,
            alpha=structure_weight,
            G0=first,
            max_iter=MAX_STEPS,
            log=True,
        )
        found.append(Coupling(plan, math.sqrt(max(float(log["fgw_dist"]), 0.0))))
    return min(found, key=lambda each: each.distance)
