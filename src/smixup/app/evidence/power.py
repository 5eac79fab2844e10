"""The power of a plan: what difference could be seen, before anything is run."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated

from smixup.app.evidence.estimate import FEWEST, detectable_at
from smixup.errors import require_number
from smixup.ranges import Count, Natural, NotNegative, Positive, Range, RangedFields, Share

MOST = 1_000_000


@dataclass(frozen=True)
class Noise(RangedFields):
    """What is assumed of the differences between two methods, as shares of graphs.

    The defaults go by trainings of a GCN on IMDB-BINARY, PROTEINS and NCI1.

    Attributes:
        disagreement: q, the share of graphs that one of two trainings gets right and the other
            wrong; 0.05 to 0.12 between two initialisations.
        graph_deviation: the standard deviation of the true effect between graphs. Not measured:
            a method that changes one graph in two hundred for good has 0.07.
        split_deviation: the standard deviation of the effect between splits, beyond what the
            others explain: 2 points on IMDB-BINARY (3.7 seen on 100 test graphs, of which q
            explains 3.1 and graphs 0.7), none seen on PROTEINS; 1.5 is on the careful side.
    """

    disagreement: Share = 0.1
    graph_deviation: NotNegative = 0.07
    split_deviation: NotNegative = 0.015


NOISE = Noise()


@dataclass(frozen=True)
class Plan(RangedFields):
    """Which graphs are tested how often.

    Attributes:
        graphs: how many there are.
        splits: how many splits.
        tested: how many graphs are tested in each.
        initialisations: trainings per split.
        folds: splits that together test every graph once; 0 where test sets are drawn
            independently.
    """

    graphs: Annotated[int, Range(2, limit=10**9)]
    splits: Count
    tested: Positive
    initialisations: Count = 1
    folds: Natural = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("tested", self.tested, above=0, at_most=self.graphs)

    @classmethod
    def of_folds(cls, graphs: int, folds: int, repeats: int = 1, initialisations: int = 1) -> Plan:
        """Plan repeated k-fold: every graph is tested once per repeat and initialisation."""
        require_number("folds", folds, at_least=2, at_most=graphs, whole=True)
        require_number("repeats", repeats, at_least=1, whole=True)
        return cls(graphs, folds * repeats, graphs / folds, initialisations, folds)

    @property
    def trainings(self) -> int:
        """How many classifiers each method trains."""
        return self.splits * self.initialisations

    def error(self, noise: Noise = NOISE) -> tuple[float, float]:
        """Return the standard error of the mean difference by graph, and its degrees of freedom.

        The variance is s_g^2 / G_eff + s_t^2 / T + q / (trainings x tested), for T splits. G_eff is
        the number of graphs if all are tested equally often, and smaller where independent splits
        test some more often than others. Initialisations share their split, so that they lessen the
        last term alone. That q counts what graphs explain once more is a little careful. Degrees of
        freedom are Satterthwaite's, as in `two_way_variance`: the part that differs between splits
        has T - 1.
        """
        s_g, s_t, q = noise.graph_deviation**2, noise.split_deviation**2, noise.disagreement
        share = self.tested / self.graphs
        uneven = 0.0 if self.folds else (1 - share) / (self.splits * share)
        by_graphs = s_g / self.graphs * (1 + uneven)
        noise_left = q / (self.trainings * self.tested)
        variance = by_graphs + s_t / self.splits + noise_left
        # Test sets of different graphs differ by these, too.
        apart = s_g / self.graphs * ((1 - share) / (self.splits * share))
        by_splits = s_t / self.splits + noise_left + apart
        if self.splits < 2 or variance == 0:
            return math.sqrt(variance), float(self.splits - 1)
        graphs = (by_graphs + noise_left) ** 2 / (self.graphs - 1)
        return math.sqrt(variance), variance**2 / (by_splits**2 / (self.splits - 1) + graphs)


def detectable(plan: Plan, noise: Noise = NOISE) -> float:
    """Return the true difference that a plan finds with a chance of 80 %.

    Found means that the 95 % interval of `paired_graphs` leaves zero out. Fewer than three splits
    find nothing.

        detectable(Plan.of_folds(1113, folds=10, repeats=3))      # PROTEINS: 0.019, 1.9 points
        detectable(Plan(4110, splits=20, tested=3710))            # NCI1, 200 labels: 0.011
    """
    if plan.splits < FEWEST:
        return math.inf
    return detectable_at(*plan.error(noise))


def trainings_needed(plan: Plan, difference: float, noise: Noise = NOISE) -> int | None:
    """Return how many trainings of each method find a difference with a chance of 80 %.

    More splits of the same kind are planned, whole repeats of folds, until they suffice. None if no
    number does: graphs of one dataset differ, and more trainings do not make more graphs.

    Args:
        plan: graphs, test sets and initialisations; its number of splits does not matter.
        difference: as a share, 0.01 for one point.
        noise: what is assumed.
    """
    require_number("difference", difference, above=0)
    step = max(plan.folds, 1)

    def enough(steps: int) -> bool:
        return detectable(replace(plan, splits=steps * step), noise) <= difference

    most = 1
    while not enough(most):
        most *= 2
        if most > MOST:
            return None
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle, most)
    return most * step * plan.initialisations
