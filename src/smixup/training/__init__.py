"""Training of a classifier under any augmentation: the loop, its metrics, its checkpoints."""

from smixup.checkpoint import CheckpointFile
from smixup.interrupt import Interrupted
from smixup.training.loop import Splits, TrainResult, fit
from smixup.training.refitting import fit_refitted
from smixup.training.settings import TrainSettings
from smixup.training.state import History
from smixup.training.teachers import fit_taught, train_teachers

__all__ = [
    "CheckpointFile",
    "History",
    "Interrupted",
    "Splits",
    "TrainResult",
    "TrainSettings",
    "fit",
    "fit_refitted",
    "fit_taught",
    "train_teachers",
]
