"""What a model is worth on graphs it does not train on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from smixup.graphs import Graphs, PackedGraphs
from smixup.memory import budget
from smixup.tasks import Task
from smixup.training.metrics import Metric, accuracy, calibration_error, metric_named

NODES_PER_BATCH = 8192  # larger batches leave the cache


@dataclass(frozen=True)
class Evaluation:
    """Loss and score of a model on one split."""

    loss: float
    score: float


@dataclass(frozen=True)
class Outputs:
    """What a model says of the graphs of one split, `logits [G, C]`, and their targets `y`."""

    logits: Tensor
    y: Tensor

    def evaluated(self, metric: Metric, task: Task) -> Evaluation:
        """Return the mean loss and the score."""
        loss = float(task.loss(self.logits, self.y))
        return Evaluation(loss, metric(task.predicted(self.logits), task.truth(self.y)))

    def cpu(self) -> Outputs:
        """Return a copy on the CPU."""
        return Outputs(self.logits.cpu(), self.y.cpu())


def beyond_one_score(outputs: Outputs, temperature: float = 1.0) -> dict[str, float]:
    """Return what a model of classes is worth, its logits divided by a temperature; the area under
    the ROC curve is nan where a class has no graph.
    """
    logits, labels = outputs.logits / temperature, outputs.y.argmax(1)
    probabilities = logits.softmax(1)
    ranked = labels.unique().numel() == logits.size(1)
    return {
        "accuracy": accuracy(probabilities, labels),
        "rocauc": metric_named("rocauc")(probabilities, labels) if ranked else math.nan,
        "loss": float(F.cross_entropy(logits, outputs.y)),
        "brier": float((probabilities - outputs.y).square().sum(1).mean()),
        "calibration_error": calibration_error(probabilities, labels),
    }


@dataclass(frozen=True)
class BatchesOnDemand:
    """Batches that are made in every evaluation anew."""

    graphs: Graphs | PackedGraphs
    size: int
    device: torch.device | str

    def __iter__(self) -> Iterator[Graphs]:
        return (batch.to(self.device) for batch in self.graphs.batches(self.size))


def evaluation_batches(
    graphs: Graphs | PackedGraphs, device: torch.device | str = "cpu"
) -> Iterable[Graphs]:
    """Return all graphs as batches on `device`, made once for the evaluations of all epochs; graphs
    on disk, and those that would take much of the memory, are batched one batch at a time.
    """
    mean_nodes = max(graphs.num_nodes / max(len(graphs), 1), 1.0)
    size = max(int(NODES_PER_BATCH / mean_nodes), 1)
    # Features that are kept in bytes take four times as much in batches.
    need = 4 * graphs.num_nodes * graphs.num_features
    batches = BatchesOnDemand(graphs, size, device)
    return batches if isinstance(graphs, PackedGraphs) or need > budget() / 4 else list(batches)


@torch.no_grad()
def predict(model: nn.Module, batches: Iterable[Graphs]) -> Outputs:
    """Return the logits of all batches, with their targets."""
    model.eval()
    logits, targets = zip(*((model(batch), batch.y) for batch in batches), strict=True)
    return Outputs(torch.cat(logits).float(), torch.cat(targets))
