"""What the mixes of any method look like: where they lie, what a judge says of them, what a network
sees of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch

from smixup.analysis.drift import drift
from smixup.analysis.duplicates import duplicates
from smixup.analysis.feature_range import outside_range
from smixup.analysis.interpolation import Pair, interpolation_error
from smixup.analysis.label_fidelity import label_fidelity
from smixup.analysis.matcher_quality import motif_mass
from smixup.analysis.mixes import Mixes, make_mixes
from smixup.analysis.motif_kept import motif_kept
from smixup.analysis.row_sums import RowSums
from smixup.analysis.transport_error import Coupling, transport_error
from smixup.app.runs.build import make_method
from smixup.app.runs.config import configure
from smixup.app.runs.opened import Opened, open_dataset
from smixup.app.runs.registry import method_settings
from smixup.app.runs.run import initial_model
from smixup.app.studies.audit_report import AlignmentQuality, Audited, AuditReport, Effort
from smixup.app.studies.audit_rows import RATIOS, ROWS, Row
from smixup.app.studies.properties import properties_of, recognised
from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.edits.edit_costs import METRIC
from smixup.edits.edit_distance import EditDistance, EditSolver
from smixup.edits.frank_wolfe import FrankWolfe
from smixup.errors import SmixupError, unknown_name
from smixup.graphs import Graphs
from smixup.matching import LearnedMatcher, Matcher
from smixup.matching.learned import AFTER_TRAINING
from smixup.matching.triplet import TripletSampler
from smixup.optional import require_optional
from smixup.progress import Progress, Report, silent
from smixup.seeding import generator
from smixup.training import Splits, fit
from smixup.training.norm_monitor import farthest_from_one, originals_std

SOLVER = EditSolver(FrankWolfe(starts=24), seconds=1.0)
"""Less effort than the default, at a share of the time: what stays open is told with its bounds."""


def audit(
    dataset: str = "MOTIF",
    rows: Sequence[Row] = ROWS,
    ratios: str = "uniform",
    backbone: str = "gin",
    seed: int = 0,
    root: Path | None = None,
    options: Mapping[str, Any] | None = None,
    effort: Effort | None = None,
    report: Report = silent,
) -> AuditReport:
    """Let methods mix held-out graphs, and measure their mixes.

    What learns, judge and matchers, learns from the training split; what is mixed are graphs of
    validation and test split, so that nothing has learnt from them.

    Args:
        dataset: a name in any case.
        rows: the methods.
        ratios: a name of `RATIOS`.
        backbone: of the judge, a classifier trained without augmentation.
        seed: of everything.
        root: the data root.
        options: parameters of the dataset.
        effort: how much is measured.
        report: told of every step.
    """
    if ratios not in RATIOS:
        raise unknown_name("choice of ratios", ratios, RATIOS)
    require_optional("ot", "POT", "matching", "an audit")  # for distances between graphs
    for row in rows:
        method_settings(row.method, row.settings)  # before anything that takes time
    effort = effort or Effort()
    opened = open_dataset(dataset, seed, root=root, options=options)
    graphs = sample(opened.held_out, effort, seed)
    judge = trained_judge(opened, backbone, effort.judge_epochs, root, report)
    auditor = Auditor(opened, graphs, judge, effort, RATIOS[ratios], report)
    done = []
    for place, row in enumerate(rows):
        done.append(auditor.audited(row))
        report(Progress("audit", place + 1, len(rows)))
    return AuditReport(
        dataset=opened.dataset,
        seed=seed,
        backbone=backbone,
        accuracy=recognised(judge, graphs),
        ratios=ratios,
        graphs=len(graphs),
        small=len(auditor.small),
        effort=effort,
        rows=done,
    )


def sample(graphs: Graphs, effort: Effort, seed: int) -> Graphs:
    """Return graphs to mix: at random, none larger than allowed."""
    order = torch.randperm(len(graphs), generator=generator(seed, "audited graphs"))
    order = order[graphs.sizes[order] <= effort.max_nodes][: effort.graphs]
    if len(order) < 2:
        raise SmixupError(
            f"of {len(graphs)} held-out graphs, {len(order)} have at most {effort.max_nodes} "
            "nodes, and it takes two to mix: raise --max-nodes."
        )
    return graphs[order].renumbered()


def trained_judge(
    opened: Opened, backbone: str, epochs: int, root: Path | None = None, report: Report = silent
) -> Classifier:
    """Train a classifier without augmentation, at the settings of a run on the dataset."""
    config = configure(opened.dataset, backbone, "vanilla", opened.seed, root)
    config = replace(config, epochs=min(config.epochs, epochs))
    judge = initial_model(opened.train, config)
    splits = Splits(opened.train, opened.validation, opened.test)
    fit(judge, splits, Augmentation(), config.train_settings(), report)
    return judge.eval()


@dataclass
class Auditor:
    """What the rows share.

    Attributes:
        opened: the dataset; matchers are fitted on its training split.
        graphs: to mix.
        judge: a trained classifier.
        effort: how much is measured.
        ratios: settings by method.
        report: told of every step.
        fitted: matchers that are fitted already.
        edits, couplings: distances between originals that are known already.
    """

    opened: Opened
    graphs: Graphs
    judge: Classifier
    effort: Effort
    ratios: Mapping[str, Mapping[str, Any]]
    report: Report = silent
    fitted: list[LearnedMatcher] = field(default_factory=list)
    edits: dict[Pair, EditDistance] = field(default_factory=dict)
    couplings: dict[Pair, Coupling] = field(default_factory=dict)

    @cached_property
    def small(self) -> Graphs:
        """The graphs whose mixes are measured by edit distances."""
        return self.graphs[(self.graphs.sizes <= self.effort.small_nodes).nonzero().squeeze(1)]

    def audited(self, row: Row) -> Audited:
        """Measure one method."""
        started, seed = time.perf_counter(), self.opened.seed
        settings = {**self.ratios.get(row.method, {}), **row.settings}
        make = partial(make_method, row.method, seed, settings, self.ready)
        mixes = self._mixes(make, self.graphs, self.effort.mixes)
        few = self.effort.distances
        small = self._mixes(make, self.small, 2 * few) if len(self.small) > 1 else Mixes(self.small)
        pairs = mixes.only_pairs()
        made = mixes.graphs
        return Audited(
            title=row.title,
            method=row.method,
            settings=settings,
            mixes=len(mixes),
            pairs=len(pairs) / len(mixes) if mixes.parents and len(mixes) else None,
            lam=float(pairs.parents.lam.mean()) if pairs.parents and len(pairs) else None,
            edit=interpolation_error(small.only_pairs(few), METRIC, SOLVER, self.edits),
            transport=transport_error(mixes.only_pairs(few), known=self.couplings),
            label=label_fidelity(mixes, self.judge),
            drift=drift(mixes),
            duplicates=None if made is None else _share(duplicates(made, mixes.originals)),
            outside=None if made is None else _share(outside_range(made, mixes.originals)),
            originals_std=None if made is None else self._originals_std(made, make()),
            alignment=self._alignment(make()),
            properties=properties_of(make, self.graphs, self.judge),
            seconds=time.perf_counter() - started,
        )

    def ready(self, matcher: Matcher) -> Matcher:
        """Return a matcher fitted on the training split; matchers that differ only in what they
        make of their scores share one fit.
        """
        if not isinstance(matcher, LearnedMatcher):
            return matcher if matcher.fitted else matcher.fit(self.opened.train, self.report)
        known = next((each for each in self.fitted if _learn_alike(each, matcher)), None)
        if known is None:
            self.fitted.append(matcher.fit(self.opened.train, self.report))
            return matcher
        for name in ("network", "inputs", "calibrated_temperature", "num_classes"):
            setattr(matcher, name, getattr(known, name))
        return matcher

    def _mixes(self, make: Callable[[], Augmentation], graphs: Graphs, number: int) -> Mixes:
        return make_mixes(make(), graphs, number, self.judge, self.opened.seed)

    def _originals_std(self, mixes: Graphs, method: Augmentation) -> float | None:
        number = min(len(mixes), len(self.graphs))
        batch = self.graphs[:number], mixes[:number]
        return farthest_from_one(originals_std(self.judge, *batch, method.norm_from_originals))

    def _alignment(self, method: Augmentation) -> AlignmentQuality | None:
        matcher = getattr(method, "matcher", None)
        if not isinstance(matcher, Matcher):
            return None
        random = generator(self.opened.seed, "audited pairs")
        first, second = torch.randint(len(self.graphs), (2, self.effort.mixes), generator=random)
        sums = RowSums.of(matcher(self.graphs[first], self.graphs[second]))
        if self.graphs.motif is None:
            return AlignmentQuality(sums, None, None)
        anchor, same, _ = TripletSampler.of(self.graphs.labels).draw(self.effort.mixes, random)
        left, right = self.graphs[anchor], self.graphs[same]
        M = matcher(left, right)
        return AlignmentQuality(
            sums, float(motif_kept(M, left, right).mean()), motif_mass(M, left, right)
        )


def _learn_alike(one: LearnedMatcher, other: LearnedMatcher) -> bool:
    """Whether two matchers learn the same. A perplexity is calibrated for one way to assign."""
    ours, theirs = one.settings, other.settings
    free = AFTER_TRAINING if one.perplexity is None and other.perplexity is None else ()
    return type(one) is type(other) and all(
        ours[name] == theirs[name] for name in ours if name not in free
    )


def _share(flags: torch.Tensor) -> float:
    return float(flags.float().mean())
