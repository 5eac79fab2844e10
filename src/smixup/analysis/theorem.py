"""Theorem 1 put to the test: pairs of graphs, ratios, matchers and costs (Sec. 5.2 and 6.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from smixup.analysis.interval import Verdict
from smixup.analysis.mixup_error import MixupError, PairDistances, identity_distance
from smixup.augment.mixing import transform
from smixup.edits.edit_costs import AS_PRINTED, EDGES_ONLY, METRIC, EditCosts
from smixup.edits.edit_distance import EditSolver, edit_distance
from smixup.edits.edit_problem import DELETED, NodeMap
from smixup.edits.weighted_graph import Array, WeightedGraph
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import Matcher
from smixup.progress import Progress, Report, silent
from smixup.ranges import Count, NotNegative, RangedFields, Seed, Share
from smixup.seeding import generator

COSTS: Mapping[str, EditCosts] = {
    "squared, as printed": AS_PRINTED,
    "metric": METRIC,
    "edges only": EDGES_ONLY,
}
RATIOS = tuple(round(0.1 * step, 1) for step in range(11))


@dataclass(frozen=True)
class TheoremStudy(RangedFields):
    """What to measure.

    Attributes:
        pairs: of graphs of different classes, as in Fig. 4.
        ratios: the values of lambda.
        max_nodes: larger graphs are left out, so that distances are exact.
        threshold: weights of A2' below this are left out, as S-Mixup does.
        costs: by name.
        seed: of the pairs.
        solver: of the distances.
    """

    pairs: Count = 20
    ratios: Sequence[Share] = RATIOS
    max_nodes: Count = 9
    threshold: NotNegative = 1e-3
    costs: Mapping[str, EditCosts] = field(default_factory=lambda: dict(COSTS))
    seed: Seed = 0
    solver: EditSolver = field(default_factory=EditSolver)

    def run(
        self, graphs: Graphs, matchers: Mapping[str, Matcher], report: Report = silent
    ) -> list[TheoremRecord]:
        """Measure the same pairs under every matcher and every cost.

        Args:
            graphs: to draw pairs from.
            matchers: fitted ones, by name.
            report: told how many pairs are done.
        """
        records: list[TheoremRecord] = []
        for done, (i, j) in enumerate(self.drawn(graphs)):
            report(Progress("edit distances", done + 1, self.pairs))
            for name, matcher in matchers.items():
                aligned = AlignedPair.of(matcher, graphs[[i]], graphs[[j]], self.threshold)
                records += [
                    TheoremRecord(name, costs, i, j, *each) for costs, each in self._errors(aligned)
                ]
        return records

    def drawn(self, graphs: Graphs) -> list[tuple[int, int]]:
        """Return the pairs that are measured."""
        return draw_pairs(graphs, self.pairs, self.max_nodes, self.seed)

    def _errors(self, pair: AlignedPair) -> Iterator[tuple[str, tuple[PairDistances, MixupError]]]:
        for name, costs in self.costs.items():
            distances = pair.distances(costs, self.solver)
            for lam in self.ratios:
                yield name, (distances, pair.error(lam, distances, costs, self.solver))


@dataclass(frozen=True)
class TheoremRecord:
    """One mixed graph under one matcher and one cost.

    Attributes:
        matcher, costs: their names.
        left, right: the places of G1 and G2 in their set.
        pair: what does not depend on lambda.
        error: what does.
    """

    matcher: str
    costs: str
    left: int
    right: int
    pair: PairDistances
    error: MixupError


@dataclass(frozen=True, eq=False)
class AlignedPair:
    """Two graphs and the second carried onto the first.

    Attributes:
        left: G1.
        right: G2.
        aligned: G2'.
        node_map: the partner in G2 of each node of G1 by which M can be rounded to one-to-one, -1
            for none.
    """

    left: WeightedGraph
    right: WeightedGraph
    aligned: WeightedGraph
    node_map: NodeMap

    @classmethod
    def of(
        cls, matcher: Matcher, left: Graphs, right: Graphs, threshold: float = 0.0
    ) -> AlignedPair:
        """Match two graphs, each given as a batch of one; weights of A2' below `threshold` are left
        out.
        """
        M = matcher(left, right)
        first, second, moved = (
            WeightedGraph.from_batch(each) for each in (left, right, transform(M, left, right))
        )
        node_map = one_to_one(M.to_dense().double().cpu().numpy())
        return cls(first, second, moved.without_dust(threshold), node_map)

    @property
    def identity(self) -> NodeMap:
        """Every node of G1 stays where it is."""
        return range(len(self.left))

    def distances(self, costs: EditCosts, solver: EditSolver) -> PairDistances:
        """Return the distances among G1, G2 and G2'."""
        return PairDistances(
            between=edit_distance(self.left, self.right, costs, [self.node_map], solver),
            to_aligned=edit_distance(self.left, self.aligned, costs, [self.identity], solver),
            moved=edit_distance(self.aligned, self.right, costs, [self.node_map], solver),
            identity=identity_distance(self.left, self.aligned, costs),
        )

    def error(
        self, lam: float, pair: PairDistances, costs: EditCosts, solver: EditSolver
    ) -> MixupError:
        """Mix at a ratio and measure; alignments found for the pair are tried for the mix."""
        mixed = self.left.mixed_with(self.aligned, lam)
        to_left = edit_distance(mixed, self.left, costs, [self.identity], solver)
        maps = [self.node_map, pair.between.node_map, pair.moved.node_map]
        to_right = edit_distance(mixed, self.right, costs, maps, solver)
        return MixupError.of(lam, to_left, to_right, pair)


@dataclass(frozen=True)
class Tally:
    """How often statements of Theorem 1 hold, under one matcher and one cost.

    Attributes:
        matcher, costs: their names.
        number: of mixed graphs.
        printed, one_sided, corrected: how often each verdict was given.
        identity_optimal: share of pairs where the identity is a best alignment of G1 and G2'.
    """

    matcher: str
    costs: str
    number: int
    printed: Mapping[Verdict, int]
    one_sided: Mapping[Verdict, int]
    corrected: Mapping[Verdict, int]
    identity_optimal: float


def tally(records: Sequence[TheoremRecord]) -> list[Tally]:
    """Count verdicts by matcher and cost, in the order of the records."""
    groups: dict[tuple[str, str], list[TheoremRecord]] = {}
    for record in records:
        groups.setdefault((record.matcher, record.costs), []).append(record)
    return [_tally(*names, group) for names, group in groups.items()]


def _tally(matcher: str, costs: str, records: Sequence[TheoremRecord]) -> Tally:
    errors = [record.error for record in records]
    optimal = [
        record.pair.identity_excess <= 1e-6 and record.pair.to_aligned.exact for record in records
    ]
    return Tally(
        matcher=matcher,
        costs=costs,
        number=len(records),
        printed=Counter(error.printed for error in errors),
        one_sided=Counter(error.one_sided for error in errors),
        corrected=Counter(error.corrected for error in errors),
        identity_optimal=float(np.mean(optimal)),
    )


def one_to_one(M: Array) -> tuple[int, ...]:
    """Round an assignment `[n1, n2]` to the one-to-one alignment with the largest sum; -1 for nodes
    without partner.
    """
    rows, columns = linear_sum_assignment(M, maximize=True)
    partner = np.full(len(M), DELETED)
    partner[rows] = columns
    return tuple(int(k) for k in partner)


def draw_pairs(graphs: Graphs, number: int, max_nodes: int, seed: int) -> list[tuple[int, int]]:
    """Draw pairs of different classes among the graphs of up to `max_nodes` nodes."""
    small = (graphs.sizes <= max_nodes).nonzero().flatten()
    labels = graphs.labels[small]
    if labels.unique().numel() < 2:
        raise UsageError(
            f"graphs of two classes with up to {max_nodes} nodes are needed; allow larger ones."
        )
    random = generator(seed, "pairs for edit distances")
    return [_pair(small, labels, random) for _ in range(number)]


def _pair(places: Tensor, labels: Tensor, random: torch.Generator) -> tuple[int, int]:
    first = int(torch.randint(len(places), (), generator=random))
    others = (labels != labels[first]).nonzero().flatten()
    second = int(others[torch.randint(len(others), (), generator=random)])
    return int(places[first]), int(places[second])
