"""What a model says of validation graphs that had no part in choosing its epoch.

The validation split chooses the epoch, so that the chosen model looks better on it than it is: sets
of classes calibrated on 100 such graphs held the truth of new graphs 3.5 points too rarely at a
level of 0.8 (NCI1, `docs/models.md`). So every tenth of the validation split is judged by the model
of the epoch that the other nine tenths would have chosen. The model itself is still chosen by all.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.saved import Tensors
from smixup.seeding import generator
from smixup.tasks import Task
from smixup.training.evaluation import Outputs
from smixup.training.metrics import Metric
from smixup.training.settings import Selection, improves

FOLDS = 10


@dataclass
class Crossed:
    """Outputs on the validation split, each of an epoch that was chosen without its graph.

    Attributes:
        fold: of every validation graph `[V]`, the numbers 0, ..., K - 1.
        y: their targets `[V, C]`.
        logits: what is kept so far `[V, C]`.
        curves: score and loss of the graphs outside of each fold, of every epoch `[K, E, 2]`.
        best: the best epoch by each of these, counted from 1 `[K]`.
    """

    fold: Tensor
    y: Tensor
    logits: Tensor
    curves: Tensor
    best: Tensor

    @classmethod
    def of(cls, y: Tensor, task: Task, seed: int) -> Crossed:
        """Divide validation graphs with targets `y [V, C]` into ten folds with equal shares of
        every class; as many folds as graphs if these are fewer.
        """
        number = max(min(FOLDS, len(y)), 1)
        order = torch.randperm(len(y), generator=generator(seed, "crossed folds"))
        order = order[task.strata(y.cpu())[order].argsort(stable=True)]
        fold = torch.empty(len(y), dtype=torch.long)
        fold[order] = torch.arange(len(y)) % number
        nothing = torch.zeros(number, 0, 2, dtype=torch.double)
        best = torch.zeros(number, dtype=torch.long)
        return cls(fold, y.cpu(), torch.zeros(len(y), task.width), nothing, best)

    def record(self, outputs: Outputs, metric: Metric, task: Task, selection: Selection) -> None:
        """Take in what the model of an epoch says of the validation split."""
        logits = outputs.logits.cpu()
        parts = [self.fold != fold for fold in range(len(self.curves))]
        now = [_score_and_loss(Outputs(logits[part], self.y[part]), metric, task) for part in parts]
        epoch = torch.tensor(now, dtype=torch.double).unsqueeze(1)
        self.curves = torch.cat([self.curves, epoch], 1)
        for fold, curve in enumerate(self.curves):
            scores, losses = curve.T.tolist()
            if improves(selection, scores, losses, int(self.best[fold]), metric.higher):
                self.best[fold] = len(curve)
                self.logits[self.fold == fold] = logits[self.fold == fold]

    @property
    def outputs(self) -> Outputs:
        """The outputs on all validation graphs."""
        return Outputs(self.logits, self.y)

    def state_dict(self) -> Tensors:
        """Return what a checkpoint keeps."""
        return {"logits": self.logits, "curves": self.curves.contiguous(), "best": self.best}

    def load_state_dict(self, tensors: Tensors) -> None:
        """Go back to what a checkpoint kept."""
        if not tensors:
            raise SmixupError("it is of a run that keeps no model")
        for name in self.state_dict():
            setattr(self, name, tensors[name].clone())


def _score_and_loss(outputs: Outputs, metric: Metric, task: Task) -> tuple[float, float]:
    """Return score and loss; a score that cannot be, such as a ROC-AUC of one class, is zero."""
    if not len(outputs.y):
        return 0.0, 0.0
    try:
        evaluation = outputs.evaluated(metric, task)
        return evaluation.score, evaluation.loss
    except SmixupError:
        return 0.0, float(task.loss(outputs.logits, outputs.y))
