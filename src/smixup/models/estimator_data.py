"""What estimators are handed: a list of graphs of PyG or networkx, and their targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from smixup.datasets.base import Reading
from smixup.datasets.readers.labels import TASK
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.models.new_data import NETWORKX, graphs_of, is_networkx, read_networkx_list
from smixup.tasks import Task
from smixup.warning import warn_user

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EstimatorError(UsageError, ValueError):
    """Arguments that cannot be: scikit-learn expects a `ValueError`."""


@dataclass(frozen=True)
class TrainingGraphs:
    """Graphs to train on.

    Attributes:
        graphs: without targets.
        vocabulary: what attributes of networkx graphs became; None for PyG's.
    """

    graphs: Graphs
    vocabulary: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, found: list[Any]) -> TrainingGraphs:
        """Read a list of graphs of either kind."""
        if not is_networkx(found):
            return cls(graphs_of(found))
        read = read_networkx_list(found)
        tell(read.notes)
        return cls(read.graphs, read.vocabulary)

    def reading(self, task: Task) -> Reading | None:
        """Return how new graphs are read alike."""
        if self.vocabulary is None:
            return None
        return Reading(NETWORKX, {}, {**self.vocabulary, TASK: task.to_dict()})


def training_data(X: Any, y: Any) -> tuple[TrainingGraphs, NDArray[Any]]:
    """Return graphs, and their targets as an array."""
    found = listed(X)
    values = _own_targets(found) if y is None else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 0 or len(values) != len(found):
        shape = "one" if values.ndim == 0 else len(values)
        raise EstimatorError(f"there are {len(found)} graphs in X, and {shape} targets in y.")
    if len(found) < 2:
        raise EstimatorError(f"{len(found)} sample is too few: training needs two graphs at least.")
    return TrainingGraphs.of(found), values


def listed(X: Any) -> list[Any]:
    """Return graphs as a list; refuse what is no collection of them."""
    if isinstance(X, str | bytes) or not isinstance(X, Iterable):
        raise EstimatorError(f"X must be a list of graphs, not a {type(X).__name__}.")
    return list(X)


def tell(notes: Iterable[str]) -> None:
    """Warn of what was noticed while graphs were read."""
    for note in notes:
        warn_user(note)


def _own_targets(found: Sequence[Any]) -> NDArray[Any]:
    missing = next((place for place, data in enumerate(found) if _target(data) is None), None)
    if missing is not None:
        raise EstimatorError(
            f"requires y to be passed, but the target y is None, and graph {missing} has no y of "
            "its own."
        )
    values: NDArray[Any] = np.stack([_target(data).reshape(-1).numpy() for data in found])
    return values


def _target(data: Any) -> Any:
    return getattr(data, "y", None)
