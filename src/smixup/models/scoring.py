"""How good predictions are, where the truth is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.models.new_data import NewData
from smixup.models.predictions import Predictions
from smixup.tasks import Classes, Task
from smixup.training.evaluation import Outputs
from smixup.training.metrics import metric_named

if TYPE_CHECKING:
    from smixup.models.model import Model


def score_of(model: Model, data: NewData, said: Predictions) -> str:
    """Return the score of predictions in words, such as `accuracy 0.9130`; nothing where the truth
    is not known, or has no such score.
    """
    task = said.task
    y = _targets(data, task)
    if y is None:
        return ""
    name = (model.about.get("scores") or {}).get("metric") or task.metrics[0]
    try:
        score = Outputs(said.outputs, y).evaluated(metric_named(name), task).score
    except SmixupError:  # such as a ROC-AUC of one class
        return ""
    return f"{name} {score:.4f}, going by the targets that are known"


def _targets(data: NewData, task: Task) -> Tensor | None:
    """Return known targets in the columns of a model's task; None where they are not known, or of
    another kind. Classes are known by their names: new data may have fewer of them.
    """
    y, own = data.graphs.y, data.task
    if not data.has_targets:
        return None
    if not isinstance(task, Classes) or not isinstance(own, Classes):
        return y if y.size(1) == task.width else None
    places = {str(name): place for place, name in enumerate(task.names)}
    columns = [places.get(str(name)) for name in own.names]
    if None in columns or len(columns) != y.size(1):
        return None
    return y.new_zeros(len(y), task.width).index_copy_(1, torch.tensor(columns), y)
