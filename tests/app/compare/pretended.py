"""Runs of a comparison that nobody computes: each method is right on a known share of graphs."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from smixup.app import compare as running
from smixup.app.compare import Comparison, comparison
from smixup.app.compare.settings import CompareSettings
from smixup.app.runs.predictions import from_bytes, to_bytes
from smixup.app.runs.run import RunResult
from smixup.app.workers import Job, Outcome

GRAPHS = 120
OWN = 0.2
EQUAL = {"vanilla": 0.5, "s-mixup": 0.5, "drop-edge": 0.5, "random-order": 0.5}
BETTER = EQUAL | {"s-mixup": 0.95}


@dataclass
class Pretended:
    """Does jobs at once, in place of `run_jobs`: each method has a share of graphs that it gets
    right, seconds that a run takes, and perhaps an error; `random-order` is S-Mixup's control.
    """

    right: Mapping[str, float] = field(default_factory=lambda: EQUAL)
    seconds: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    metric: str = "accuracy"
    now: float = 0.0
    done: list[tuple[str, int]] = field(default_factory=list)

    def __call__(
        self, jobs: Iterable[Job], workers: int = 1, **others: Any
    ) -> Generator[Outcome, None, None]:
        for job in jobs:
            yield self.outcome(job)

    def outcome(self, job: Job) -> Outcome:
        config = job.config
        name = str(config.method_settings.get("matcher", config.method))
        self.done.append((name, config.seed))
        if name in self.errors:
            return Outcome(job.key, error=self.errors[name])
        seconds = self.seconds.get(name, 1.0)
        self.now += seconds
        return Outcome(job.key, self.result(name, config.fold, config.seed), seconds=seconds)

    def result(self, name: str, fold: int, seed: int) -> RunResult:
        random = np.random.default_rng([seed, *name.encode()])
        luck = np.random.default_rng([seed]).random(GRAPHS)  # shared by all methods at a seed,
        luck = np.where(random.random(GRAPHS) < OWN, random.random(GRAPHS), luck)  # but for some
        positions = np.arange(fold, GRAPHS, 10)
        labels = positions % 2
        right = luck[positions] < self.right[name]
        answers = np.where(right, labels, 1 - labels)
        logits = np.zeros((len(positions), 2))
        logits[np.arange(len(positions)), answers] = 2.0 + random.random(len(positions))
        others = np.arange((fold + 1) % 10, GRAPHS, 10)
        kept = to_bytes((logits, others % 2, others), (logits, labels, positions), GRAPHS)
        by_class = self.metric in ("accuracy", "rocauc")
        loss = float(np.nanmean(from_bytes(kept).log_loss())) if by_class else math.nan
        scores = {"test": float(right.mean()), "validation": 0.5, "best_epoch": 1, "epochs": 2}
        others = {"seconds": 1.0, "test_loss": 0.5, "calibration_error": 0.1, "versions": {}}
        about: Any = {**scores, **others, "predictions": kept if by_class else b""}
        return RunResult(self.metric, temperature=1.0, scaled_loss=loss, **about)


def asked(*methods: str, control: bool = False, **others: Any) -> CompareSettings:
    options = {"num_graphs": GRAPHS}
    names = methods or ("s-mixup",)
    return CompareSettings("MOTIF", names, control=control, dataset_options=options, **others)


def run(settings: CompareSettings, store: Path, pretended: Pretended | None = None) -> Comparison:
    """Compare methods by runs that nobody computes."""
    pretended = pretended or Pretended()
    with (
        patch.object(running, "run_jobs", pretended),
        patch.object(comparison, "monotonic", lambda: pretended.now),
        patch.object(comparison, "metric_of", lambda *_: SimpleNamespace(name=pretended.metric)),
    ):
        return running.run_pairs(settings, store)
