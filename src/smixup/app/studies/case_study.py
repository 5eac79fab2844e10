"""The case study of Sec. 5.1 and 6.4: is the motif still there when two graphs of a class are
mixed?

One pair, chosen by the seed, to look at; and the share of the motif kept over many held-out pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from scipy.stats import spearmanr
from torch import Tensor

from smixup.app.runs.opened import open_dataset
from smixup.app.studies.look import FULL, require_fit, with_fit
from smixup.app.studies.match_quality import (
    OURS,
    PAPERS_STEPS,
    PUBLISHED,
    RANDOM,
    UNIFORM,
    comparable_published,
    named,
)
from smixup.app.studies.mixed_pair import TRANSPORT, MixedPair
from smixup.app.tables.comparison import Difference
from smixup.augment.adaptive import distortion
from smixup.augment.transport import TRANSPORTS, Transport
from smixup.errors import require
from smixup.graphs import Graphs
from smixup.matching import Matcher
from smixup.matching.quality import motif_kept
from smixup.matching.triplet import TripletSampler
from smixup.progress import Report, silent, within
from smixup.seeding import generator

SHOWN = (RANDOM, OURS)
LAM = 0.5
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
        interval, shown = (kept.mean, kept.low, kept.high), float(shares[0])
        foretold = rank_correlation(1 - lost, shares)
        return cls(matcher, *interval, shown, float(lost.mean()), foretold)


@dataclass(frozen=True)
class CaseStudy:
    """A pair of one class, and what each matcher keeps of the motif.

    Attributes:
        seed: that chose the pairs.
        number: of pairs.
        rows: one per matcher.
        shown: the first pair, mixed in random order and by S-Mixup.
        fit: of S-Mixup's matcher, `quick` or `full`; None for one that was saved.
        matchers: those that were measured, fitted, by name.
    """

    seed: int
    number: int
    rows: list[MotifShare]
    shown: dict[str, MixedPair]
    fit: str | None = FULL
    matchers: Mapping[str, Matcher] = field(default_factory=dict, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers, ready for JSON."""
        rows = [vars(row) for row in self.rows]
        return {"seed": self.seed, "pairs": self.number, "fit": self.fit, "matchers": rows}


def case_study(
    seed: int | None = None,
    saved: Path | None = None,
    num_pairs: int = 200,
    paper: bool = True,
    dataset_options: Mapping[str, Any] | None = None,
    report: Report = silent,
    lam: float = LAM,
    transport: str | Transport = TRANSPORT,
    fit: str = FULL,
    paper_steps: int = PAPERS_STEPS,
) -> CaseStudy:
    """Fit the matchers on the training split of MOTIF and mix pairs of one class of the other
    splits.

    Args:
        seed: see `open_dataset`; it also chooses the pairs.
        saved: the folder of a saved matcher, in place of one with default settings.
        num_pairs: how many; the first is the one to draw.
        paper: whether the paper's matcher (cosine, temperature 1) is fitted and measured too.
        dataset_options: parameters of MOTIF.
        report: told of every step.
        lam: the ratio of the mixes that are shown.
        transport: their way from M to G2', see `augment/transport.py`.
        fit: of the matcher with default settings, `quick` or `full`; see `studies/look.py`.
        paper_steps: for which the paper's matcher is fitted.
    """
    carry = TRANSPORTS.of(transport)
    require(num_pairs >= 1, "number of pairs", num_pairs, "1 or more")
    require_fit(fit)
    opened = open_dataset("MOTIF", seed, saved or OURS, options=dataset_options)
    opened = opened if saved else with_fit(opened, OURS, fit)
    matchers = named([RANDOM, UNIFORM], opened.seed)
    if paper:
        published = comparable_published(opened.seed, paper_steps)
        matchers[PUBLISHED] = published.fit(opened.train, within("the paper's", report))
    matchers[OURS] = opened.matcher(report)
    left, right = pairs_of_one_class(opened.held_out, num_pairs, opened.seed)
    rows, shown, first = [], {}, torch.tensor([0])
    for name, matcher in matchers.items():
        M = matcher(left, right)
        rows.append(MotifShare.of(name, motif_kept(M, left, right), distortion(M, left, right)))
        if name in SHOWN:  # the very assignment that was measured: a random one is drawn but once
            M = M.to_sparse().blocks_of(left.ptr, first, right.ptr)
            shown[name] = MixedPair.along(M, left[first], right[first], lam, carry)
    return CaseStudy(opened.seed, num_pairs, rows, shown, None if saved else fit, matchers)


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
