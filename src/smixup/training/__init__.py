"""Training of a classifier under any augmentation: the loop, its metrics, its checkpoints."""

from smixup.errors import Interrupted
from smixup.saved import CheckpointFile
from smixup.training.loop import Splits, TrainResult, fit
from smixup.training.settings import TrainSettings
from smixup.training.state import History

__all__ = [
    "CheckpointFile",
    "History",
    "Interrupted",
    "Splits",
    "TrainResult",
    "TrainSettings",
    "fit",
]
