"""What is asked of a graph: one of several classes, several labels, or values.

A task knows the loss, turns outputs of a model into predictions, and says which metrics suit.
"""

from smixup.tasks.reading import task_of_array, task_of_columns
from smixup.tasks.task import KINDS, Classes, Labels, Task, Values, task_from_dict, task_of_targets

__all__ = [
    "KINDS",
    "Classes",
    "Labels",
    "Task",
    "Values",
    "task_from_dict",
    "task_of_array",
    "task_of_columns",
    "task_of_targets",
]
