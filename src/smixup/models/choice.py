"""Which model for these few graphs? Forest, kernel machine and network are judged on the same
folds; the best of them, or a blend, is kept.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from smixup.augment import Augmentation, SMixup
from smixup.classical.base import Classical
from smixup.datasets.features import Encoder, fit_encoder
from smixup.datasets.splits import fold_split
from smixup.errors import SmixupError, require
from smixup.graphs import Graphs
from smixup.models.blend import Blend
from smixup.models.calibration import Calibration
from smixup.models.model import EDGE_FEATURES, Backbone, Model, together
from smixup.progress import Progress, Report, silent
from smixup.seeding import derive, generator, random_state_kept
from smixup.tasks import Task, Values
from smixup.training import Splits, fit
from smixup.training.evaluation import Outputs
from smixup.training.metrics import Metric
from smixup.training.settings import RECIPE_SIZES, recipe

FOLDS, REPEATS, PICKS, RESAMPLES = 5, 3, 8, 500
FEWEST = 2 * FOLDS
CANDIDATES = {
    "forest": ("forest", "vanilla"),
    "wl-svm": ("wl-svm", "vanilla"),
    "network": ("wide", "vanilla"),
    "network, s-mixup": ("wide", "s-mixup"),
}
"""Backbone and method of what is tried, the quickest first."""


@dataclass
class Tried:
    """A candidate on all folds.

    Attributes:
        backbone, method: what it is.
        outputs: of every graph by models that did not see it `[G, C]`, one for each repetition.
        models: those of the first repetition, one a fold.
        temperature: by which outputs are divided.
        score, low, high: with a 95 % interval over graphs.
    """

    backbone: str
    method: str
    outputs: list[Tensor] = field(default_factory=list)
    models: list[nn.Module] = field(default_factory=list)
    temperature: float = 1.0
    score: float = math.nan
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Choice:
    """What is kept, and what was tried.

    Attributes:
        model: the best candidate, or a blend of some.
        weights: of the candidates that it consists of.
        tried: what was tried, by name.
        score: of the choice, on graphs that its parts did not see.
        sure: the share of resampled sets of graphs on which no single candidate scores higher.
        left_out: candidates for which there was no time.
    """

    model: Model
    weights: Mapping[str, float]
    tried: Mapping[str, Tried]
    score: float
    sure: float
    left_out: Sequence[str]


def choose_model(
    graphs: Graphs,
    task: Task,
    metric: Metric,
    *,
    seed: int = 0,
    budget: float = 300.0,
    report: Report = silent,
    candidates: Mapping[str, tuple[str, str]] = CANDIDATES,
) -> Choice:
    """Judge candidates by repeated cross-validation, and keep the best or a blend.

    Args:
        graphs: with targets, and features as they were read.
        task: what is asked of them.
        metric: the score that the choice goes by; a blend's weights go by the loss.
        seed: of folds and models.
        budget: seconds. A network for which they do not last is left out; what remains is spent on
            more repetitions.
        report: told of every fold.
        candidates: backbone and method by name.
    """
    number = len(graphs)
    require(number >= FEWEST, "number of graphs", number, f"{FEWEST} or more to choose a model")
    metric(torch.zeros_like(graphs.y), task.truth(graphs.y))  # which refuses graphs without a score
    trial = Trial(graphs, task, metric, seed, time.monotonic() + budget, report)
    every = {name: Tried(*candidate) for name, candidate in candidates.items()}
    tried = {name: each for name, each in every.items() if trial.run(name, each, 0)}
    for repeat in range(1, REPEATS):
        if time.monotonic() + trial.spent / repeat < trial.deadline:
            for name, each in tried.items():
                trial.run(name, each, repeat)
    outputs = {name: trial.calibrated(each) for name, each in tried.items()}
    choices = [{name: 1.0} for name in tried]
    blend = greedy_blend(outputs, trial.graphs.y, trial.task)
    choices += [blend] if len(blend) > 1 else []
    joined = [trial.blended(outputs, weights) for weights in choices]
    place = max(range(len(choices)), key=lambda place: trial.merit(joined[place]))
    scores = trial.resampled(joined)
    for each, said, row in zip(tried.values(), joined, scores, strict=False):
        each.score = trial.score(said)
        each.low, each.high = row.quantile(torch.tensor([0.025, 0.975])).tolist()
    gains = scores if metric.higher else -scores
    sure = float((gains[place] >= gains[: len(tried)].max(0).values).float().mean())
    model = trial.kept(choices[place], tried, joined[place])
    left_out = [name for name in every if name not in tried]
    return Choice(model, choices[place], tried, trial.score(joined[place]), sure, left_out)


def greedy_blend(outputs: Mapping[str, Tensor], y: Tensor, task: Task) -> dict[str, float]:
    """Return weights of models: again and again the one is added that lowers the loss of the mean
    most (Caruana et al. 2004).
    """
    picks, best = list[str](), math.inf
    for _ in range(PICKS):
        losses = {
            name: float(task.loss(together(task, [outputs[each] for each in [*picks, name]]), y))
            for name in outputs
        }
        name = min(losses, key=lambda each: losses[each])
        if losses[name] >= best:
            break
        best = losses[name]
        picks.append(name)
    return {name: picks.count(name) / len(picks) for name in dict.fromkeys(picks)}


class Trial:
    """What candidates are tried on, and until when."""

    def __init__(
        self, graphs: Graphs, task: Task, metric: Metric, seed: int, deadline: float, report: Report
    ) -> None:
        self.encoder: Encoder = fit_encoder(graphs, torch.arange(len(graphs)))
        self.graphs, self.task = self.encoder(graphs), task.fitted(graphs.y)
        self.metric, self.seed, self.report = metric, seed, report
        self.deadline, self.spent, self.longest = deadline, 0.0, 0.0

    def run(self, name: str, tried: Tried, repeat: int) -> bool:
        """Train a candidate on every fold; tell whether there was time to."""
        if self.longest and time.monotonic() + self.longest > self.deadline:
            return False
        strata = self.task.strata(self.graphs.y)
        outputs, started = torch.zeros(len(strata), self.task.width), time.monotonic()
        for place in range(FOLDS):
            self.report(Progress(f"{name}, repetition {repeat + 1}", place, FOLDS, unit="folds"))
            split = fold_split(strata, FOLDS, place, derive(self.seed, f"folds {repeat}"))
            rest, number = torch.cat([split.train, split.validation]), FOLDS * repeat + place
            model, outputs[split.test] = self.fitted(tried, rest, split.test, number)
            tried.models += [model] if repeat == 0 else []
            seconds = time.monotonic() - started
            late = started + FOLDS * seconds / (place + 1) > self.deadline
            if repeat == 0 and late and not isinstance(model, Classical):
                return False
        self.spent, self.longest = self.spent + seconds, max(self.longest, seconds)
        tried.outputs.append(outputs)
        return True

    def fitted(
        self, tried: Tried, rows: Tensor, others: Tensor, number: int
    ) -> tuple[nn.Module, Tensor]:
        """Train one model on some graphs, and return what it says of others."""
        seed = derive(self.seed, f"model {number}") % 2**31
        augment = SMixup(seed=seed) if tried.method == "s-mixup" else Augmentation()
        with random_state_kept():
            torch.manual_seed(seed)
            model = self.backbone(tried).build()
        plain = "mae" if isinstance(self.task, Values) else "accuracy"  # which no graph lacks
        held = self.graphs[others]
        data = Splits(self.graphs[rows], held, held, plain, self.task)
        return model.eval(), fit(model, data, augment, recipe(len(rows), seed)).validation.logits

    def backbone(self, tried: Tried) -> Backbone:
        """Return the backbone of a candidate."""
        return Backbone.of(tried.backbone, self.graphs, **RECIPE_SIZES)

    def calibrated(self, tried: Tried) -> Tensor:
        """Return the outputs of a candidate `[G, C]`, at the temperature that suits them."""
        outputs = together(self.task, tried.outputs)
        tried.temperature = Calibration.of(Outputs(outputs, self.graphs.y), self.task).temperature
        return outputs / tried.temperature

    def blended(self, outputs: Mapping[str, Tensor], weights: Mapping[str, float]) -> Tensor:
        """Return the outputs of a blend `[G, C]`."""
        return together(self.task, [outputs[name] for name in weights], [*weights.values()])

    def score(self, outputs: Tensor, rows: Tensor | slice = slice(None)) -> float:
        """Return the score of outputs for some graphs; nan where there is none, as a ROC-AUC of one
        class.
        """
        said = Outputs(outputs[rows], self.graphs.y[rows])
        try:
            return said.evaluated(self.metric, self.task).score
        except SmixupError:
            return math.nan

    def merit(self, outputs: Tensor) -> tuple[float, float]:
        """Return what the choice goes by: the score and, of equals, the lower loss."""
        sign = 1 if self.metric.higher else -1
        return sign * self.score(outputs), -float(self.task.loss(outputs, self.graphs.y))

    def resampled(self, outputs: Sequence[Tensor]) -> Tensor:
        """Return scores on the same resampled sets of graphs, of those that have one `[K, S]`."""
        random, number = generator(self.seed, "resampling"), len(self.graphs)
        draws = [torch.randint(number, (number,), generator=random) for _ in range(RESAMPLES)]
        scores = torch.tensor([[self.score(each, rows) for rows in draws] for each in outputs])
        return scores[:, ~scores.isnan().any(0)]

    def kept(self, weights: Mapping[str, float], tried: Mapping[str, Tried], said: Tensor) -> Model:
        """Return the model of a choice, whose outputs for unseen graphs are known: a network is the
        mean of those of all folds, anything else learns from all graphs again.
        """
        parts, modules = list[dict[str, Any]](), list[nn.Module]()
        edges = self.graphs.num_edge_features
        every = torch.arange(len(self.graphs))
        for name, weight in weights.items():
            each, backbone = tried[name], self.backbone(tried[name])
            if isinstance(each.models[0], Classical):
                each.models = [self.fitted(each, every, every, 0)[0]]
            for model in each.models:
                kind = {"class": backbone.kind, "settings": dict(backbone.settings)}
                share = {"weight": weight / len(each.models), "temperature": each.temperature}
                parts.append({**kind, **share})
                modules.append(model.cpu().eval())
        about = {"parts": parts, "task": self.task.to_dict(), EDGE_FEATURES: edges}
        backbone = Backbone("Blend", about)
        blend = backbone.build()
        assert isinstance(blend, Blend)
        blend.parts = nn.ModuleList(modules)
        calibration = Calibration.of(Outputs(said, self.graphs.y), self.task)
        return Model(self.task, backbone, (blend.eval(),), self.encoder, calibration)
