"""Training anew on training and validation graphs, as the study "Is Graph Mixup Beneficial?"
(ICML 2026) does.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

from smixup import Augmentation
from smixup.classifiers import Classifier
from smixup.graphs import Graphs
from smixup.progress import Report, silent
from smixup.training import Splits, TrainResult, TrainSettings, fit
from smixup.training.crossed import Crossed


def fit_refitted(
    model: Classifier,
    data: Splits,
    make_augment: Callable[[], Augmentation],
    settings: TrainSettings,
    report: Report = silent,
    crossed: Crossed | None = None,
) -> TrainResult:
    """Train twice from the same weights: to learn how many epochs the validation split finds best,
    then on training and validation graphs together for so many. What is said of the test split is
    of the second, all else of the first.
    """
    initial = deepcopy(model.state_dict())
    chosen = fit(model, data, make_augment(), settings, report, crossed=crossed)
    model.load_state_dict(initial)
    assert isinstance(data.train, Graphs) and isinstance(data.validation, Graphs), "in memory"
    joined = replace(data, train=Graphs.cat([data.train, data.validation]))
    epochs = chosen.history.best_epoch
    again = replace(settings, epochs=epochs, selection="last")
    tested = fit(model, joined, make_augment(), again, report)
    history = replace(chosen.history, seconds=chosen.history.seconds + tested.history.seconds)
    history.test, history.test_loss = tested.history.test, tested.history.test_loss
    return TrainResult(history, chosen.validation, tested.test, chosen.crossed)
