"""Is it an alignment? What a matcher does on pairs it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.analysis.colour_refinement import stable_colours
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.graphs.ragged import row_of
from smixup.matching.base import Matcher
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.graph_matcher import GraphMatcher
from smixup.matching.lessons import triplets_of
from smixup.matching.triplet import graph_distances, triplet_accuracy
from smixup.seeding import generator


@dataclass(frozen=True)
class Quality:
    """What was measured; None where a dataset or a matcher does not have it.

    Attributes:
        self_match: share of nodes of a shuffled copy whose largest entry falls on a node that 1-WL
            cannot tell from the right one.
        perplexity: over how many nodes of G1 a node of G2 is spread, on average.
        motif_mass: share of the mass of G2's motif that falls on G1's motif, pairs of one class.
        motif_chance: the same for a uniform assignment.
        triplet_accuracy: share of triplets whose graph representations are in the right order.
        pairs: how many pairs each number rests on.
    """

    self_match: float
    perplexity: float
    motif_mass: float | None
    motif_chance: float | None
    triplet_accuracy: float | None
    pairs: int


def evaluate_matcher(
    matcher: Matcher, graphs: Graphs, num_pairs: int = 500, seed: int = 0
) -> Quality:
    """Measure a matcher on pairs drawn from `graphs`, the same for every matcher at one seed."""
    random = generator(seed, "matcher evaluation")
    told = triplets_of(graphs)
    anchor, positive, negative = (
        torch.randint(len(graphs), (3, num_pairs), generator=random)
        if told is None
        else told.draw(num_pairs, random)
    )
    left, right = graphs[anchor], graphs[positive]
    M = matcher(left, right)
    copy, origin = shuffled_copy(left, random)
    return Quality(
        self_match=self_match(matcher(left, copy), stable_colours(left), origin),
        perplexity=column_perplexity(M),
        motif_mass=motif_mass(M, left, right),
        motif_chance=motif_chance(left, right),
        triplet_accuracy=(
            None if told is None else _triplet_accuracy(matcher, left, right, graphs[negative])
        ),
        pairs=num_pairs,
    )


def self_match(M: Operator, colours: Tensor, origin: Tensor) -> float:
    """Return the share of columns whose largest entry lies on a node of the right colour.

    Args:
        M: assignments from copies to originals.
        colours: of the nodes of the originals, `[n]`.
        origin: the node of the originals that each node of the copies is, `[n]`.
    """
    entries = M.to_sparse().T
    return float((colours[largest(entries)] == colours[origin]).float().mean())


def largest(operator: SparseOperator) -> Tensor:
    """Return the column of the largest entry of every row, the first of several; -1 for a row
    without entries.
    """
    rows, _ = operator.shape
    row, weight = operator.row, operator.weight
    top = weight.new_full((rows,), -torch.inf).scatter_reduce(0, row, weight, "amax")
    candidates = torch.where(weight == top[row], operator.column, operator.num_columns)
    found = torch.full((rows,), operator.num_columns, device=row.device).scatter_reduce(
        0, row, candidates, "amin"
    )
    return torch.where(found == operator.num_columns, -1, found)


def column_perplexity(M: Operator) -> float:
    """Return the mean over columns of `exp(entropy)`."""
    entries = M.to_sparse().T
    row = row_of(entries.row_ptr)
    sums = entries.row_sums().clamp(min=torch.finfo(torch.float).tiny)
    entropy = torch.special.entr(entries.weight / sums[row])
    return float(sums.new_zeros(sums.shape).index_add_(0, row, entropy).exp().mean())


def motif_mass(M: Operator, left: Graphs, right: Graphs) -> float | None:
    """Return which share of the motif of G2 lands on the motif of G1."""
    if left.motif is None or right.motif is None:
        return None
    landed = M @ right.motif.float().unsqueeze(1)
    return float(landed[left.motif].sum() / right.motif.sum())


def motif_chance(left: Graphs, right: Graphs) -> float | None:
    """Return `motif_mass` of a uniform assignment: each motif node of G2 finds the share of motif
    nodes in G1.
    """
    if left.motif is None or right.motif is None:
        return None
    share = left.totals(left.motif.float()) / left.sizes
    weight = right.totals(right.motif.float())
    return float((share * weight).sum() / weight.sum())


@torch.no_grad()
def _triplet_accuracy(
    matcher: Matcher, anchor: Graphs, same: Graphs, other: Graphs
) -> float | None:
    if not isinstance(matcher, GraphMatcher) or matcher.network is None:
        return None
    near, far = (
        graph_distances(matcher.network, matcher.pairs(anchor, right)) for right in (same, other)
    )
    return float(triplet_accuracy(near, far))
