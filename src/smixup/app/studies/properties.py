"""Table 1 from measurements: what each method does to the graphs it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import torch
from scipy.stats import ks_2samp
from torch import Tensor

from smixup.analysis.parents import Parents, tagged
from smixup.app.runs.build import make_method
from smixup.app.runs.registry import METHODS, SAME_NODES, chosen_matcher
from smixup.augment import Augmentation
from smixup.classifiers import GIN, Classifier
from smixup.datasets import load_dataset
from smixup.datasets.features import encode_features
from smixup.graphs import Graphs
from smixup.progress import silent
from smixup.seeding import generator, random_state_kept
from smixup.training import Splits, TrainSettings, fit

SIZE_LIMIT = 0.15
MOTIF_LIMIT = 0.9
NUM_GRAPHS = 300
JUDGE = TrainSettings(epochs=40, learning_rate=0.01, batch_size=32)

NEAR_HALF: Mapping[str, Mapping[str, object]] = {
    "s-mixup": {"partners": None, "amount": 1.0, "alpha": 200.0},
    "s-cut": {"partners": None, "amount": 1.0, "alpha": 200.0},
    "if-mixup": {"a": 200.0, "b": 200.0},
    "g-mixup": {"amount": 1.0},
    "fgw-mixup": {"amount": 1.0, "alpha": 200.0},
    "geomix": {"per_pair": 1, "low": 0.45, "high": 0.5},
    "ged-mixup": {"partners": 1, "alpha": 200.0},
}
"""Ratios near one half, where a motif is kept only by those who know where it is."""

UNTOUCHED = ("vanilla", "label-smoothing")
"""Methods that leave graphs as they are."""


@dataclass(frozen=True)
class Properties:
    """What Table 1 asks of a method.

    Attributes:
        instance_level: whether every graph that it makes comes from some of those that it was
            given.
        motif: share of what it makes of graphs of one class that a judge still finds in that class;
            None where it makes no graphs.
        mixes_features: whether it makes features that no node, or representation, had before.
        input_level: whether it makes graphs.
        size: largest difference between the distribution functions of sizes before and after
            (Kolmogorov-Smirnov).
    """

    instance_level: bool
    motif: float | None
    mixes_features: bool
    input_level: bool
    size: float

    @property
    def preserves_motif(self) -> bool:
        """Whether the judge is nearly always right."""
        return self.motif is not None and self.motif >= MOTIF_LIMIT

    @property
    def preserves_size(self) -> bool:
        """Whether sizes are distributed nearly as before."""
        return self.size < SIZE_LIMIT


def table_1(
    graphs: Graphs, judge: Classifier, matcher: Mapping[str, object]
) -> dict[str, Properties]:
    """Measure every method that changes graphs or representations.

    Args:
        graphs: a training split, see `motif_graphs`.
        judge: see `trained_judge`.
        matcher: settings of the matcher of those that have one, such as `matcher.max_steps`.
    """
    table = {}
    for name in METHODS:
        if name not in {*UNTOUCHED, *SAME_NODES}:
            aligns = chosen_matcher(name, {}) is not None
            settings = {**NEAR_HALF.get(name, {}), **(matcher if aligns else {})}
            table[name] = properties_of(partial(make_method, name, 0, settings), graphs, judge)
    return table


def motif_graphs(number: int = NUM_GRAPHS) -> Graphs:
    """Return graphs of MOTIF, with degrees for features."""
    graphs = load_dataset("MOTIF", num_graphs=number, features="degree").graphs
    return encode_features(graphs, torch.arange(number))


def trained_judge(graphs: Graphs) -> Classifier:
    """Return a classifier that tells the graphs' classes apart."""
    with random_state_kept():
        torch.manual_seed(0)
        judge = GIN(graphs.num_features, graphs.num_classes, hidden_channels=16, num_layers=3)
    fit(judge, Splits(graphs, graphs, graphs), Augmentation(), JUDGE)
    return judge


def properties_of(
    make: Callable[[], Augmentation], graphs: Graphs, judge: Classifier
) -> Properties:
    """Measure a method on labelled graphs, whose classes `judge` tells apart.

    Args:
        make: returns the method, fresh. Its ratio decides how much is left to recognise: compare at
            equal ratios.
        graphs: a training split with several graphs of every class.
        judge: a classifier trained on such graphs without augmentation.
    """
    made, instance_level = _made(make(), graphs, judge)
    if made is None:
        h = torch.arange(8.0).unsqueeze(1).exp()
        mixed = make().on_embedding(h, torch.eye(8))[0]
        return Properties(
            not torch.equal(mixed, h), None, _is_new(mixed, h), input_level=False, size=0.0
        )
    return Properties(
        instance_level=instance_level,
        motif=recognised(judge, made),
        mixes_features=_makes_features(make(), graphs, judge),
        input_level=True,
        size=float(ks_2samp(graphs.sizes.numpy(), made.sizes.numpy()).statistic),
    )


def _made(method: Augmentation, graphs: Graphs, judge: Classifier) -> tuple[Graphs | None, bool]:
    """Return the graphs that a method makes, and whether it makes them of batches."""
    train = method.fit_extend(tagged(graphs), silent)
    method.bind(judge)
    if len(train) > len(graphs):
        new = train[range(len(graphs), len(train))]
        return (new, False) if Parents.of(new) is None else (_added(method, graphs), True)
    return _made_of_batches(method, graphs), True


def _added(method: Augmentation, graphs: Graphs) -> Graphs:
    """Return the graphs that a method adds to those of each class alone."""
    made = []
    for label in graphs.labels.unique():
        alone = graphs[(graphs.labels == label).nonzero().squeeze(1)]
        made.append(method.fit_extend(alone, silent)[len(alone) :])
    return Graphs.cat(made)


def _makes_features(method: Augmentation, graphs: Graphs, judge: Classifier) -> bool:
    """Whether features come out that did not go in, where every node has its own."""
    x = torch.randn(graphs.x.shape, generator=generator(0, "properties"))
    made, _ = _made(method, graphs.replace(x=x, degree_encoding=None), judge)
    return made is not None and _is_new(made.x, x)


def _made_of_batches(method: Augmentation, graphs: Graphs) -> Graphs | None:
    """Return what a method makes of each class alone, without originals that it kept; None if it
    makes nothing.
    """
    made = []
    for label in graphs.labels.unique():
        batch = graphs[(graphs.labels == label).nonzero().squeeze(1)]
        found = method.on_batch(batch)
        if found is batch:
            return None
        kept = len(batch) if len(found) > len(batch) else 0
        made.append(found[kept:])
    return Graphs.cat(made)


@torch.no_grad()
def recognised(judge: Classifier, made: Graphs) -> float:
    """Return the share of graphs that the judge puts in the class of their target."""
    judge.eval()
    return float((judge(made).argmax(1) == made.y.argmax(1)).float().mean())


def _is_new(rows: Tensor, before: Tensor) -> bool:
    """Whether most of the rows are none of those before."""
    known, found = before.unique(dim=0), rows.unique(dim=0)
    both, counts = torch.cat([known, found]).unique(dim=0, return_counts=True)
    return int((counts > 1).sum()) * 2 < len(found) and len(both) > len(known)
