"""What estimators are given: graphs of PyG or networkx, their targets, and a method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from smixup.augment import Augmentation
from smixup.datasets.base import Reading
from smixup.errors import UsageError, unknown_name, warn_user
from smixup.graphs import Graphs
from smixup.models.new_data import NETWORKX, graphs_of, is_networkx, read_networkx_list
from smixup.names import METHODS

if TYPE_CHECKING:
    from numpy.typing import NDArray


class EstimatorError(UsageError, ValueError):
    """Arguments that cannot be: scikit-learn expects a `ValueError`."""


def training_data(X: Any, y: Any) -> tuple[Graphs, NDArray[Any], Reading | None]:
    """Return graphs, their targets as an array, and how to read networkx graphs alike."""
    graphs = listed(X)
    values = _own_targets(graphs) if y is None else np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 0 or len(values) != len(graphs):
        shape = "one" if values.ndim == 0 else len(values)
        raise EstimatorError(f"there are {len(graphs)} graphs in X, and {shape} targets in y.")
    if len(graphs) < 2:
        raise EstimatorError(
            f"{len(graphs)} sample is too few: training needs two graphs at least."
        )
    if not is_networkx(graphs):
        return graphs_of(graphs), values, None
    read = read_networkx_list(graphs)
    tell(read.notes)
    return read.graphs, values, Reading(NETWORKX, {}, read.vocabulary)


def listed(X: Any) -> list[Any]:
    """Return graphs as a list; refuse what is no collection of them."""
    if isinstance(X, str | bytes) or not isinstance(X, Iterable):
        raise EstimatorError(f"X must be a list of graphs, not a {type(X).__name__}.")
    return list(X)


def tell(notes: Iterable[str]) -> None:
    """Warn of what was noticed while graphs were read."""
    for note in notes:
        warn_user(note)


def _own_targets(graphs: Sequence[Any]) -> NDArray[Any]:
    own = [getattr(data, "y", None) for data in graphs]
    missing = next((place for place, y in enumerate(own) if y is None), None)
    if missing is not None:
        raise EstimatorError(
            f"requires y to be passed, but the target y is None, and graph {missing} has no y of "
            "its own."
        )
    values: NDArray[Any] = np.stack([y.reshape(-1).numpy() for y in own if y is not None])
    return values


def method_of(
    method: str | Augmentation, settings: Mapping[str, Any] | None, seed: int
) -> Augmentation:
    """Return an augmentation that nobody else uses.

    Args:
        method: a name, or an augmentation, which is copied.
        settings: arguments of the constructor, if it is a name.
        seed: of the augmentation, where settings give none.

    >>> method_of("drop-edge", {"p": 0.3}, seed=0).p
    0.3
    """
    if isinstance(method, Augmentation):
        if settings:
            raise UsageError("settings belong to the name of a method, not to an augmentation.")
        return deepcopy(method)
    kind = METHODS.factory(str(method))
    known = {field.name for field in fields(kind) if field.init} if is_dataclass(kind) else set()
    for name in settings or {}:
        if name.startswith("matcher."):
            raise UsageError(
                f"'{name}' is a setting of the command line: in Python a matcher brings its own, "
                f"such as matcher=GraphMatcher({name.partition('.')[2]}=...)."
            )
        if name not in known:
            raise unknown_name(f"setting of {method}", name, known)
    own = {"seed": seed} if "seed" in known else {}
    return kind(**{**own, **(settings or {})})


def name_of(method: str | Augmentation) -> str:
    """Return the name of a method; an augmentation of somebody's own is called by its class."""
    if isinstance(method, str):
        return method
    kind = type(method)
    return next((name for name in METHODS if METHODS.factory(name) is kind), kind.__name__)
