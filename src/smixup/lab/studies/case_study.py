"""The case study of Sec. 5.1 and 6.4: is the motif still there when two graphs of a class are
mixed?

One pair, chosen by the seed, to look at; and the share of the motif kept over many held-out pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from scipy.stats import spearmanr
from torch import Tensor

from smixup.analysis.motif_kept import motif_kept
from smixup.augment.adaptive import distortion
from smixup.errors import require
from smixup.graphs import Graphs, Operator
from smixup.lab.studies.match_quality import OURS, PUBLISHED, comparable_published, named, split_of
from smixup.lab.tables.comparison import Difference
from smixup.matching import GraphMatcher, Matcher
from smixup.matching.triplet import TripletSampler
from smixup.progress import Report, silent
from smixup.seeding import generator

RANDOM, UNIFORM = "random-order", "uniform"
HARDLY = 1e-3


@dataclass(frozen=True)
class MotifShare:
    """What one matcher keeps of the motif.

    Attributes:
        matcher: its name.
        mean: of `motif_kept` over the pairs.
        low, high: Student's 95 % interval of the mean.
        shown: of the pair that is drawn.
        distortion: the mean of what `augment.adaptive` estimates without knowing the motif.
        foretold: Spearman's rank correlation of `1 - distortion` with the shares; None if either is
            constant.
    """

    matcher: str
    mean: float
    low: float
    high: float
    shown: float
    distortion: float
    foretold: float | None

    @classmethod
    def of(cls, matcher: str, shares: Tensor, lost: Tensor) -> MotifShare:
        """Summarise one share and one distortion per pair; the first pair is the one that is
        drawn.
        """
        kept = Difference.between(shares.tolist(), [0.0] * shares.numel())
        shown, distortion = float(shares[0]), float(lost.mean())
        return cls(
            matcher,
            kept.mean,
            kept.low,
            kept.high,
            shown,
            distortion,
            rank_correlation(1 - lost, shares),
        )


@dataclass(frozen=True)
class CaseStudy:
    """A pair of one class, and what each matcher keeps of the motif.

    Attributes:
        seed: that chose the pairs.
        number: of pairs.
        rows: one per matcher.
        matchers: fitted, by name.
        left, right: the first pair, each a batch of one.
    """

    seed: int
    number: int
    rows: list[MotifShare]
    matchers: dict[str, Matcher]
    left: Graphs
    right: Graphs

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers, ready for JSON."""
        return {
            "seed": self.seed,
            "pairs": self.number,
            "matchers": [vars(row) for row in self.rows],
        }


def case_study(
    seed: int | None = None,
    saved: Path | None = None,
    num_pairs: int = 200,
    paper: bool = True,
    dataset_options: Mapping[str, Any] | None = None,
    report: Report = silent,
) -> CaseStudy:
    """Fit the matchers on the training split of MOTIF and mix pairs of one class of the other
    splits.

    Args:
        seed: of split, matchers and pairs; that of the saved matcher, else 0, if not given.
        saved: a folder that `GraphMatcher.save` wrote, in place of a matcher with default settings.
            The split is the one it was fitted with, so that it has seen none of the pairs.
        num_pairs: how many; the first is the one to draw.
        paper: whether the paper's matcher (cosine, temperature 1) is fitted and measured too.
        dataset_options: parameters of MOTIF.
        report: told of every step.
    """
    require(num_pairs >= 1, "number of pairs", num_pairs, "1 or more")
    own = None if saved is None else GraphMatcher.load(saved)
    seed = seed if seed is not None else 0 if own is None else own.seed
    _, data = split_of("MOTIF", seed if own is None else own.seed, options=dataset_options)
    matchers = named([RANDOM, UNIFORM], seed) | (
        {PUBLISHED: comparable_published(seed)} if paper else {}
    )
    matchers |= named([OURS], seed) if own is None else {}
    fitted = {name: matcher.fit(data.train, report) for name, matcher in matchers.items()}
    if own is not None:
        fitted[OURS] = own
    left, right = pairs_of_one_class(Graphs.cat([data.validation, data.test]), num_pairs, seed)
    rows = [_measured(name, matcher(left, right), left, right) for name, matcher in fitted.items()]
    return CaseStudy(seed, num_pairs, rows, fitted, left[:1], right[:1])


def _measured(name: str, M: Operator, left: Graphs, right: Graphs) -> MotifShare:
    return MotifShare.of(name, motif_kept(M, left, right), distortion(M, left, right))


def rank_correlation(one: Tensor, other: Tensor) -> float | None:
    """Return Spearman's rank correlation; None if one of the two hardly varies."""
    if min(float(each.max() - each.min()) for each in (one, other)) < HARDLY:
        return None
    return float(spearmanr(one.numpy(), other.numpy()).statistic)


def pairs_of_one_class(graphs: Graphs, number: int, seed: int) -> tuple[Graphs, Graphs]:
    """Draw pairs of different graphs of one class, one after another: more pairs begin with the
    same ones.
    """
    sampler, random = TripletSampler.of(graphs.labels), generator(seed, "case study")
    triplets = [sampler.draw(1, random) for _ in range(number)]
    anchor, positive, _ = (torch.cat(each) for each in zip(*triplets, strict=True))
    return graphs[anchor], graphs[positive]
