"""What the mixes of any method look like: where they lie, what a judge says of them, what a network
sees of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch

from smixup.analysis.drift import Drift, drift
from smixup.analysis.duplicates import duplicates
from smixup.analysis.edit_costs import METRIC
from smixup.analysis.edit_distance import EditDistance, EditSolver
from smixup.analysis.feature_range import outside_range
from smixup.analysis.frank_wolfe import FrankWolfe
from smixup.analysis.interpolation import InterpolationError, Pair, interpolation_error
from smixup.analysis.label_fidelity import LabelFidelity, label_fidelity
from smixup.analysis.matcher_quality import motif_mass
from smixup.analysis.mixes import Mixes, make_mixes
from smixup.analysis.motif_kept import motif_kept
from smixup.analysis.row_sums import RowSums
from smixup.analysis.transport_error import Coupling, TransportError, transport_error
from smixup.augment import Augmentation
from smixup.classifiers import Classifier
from smixup.errors import SmixupError, UsageError, require, unknown_name
from smixup.graphs import Graphs
from smixup.lab.runs.build import make_method
from smixup.lab.runs.config import configure
from smixup.lab.runs.opened import Opened, open_dataset
from smixup.lab.runs.presets import of_matcher
from smixup.lab.runs.registry import METHODS, method_settings
from smixup.lab.runs.run import initial_model
from smixup.lab.studies.match_quality import comparable_published
from smixup.lab.studies.properties import NEAR_HALF, Properties, properties_of, recognised
from smixup.matching import LearnedMatcher, Matcher
from smixup.matching.learned import AFTER_TRAINING
from smixup.matching.triplet import TripletSampler
from smixup.progress import Progress, Report, silent
from smixup.seeding import generator
from smixup.training import Splits, fit
from smixup.training.norm_monitor import farthest_from_one, originals_std

SOLVER = EditSolver(FrankWolfe(starts=24), seconds=1.0)
"""Less effort than the default, at a share of the time: what stays open is told with its bounds."""


@dataclass(frozen=True)
class Row:
    """A method to audit.

    Attributes:
        title: what the table calls it.
        method: a name of the registry.
        settings: fields of the method, and of its matcher, that differ from its defaults.
    """

    title: str
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)


def _paper() -> dict[str, Any]:
    settings = comparable_published(0).settings
    return of_matcher({name: value for name, value in settings.items() if name != "seed"})


SOFT = {"transport": "paper", "norm_from_originals": False}
BALANCED = {"transport": "balanced", "matcher.normalization": "sinkhorn(rounds=50)"}
RANDOM_ONE_TO_ONE = {"matcher": "random-order", "matcher.partial": True}

ROWS = (
    Row("m-mixup", "m-mixup"),
    Row("g-mixup", "g-mixup"),
    Row("submix", "submix"),
    Row("graph-transplant", "graph-transplant"),
    Row("if-mixup", "if-mixup"),
    Row("s-mixup", "s-mixup"),
    Row("s-mixup, label arrived", "s-mixup", {"label": "arrived"}),
    Row("s-mixup, edges kept", "s-mixup", {"transport": "partial(edges=true)"}),
    Row("s-mixup, soft consensus", "s-mixup", {"matcher.normalization": "consensus"}),
    Row("s-mixup, columns", "s-mixup", SOFT | {"matcher.normalization": "columns"}),
    Row("s-mixup, balanced", "s-mixup", SOFT | BALANCED),
    Row("s-mixup, paper's cosine", "s-mixup", SOFT | _paper()),
    Row("s-mixup, uniform", "s-mixup", SOFT | {"matcher": "uniform"}),
    Row("s-mixup, random order", "s-mixup", SOFT | {"matcher": "random-order"}),
    Row("s-mixup, random one-to-one", "s-mixup", RANDOM_ONE_TO_ONE),
)
"""What is audited by default; a line adds a row."""

RATIOS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "uniform": {
        "s-mixup": {"partners": None, "amount": 1.0, "alpha": 1.0},
        "if-mixup": {"a": 1.0, "b": 1.0},
        "m-mixup": {"alpha": 1.0, "per_pair": True},
        "g-mixup": {"amount": 1.0, "low": 0.5, "high": 1.0},
        "submix": {"share": 1.0},
    },
    "half": {
        **NEAR_HALF,
        "m-mixup": {"alpha": 200.0, "per_pair": True},
        "g-mixup": {"amount": 1.0, "low": 0.5, "high": 0.5},
        "submix": {"share": 1.0},
    },
    "own": {},
}
"""Settings that make ratios comparable: spread evenly over the range of each method, near one half,
or each method's own. Graph Transplant has no setting of its ratio.
"""


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        mixes: of every row.
        graphs: originals at most, drawn from the held-out ones.
        max_nodes: larger graphs are left out.
        distances: mixes whose distances to their graphs are taken, edit distances and others.
        small_nodes: edit distances are taken of mixes of graphs up to this size.
        judge_epochs: the judge is trained for so long at most.
    """

    mixes: int = 200
    graphs: int = 200
    max_nodes: int = 150
    distances: int = 60
    small_nodes: int = 16
    judge_epochs: int = 100

    def __post_init__(self) -> None:
        for name, least in {"mixes": 2, "graphs": 2, "distances": 1, "judge_epochs": 1}.items():
            require(
                getattr(self, name) >= least,
                name.replace("_", " "),
                getattr(self, name),
                f"{least} or more",
            )


@dataclass(frozen=True)
class Alignment:
    """What a method's matcher does, on the same pairs for every row.

    Attributes:
        row_sums: of M, any pairs.
        motif_edges: share of a motif's edges that arrive, pairs of one class; None without motifs.
        motif_mass: share of a motif's nodes that fall on a motif; None without motifs.
    """

    row_sums: RowSums
    motif_edges: float | None
    motif_mass: float | None


@dataclass(frozen=True)
class Audited:
    """One row; None stands for what a method does not have.

    Attributes:
        title, method, settings: what was audited.
        mixes: how many were made.
        pairs: share of mixes that have two graphs behind them.
        lam: their mean ratio.
        edit: interpolation error by edit distances, mixes of small graphs.
        transport: interpolation error by fused Gromov-Wasserstein distances.
        label: label fidelity.
        drift: of degrees, density and features.
        duplicates: share of mixes that equal an original.
        outside: share of nodes with features outside the range of the originals'.
        originals_std: behind the batch norm that is farthest from 1, in a batch of as many mixes as
            originals.
        alignment: of methods with a matcher.
        properties: Table 1.
        seconds: it took, with fitting.
    """

    title: str
    method: str
    settings: Mapping[str, Any]
    mixes: int
    pairs: float | None
    lam: float | None
    edit: InterpolationError | None
    transport: TransportError | None
    label: LabelFidelity | None
    drift: Drift | None
    duplicates: float | None
    outside: float | None
    originals_std: float | None
    alignment: Alignment | None
    properties: Properties
    seconds: float


@dataclass(frozen=True)
class AuditReport:
    """All rows, and on what they were measured.

    Attributes:
        dataset: its name.
        seed: of split, judge, matchers and methods.
        backbone: of the judge.
        accuracy: of the judge on the graphs of the audit.
        ratios: a name of `RATIOS`.
        graphs: held-out graphs that were mixed.
        small: those among which edit distances were taken.
        effort: how much was measured.
        rows: one per method.
    """

    dataset: str
    seed: int
    backbone: str
    accuracy: float
    ratios: str
    graphs: int
    small: int
    effort: Effort
    rows: list[Audited]

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON but for numbers that are none."""
        return asdict(self)


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


def rows_named(names: Sequence[str], settings: Mapping[str, str] | None = None) -> tuple[Row, ...]:
    """Return the rows of methods: those of `ROWS`, or one with given settings.

    Args:
        names: titles of rows, or names of the registry; all of `ROWS` if there are none.
        settings: fields of the method, which is then one.
    """
    if settings:
        if len(names) != 1:
            raise UsageError("settings are those of one method: name it with --method.")
        words = ", ".join(f"{name}={value}" for name, value in settings.items())
        return (Row(f"{names[0]}, {words}", names[0], method_settings(names[0], settings)),)
    return tuple(row for name in names for row in _rows_of(name)) if names else ROWS


def _rows_of(name: str) -> list[Row]:
    found = [row for row in ROWS if name in (row.title, row.method)]
    if not found and name not in METHODS.entries:
        raise unknown_name("method", name, {*METHODS.entries, *(row.title for row in ROWS)})
    return found or [Row(name, name)]


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
    config = configure(
        opened.dataset, backbone, "vanilla", opened.seed, root, epochs=min(config.epochs, epochs)
    )
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

    def _alignment(self, method: Augmentation) -> Alignment | None:
        matcher = getattr(method, "matcher", None)
        if not isinstance(matcher, Matcher):
            return None
        random = generator(self.opened.seed, "audited pairs")
        first, second = torch.randint(len(self.graphs), (2, self.effort.mixes), generator=random)
        sums = RowSums.of(matcher(self.graphs[first], self.graphs[second]))
        if self.graphs.motif is None:
            return Alignment(sums, None, None)
        anchor, same, _ = TripletSampler.of(self.graphs.labels).draw(self.effort.mixes, random)
        left, right = self.graphs[anchor], self.graphs[same]
        M = matcher(left, right)
        return Alignment(sums, float(motif_kept(M, left, right).mean()), motif_mass(M, left, right))


def _learn_alike(one: LearnedMatcher, other: LearnedMatcher) -> bool:
    """Whether two matchers learn the same. A perplexity is calibrated for one way to assign."""
    ours, theirs = one.settings, other.settings
    free = AFTER_TRAINING if one.perplexity is None and other.perplexity is None else ()
    return type(one) is type(other) and all(
        ours[name] == theirs[name] for name in ours if name not in free
    )


def _share(flags: torch.Tensor) -> float:
    return float(flags.float().mean())
