"""Runs of a comparison that nobody computes: each method is right on a known share of graphs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from smixup.app.runs.predictions import Said, from_bytes, to_bytes
from smixup.app.runs.run import RunResult
from smixup.app.studies.compare import compare_dataset
from smixup.app.studies.compare_settings import CompareSettings
from smixup.app.studies.comparison import Comparison
from smixup.app.sweeps.in_process import InProcess
from smixup.app.sweeps.job import Job, Outcome

GRAPHS = 120
OWN = 0.2
DATA = {"num_graphs": GRAPHS}


@dataclass
class Pretended:
    """Does a job at once.

    Attributes:
        right: share of tested graphs that a method gets right, by method; `random-order` for
            S-Mixup's control.
        seconds: that a run says it took, by method.
        errors: methods that fail, with what they say.
        metric: whose scores are told; predictions are kept for accuracy alone.
        done: jobs so far, as method and seed.
    """

    right: Mapping[str, float]
    seconds: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    metric: str = "accuracy"
    done: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, job: Job) -> Outcome:
        config = job.config
        name = str(config["method_settings"].get("matcher", config["method"]))
        self.done.append((name, config["seed"]))
        if name in self.errors:
            return Outcome(job.id, None, self.errors[name])
        seconds = self.seconds.get(name, 1.0)
        return Outcome(job.id, self.result(name, config, seconds), None, seconds + 0.5)

    def result(self, name: str, config: Mapping[str, object], seconds: float) -> RunResult:
        fold, seed = int(str(config["fold"])), int(str(config["seed"]))
        random = np.random.default_rng([seed, *name.encode()])
        luck = np.random.default_rng([seed]).random(GRAPHS)  # shared by all methods at a seed,
        luck = np.where(random.random(GRAPHS) < OWN, random.random(GRAPHS), luck)  # but for some
        positions = np.arange(fold, GRAPHS, 10)
        labels = positions % 2
        right = luck[positions] < self.right[name]
        said = np.where(right, labels, 1 - labels)
        logits = np.zeros((len(positions), 2))
        logits[np.arange(len(positions)), said] = 2.0 + random.random(len(positions))
        others = np.arange((fold + 1) % 10, GRAPHS, 10)
        kept = to_bytes(Said(logits, others % 2, others), Said(logits, labels, positions), GRAPHS)
        by_class = self.metric in ("accuracy", "rocauc")
        return RunResult(
            metric=self.metric,
            test=float(right.mean()),
            validation=0.5,
            best_epoch=1,
            epochs=2,
            seconds=seconds,
            test_loss=0.5,
            calibration_error=0.1,
            versions={},
            temperature=1.0,
            scaled_loss=float(np.nanmean(from_bytes(kept).log_loss())) if by_class else math.nan,
            curves={name: [0.5, 0.4] for name in ("train_loss", "validation_loss", "validation")},
            predictions=kept if self.metric == "accuracy" else b"",
        )


EQUAL = {"vanilla": 0.5, "s-mixup": 0.5, "drop-edge": 0.5, "random-order": 0.5}


def compared(
    tmp_path: Path, *methods: str, right: dict[str, float], seeds: int = 30, **others: Any
) -> Comparison:
    """Compare methods on runs that nobody computes."""
    settings = CompareSettings("MOTIF", methods, dataset_options=DATA, seeds=seeds)
    engine = InProcess(Pretended(EQUAL | right, **others))
    return compare_dataset(settings, tmp_path / "runs.db", engine=engine)
