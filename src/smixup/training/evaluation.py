"""What a model is worth on graphs it does not train on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.classifiers import Classifier
from smixup.graphs import Graphs
from smixup.training.metrics import Metric

NODES_PER_BATCH = 8192  # larger batches leave the cache


@dataclass(frozen=True)
class Evaluation:
    """Loss and score of a model on one split."""

    loss: float
    score: float


def evaluation_batches(graphs: Graphs, device: torch.device | str = "cpu") -> list[Graphs]:
    """Return all graphs as batches on `device`, made once for the evaluations of all epochs."""
    mean_nodes = max(graphs.ptr[-1].item() / max(len(graphs), 1), 1.0)
    size = max(int(NODES_PER_BATCH / mean_nodes), 1)
    return [batch.to(device) for batch in graphs.batches(size)]


@torch.no_grad()
def predict(model: Classifier, batches: Sequence[Graphs]) -> tuple[Tensor, Tensor]:
    """Return logits and targets `[G, C]`."""
    model.eval()
    logits = torch.cat([model(batch) for batch in batches]).float()
    return logits, torch.cat([batch.y for batch in batches])


def evaluate(model: Classifier, batches: Sequence[Graphs], metric: Metric) -> Evaluation:
    """Return the mean loss and the score over all batches."""
    logits, y = predict(model, batches)
    return Evaluation(float(F.cross_entropy(logits, y)), metric(logits.softmax(1), y.argmax(1)))
