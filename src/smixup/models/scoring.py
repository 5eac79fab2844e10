"""How good predictions are, where the truth is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from smixup.errors import SmixupError
from smixup.models.new_data import NewData
from smixup.models.predictions import Predictions
from smixup.training.evaluation import Outputs
from smixup.training.metrics import metric_named

if TYPE_CHECKING:
    from smixup.models.model import Model


def score_of(model: Model, data: NewData, said: Predictions) -> str:
    """Return the score of predictions in words, such as `accuracy 0.9130`; nothing where the truth
    is not known, or has no such score.
    """
    y, task = data.graphs.y, said.task
    if not data.has_targets or y.size(1) != task.width:
        return ""
    name = (model.about.get("scores") or {}).get("metric") or task.metrics[0]
    try:
        score = Outputs(said.outputs, y).evaluated(metric_named(name), task).score
    except SmixupError:  # such as a ROC-AUC of one class
        return ""
    return f"{name} {score:.4f}, going by the targets that are known"
