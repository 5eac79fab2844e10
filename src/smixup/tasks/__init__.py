"""What is asked of a graph: one of several classes, several labels, or values.

A task knows the loss, turns outputs of a model into predictions, and says which metrics suit.
"""

from smixup.tasks.base import Task
from smixup.tasks.classes import Classes
from smixup.tasks.columns import task_of_columns
from smixup.tasks.kinds import KINDS, Kind, task_from_dict, task_of_targets
from smixup.tasks.labels import Labels
from smixup.tasks.values import Values

__all__ = [
    "KINDS",
    "Classes",
    "Kind",
    "Labels",
    "Task",
    "Values",
    "task_from_dict",
    "task_of_columns",
    "task_of_targets",
]
