"""Estimators in the manner of scikit-learn, on lists of graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
import torch
from sklearn import base
from sklearn.utils import multiclass as targets
from sklearn.utils import validation as checks
from torch import Tensor

from smixup.augment import Augmentation
from smixup.datasets.base import Reading
from smixup.datasets.readers.labels import TASK
from smixup.errors import UsageError, require, warn_user
from smixup.graphs import Graphs
from smixup.models.fitting import fit_model
from smixup.models.model import Model
from smixup.models.new_data import NETWORKX, graphs_of, is_networkx, read_networkx_list
from smixup.names import METHODS
from smixup.settings import (
    Count,
    Dropout,
    NotNegative,
    Positive,
    Range,
    require_ranges,
)
from smixup.tasks import Classes, Task, Values
from smixup.training import TrainSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEEDS = 2**31 - 1
TRAINING = ("epochs", "learning_rate", "batch_size", "weight_decay")
SIZES = ("hidden_channels", "num_layers", "dropout")


@dataclass(eq=False, repr=False)
class _GraphEstimator(base.BaseEstimator):
    """What both estimators share."""

    method: str | Augmentation = "s-mixup"
    backbone: str = "gin"
    epochs: Count = 100
    learning_rate: Positive = 0.001
    batch_size: Count = 32
    weight_decay: NotNegative = 0.0
    hidden_channels: Count = 32
    num_layers: Count = 4
    dropout: Dropout = 0.0
    validation: Annotated[float, Range(above=0, below=1)] = 0.15
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False  # graphs may bring their own
        tags.no_validation = True
        return tags

    def save(self, folder: Path | str) -> Path:
        """Write the fitted model to a folder, for `smixup.load_model` and `smixup predict`."""
        checks.check_is_fitted(self)
        model: Model = self.model_
        return model.save(folder)

    def _fit(self, graphs: Graphs, y: Tensor, task: Task, reading: Reading | None) -> Self:
        require_ranges(type(self), self.get_params(deep=False))  # scikit-learn leaves it to `fit`
        if reading is not None:
            reading = replace(reading, vocabulary={**reading.vocabulary, TASK: task.to_dict()})
        seed = int(checks.check_random_state(self.random_state).randint(SEEDS))
        settings = {name: getattr(self, name) for name in TRAINING}
        self.model_, self.history_ = fit_model(
            graphs.replace(y=y, has_classes=isinstance(task, Classes)),
            task,
            self.backbone,
            method_of(self.method, seed),
            TrainSettings(seed=seed, **settings),
            self.validation,
            about={"method": name_of(self.method)},
            reading=reading,
            **{name: getattr(self, name) for name in SIZES},
        )
        self.n_features_in_ = graphs.num_features
        return self

    def _predicted(self, X: Any) -> NDArray[Any]:
        checks.check_is_fitted(self)
        model: Model = self.model_
        data = model.open(_listed(X))
        for note in data.notes:
            warn_user(note)
        return model.predict_on(data).probabilities


@dataclass(eq=False, repr=False)
class SMixupClassifier(base.ClassifierMixin, _GraphEstimator):
    """Classifies graphs; trained with an augmentation, S-Mixup if none is named.

    Example::

        clf = SMixupClassifier(epochs=50, random_state=0).fit(graphs, y)
        clf.predict_proba(new_graphs)  # PyG's Data, or networkx
        clf.save("model/")
        GridSearchCV(clf, {"method": ["vanilla", "s-mixup", SMixup(alpha=1)]}).fit(graphs, y)

    Probabilities are calibrated by the validation graphs, which are a part of those given to `fit`.

    Args:
        method: an augmentation: a name of the command line (`s-mixup`, `vanilla`, `drop-edge`, ...)
            or an object such as `SMixup(alpha=0.5)`, which is copied.
        backbone: a classifier: `gin`, `gcn`, ...
        epochs, learning_rate, batch_size, weight_decay: of training by Adam.
        hidden_channels, num_layers, dropout: of the classifier.
        validation: the share of graphs that choose the epoch and calibrate the probabilities.
        random_state: of everything that is drawn: a number, a `RandomState`, or None.
        class_weight: `balanced` lets rare classes count as much as frequent ones; a mapping gives
            what a graph of each class counts for.

    Attributes:
        classes_: names of the classes, sorted.
        n_features_in_: width of the node features.
        history_: curves of training.
        model_: a `smixup.models.Model`, with sets that hold the truth at a chosen level.
    """

    class_weight: str | Mapping[Any, float] | None = None

    def fit(self, X: Sequence[Any], y: Any = None) -> Self:
        """Train.

        Args:
            X: a list (or an object array) of PyG's `Data`, or of networkx graphs, whose attributes
                of nodes and edges become features: numbers are columns, text is one-hot.
            y: the class of each graph, numbers or text; None takes `y` of PyG's graphs, which must
                be integers.
        """
        y = None if y is None else np.asarray(y)
        if y is not None and y.ndim == 2 and y.shape[1] == 1:
            y = checks.column_or_1d(y, warn=True)
        graphs, labels, reading = training_data(X, y)
        if labels.ndim != 1:
            raise UsageError(
                f"y must hold one class for every graph, not an array of shape {labels.shape}."
            )
        targets.check_classification_targets(labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        names, given = tuple(self.classes_.tolist()), self.class_weight
        if isinstance(given, Mapping):
            task = Classes(names, weights=tuple(float(given.get(name, 1)) for name in names))
        else:
            allowed = given in (None, "balanced")
            require(allowed, "class_weight", given, "None, 'balanced' or a mapping")
            task = Classes(names, balanced=given == "balanced")
        if task.width < 2:
            raise UsageError(
                f"all graphs are of one class, {task.names[0]}: a classifier needs two at least."
            )
        one_hot = torch.nn.functional.one_hot(torch.from_numpy(numbers.reshape(-1)), task.width)
        return self._fit(graphs, one_hot.float(), task, reading)

    def predict(self, X: Sequence[Any]) -> NDArray[Any]:
        """Return the most likely class of each graph `[G]`."""
        places = self._predicted(X).argmax(1)  # which refuses a classifier that is not fitted
        return self.classes_[places]  # type: ignore[no-any-return]

    def predict_proba(self, X: Sequence[Any]) -> NDArray[Any]:
        """Return the probability of every class `[G, C]`, in the order of `classes_`."""
        shares = self._predicted(X).astype(np.float64)
        return shares / shares.sum(1, keepdims=True)  # type: ignore[no-any-return]


class SMixupRegressor(base.RegressorMixin, _GraphEstimator):
    """Predicts values of graphs; trained with an augmentation, S-Mixup if none is named.

    The arguments are those of `SMixupClassifier`, but for `class_weight`.

    Example::

        reg = SMixupRegressor(method="drop-edge", epochs=50, random_state=0).fit(graphs, y)
        reg.model_.predict(new_graphs, level=0.9).intervals
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Sequence[Any], y: Any = None) -> Self:
        """Train on graphs as `SMixupClassifier.fit` takes them, and their values `y`, `[G]` or
        `[G, T]`, NaN where one is not known; None takes `y` of PyG's graphs.
        """
        graphs, values, reading = training_data(X, y)
        if values.ndim not in (1, 2) or values.dtype.kind not in "fiub":
            raise UsageError(
                f"Unknown label type: y must hold numbers for every graph, not {values.dtype} of "
                f"shape {values.shape}."
            )
        table = torch.tensor(values.reshape(len(values), -1), dtype=torch.float)
        if bool(table.isinf().any()):
            raise UsageError("y holds a value that is infinite.")
        self._flat = values.ndim == 1
        names = tuple(f"target {place}" for place in range(table.size(1)))
        return self._fit(graphs, table, Values(names if len(names) > 1 else ("target",)), reading)

    def predict(self, X: Sequence[Any]) -> NDArray[Any]:
        """Return the values of each graph, in the shape of `y`."""
        values = self._predicted(X).astype(np.float64)
        return values[:, 0] if self._flat else values


def training_data(X: Any, y: Any) -> tuple[Graphs, NDArray[Any], Reading | None]:
    """Return graphs, their targets as an array, and how to read networkx graphs alike."""
    graphs = _listed(X)
    if y is None:
        y = [getattr(data, "y", None) for data in graphs]
        if any(own is None for own in y):
            raise UsageError("requires y to be passed, but the target y is None.")
        y = [own.reshape(-1).numpy() for own in y]
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape[:1] != (len(graphs),):
        raise UsageError(f"X holds {len(graphs)} graphs, and y has the shape {values.shape}.")
    if len(graphs) < 2:
        raise UsageError(f"{len(graphs)} sample is too few: training needs two graphs.")
    if not is_networkx(graphs):
        return graphs_of(graphs), values, None
    read = read_networkx_list(graphs)
    for note in read.notes:
        warn_user(note)
    return read.graphs, values, Reading(NETWORKX, {}, read.vocabulary)


def _listed(X: Any) -> list[Any]:
    if isinstance(X, str | bytes) or not isinstance(X, Iterable):
        raise UsageError(f"X must be a list of graphs, not a {type(X).__name__}.")
    return list(X)


def method_of(method: str | Augmentation, seed: int) -> Augmentation:
    """Return an augmentation that nobody else uses: of a name, or a copy."""
    if isinstance(method, Augmentation):
        return deepcopy(method)
    kind = METHODS.factory(str(method))
    return kind(seed=seed) if "seed" in signature(kind).parameters else kind()


def name_of(method: str | Augmentation) -> str:
    """Return the name of a method; an augmentation of somebody's own is called by its class."""
    if isinstance(method, str):
        return method
    kind = type(method)
    return next((name for name in METHODS if METHODS.factory(name) is kind), kind.__name__)
