"""Is it an alignment? What a matcher does on pairs that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.content import refined, scrambled
from smixup.matching.base import Matcher
from smixup.matching.learned import GraphMatcher
from smixup.matching.lessons import shuffled_copy, triplets_of
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
    random, lesson = generator(seed, "matcher evaluation"), triplets_of(graphs)
    places = (
        torch.randint(len(graphs), (3, num_pairs), generator=random)
        if lesson is None
        else lesson.draw(num_pairs, random)
    )
    left, right, other = (graphs[place] for place in places)
    M = matcher(left, right)
    copy, origin = shuffled_copy(left, random)
    accuracy = None
    if lesson is not None and isinstance(matcher, GraphMatcher) and matcher.network is not None:
        with torch.no_grad():
            near, far = (
                matcher.network.distances(matcher.pairs(left, graphs)) for graphs in (right, other)
            )
        accuracy = float((near < far).float().mean())
    mass, chance = motif_mass(M, left, right), motif_chance(left, right)
    match = self_match(matcher(left, copy), stable_colours(left), origin)
    return Quality(match, column_perplexity(M), mass, chance, accuracy, num_pairs)


def self_match(M: SparseOperator, colours: Tensor, origin: Tensor) -> float:
    """Return the share of columns whose largest entry lies on a node of the right colour.

    Args:
        M: assignments from copies to originals.
        colours: of the nodes of the originals, `[n]`.
        origin: the node of the originals that each node of the copies is, `[n]`.
    """
    entries = M.T
    row, n = entries.row, entries.num_columns
    top = entries.weight.new_full((len(origin),), -torch.inf)
    top = top.scatter_reduce(0, row, entries.weight, "amax")
    column = torch.where(entries.weight == top[row], entries.column, n)
    largest = torch.full_like(origin, n).scatter_reduce(0, row, column, "amin")
    known = torch.cat([colours, colours.new_tensor([-1])])  # nobody's, for a column of zeros
    return float((known[largest] == colours[origin]).float().mean())


def column_perplexity(M: SparseOperator) -> float:
    """Return the mean over columns of `exp(entropy)`."""
    entries = M.T
    sums = entries.row_sums().clamp(min=torch.finfo(torch.float).tiny)
    entropy = torch.special.entr(entries.weight / sums[entries.row])
    return float(torch.zeros_like(sums).index_add_(0, entries.row, entropy).exp().mean())


def motif_mass(M: SparseOperator, left: Graphs, right: Graphs) -> float | None:
    """Return which share of the motif of G2 lands on the motif of G1."""
    if left.motif is None or right.motif is None:
        return None
    landed = M @ right.motif.float().unsqueeze(1)
    return float(landed[left.motif].sum() / right.motif.sum())


def motif_chance(left: Graphs, right: Graphs) -> float | None:
    """Return `motif_mass` of a uniform assignment."""
    if left.motif is None or right.motif is None:
        return None
    share = left.totals(left.motif.float()) / left.sizes
    weight = right.totals(right.motif.float())
    return float((share * weight).sum() / weight.sum())


def motif_kept(M: SparseOperator, left: Graphs, right: Graphs) -> Tensor:
    """Return the share of the motif that is kept when G2 is carried onto G1, `[B]`: with E1 and E2
    the edges within the motifs, `sum of min(M E2 M^T, E1) / sum of E1`.

    Weight piled on a single edge is no motif, nor is weight from the base of G2. Where the motifs
    are isomorphic and aligned, the share is 1.
    """
    E1, E2 = _motif_edges(left), _motif_edges(right)
    carried = (M @ E2 @ M.T).values_at(E1)
    kept = left.totals(torch.minimum(carried, E1.weight), E1.row)
    return kept / left.totals(E1.weight, E1.row)


def _motif_edges(graphs: Graphs) -> SparseOperator:
    if graphs.motif is None:
        raise SmixupError("these graphs have no known motif: use MOTIF.")
    adj = graphs.adj
    return adj.mask_entries(graphs.motif[adj.row] & graphs.motif[adj.column])


def stable_colours(graphs: Graphs) -> Tensor:
    """Return a number per node `[n]`, equal for two nodes if 1-WL cannot tell them apart."""
    colour = torch.zeros_like(graphs.batch)
    if graphs.num_features:
        colour = torch.unique(graphs.x, dim=0, return_inverse=True)[1]
    adj, key, number = graphs.adj, scrambled(colour), 0
    while (count := key.unique().numel()) > number:
        key, number = refined(key, adj, rounds=1), count
    colours: Tensor = torch.unique(key, return_inverse=True)[1]
    return colours
