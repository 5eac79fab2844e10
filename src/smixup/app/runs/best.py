"""`smixup train DATA` without a model: the best of several is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from smixup.app.runs.config import configure, train_command
from smixup.app.runs.data import data_notes, metric_of, task_of, used_edges, with_balance
from smixup.app.runs.model import Kept, Tell, data_about
from smixup.app.runs.run import versions
from smixup.datasets.catalogue import open_or_load
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.models.choice import Choice, choose_model
from smixup.models.model import saved_model
from smixup.progress import Report
from smixup.training.evaluation import Outputs

NETWORK = "wide"


def train_best(
    data: str,
    seed: int,
    budget: float,
    *,
    out: str | Path | None,
    root: Path | None,
    report: Report,
    tell: Tell,
    **changes: Any,
) -> Kept:
    """Choose among models by cross-validation on all graphs but an official test split, see
    `smixup.train`.
    """
    config = configure(data, NETWORK, "vanilla", seed, root, **changes)
    if out is not None:
        saved_model(out).require_place()
    dataset = open_or_load(config.dataset, root, **config.dataset_options)
    if not isinstance(dataset.graphs, Graphs):
        raise UsageError(f"{dataset.name} is on disk, where one model is trained: name it, gin.")
    notes, task, metric = data_notes(dataset, config), task_of(dataset), metric_of(dataset, config)
    task = with_balance(task, config, dataset.name)
    for note in notes:
        tell(note)
    graphs, split = used_edges(dataset.graphs, NETWORK), dataset.split
    seen = torch.cat([split.train, split.validation]) if split else torch.arange(len(graphs))
    choice = choose_model(graphs[seen], task, metric, seed=seed, budget=budget, report=report)
    sizes = {"kind": "cross-validation", "train": len(seen)}
    scores = {
        "metric": metric.name,
        "cross-validated": choice.score,
        "sure": choice.sure,
        "tried": {
            name: {"score": each.score, "low": each.low, "high": each.high}
            for name, each in choice.tried.items()
        },
        "weights": dict(choice.weights),
    }
    about = {
        "data": data_about(dataset, config),
        "split": sizes,
        "scores": scores,
        "versions": versions(),
        "command": f"{train_command(config, root=root, out=out, alone=False)} --budget {budget:g}",
        "notes": list(dataset.notes),
    }
    model = replace(choice.model, reading=dataset.reading, about=about)
    if split:
        test, sizes["test"] = graphs[split.test], len(split.test)
        scores["test"] = Outputs(model.logits(test), test.y).evaluated(metric, model.task).score
    if out is not None:
        model.save(out)
    return Kept(model, (), config, notes, replace(choice, model=model))


def told(choice: Choice, metric: str) -> list[str]:
    """Say what was tried, what is kept, and how sure that is."""
    lines = [
        f"  {name:18}{each.score:.4f}  [{each.low:.4f}, {each.high:.4f}]"
        for name, each in choice.tried.items()
    ]
    lines += [f"  {name:18}left out: no time within the budget" for name in choice.left_out]
    kept = " and ".join(
        f"{weight:.0%} {name}" if len(choice.weights) > 1 else name
        for name, weight in choice.weights.items()
    )
    return [
        f"{metric} by cross-validation, with 95 % intervals:",
        *lines,
        f"Kept: {kept}, {choice.score:.4f}. In {choice.sure:.0%} of resampled sets of graphs "
        "nothing else that was tried scores higher.",
    ]
