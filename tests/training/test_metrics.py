"""Scores agree with scikit-learn and with hand computation; to evaluate changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn import metrics
from torch import Tensor

from smixup.classifiers import GCN, GIN
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, pack
from smixup.memory import set_budget
from smixup.models.calibration import HOTTEST, best_temperature
from smixup.tasks import Classes
from smixup.training import evaluation
from smixup.training.evaluation import Outputs, beyond_one_score, evaluation_batches, predict
from smixup.training.loop import refresh_statistics
from smixup.training.metrics import accuracy, calibration_error, metric_named

ACCURACY, TWO = metric_named("accuracy"), Classes.numbered(2)


def outputs(graphs: int, classes: int, seed: int = 0, scale: float = 3.0) -> Outputs:
    random = torch.Generator().manual_seed(seed)
    y = F.one_hot(torch.arange(graphs) % classes, classes).float()
    return Outputs(scale * (torch.randn(graphs, classes, generator=random) + y), y)


@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_scores_of_classes_are_those_of_scikit_learn(classes: int, temperature: float) -> None:
    given = outputs(120, classes)
    found = beyond_one_score(given, temperature)
    probabilities = (given.logits / temperature).double().softmax(1)
    labels, chosen = given.y.argmax(1), probabilities.argmax(1)
    ranked = probabilities[:, 1] if classes == 2 else probabilities
    truth = labels if classes == 2 else given.y
    area = metrics.roc_auc_score(labels, ranked, multi_class="ovr")
    right = metrics.accuracy_score(labels, chosen)
    assert found == pytest.approx(
        {
            "accuracy": right,
            "rocauc": area,
            "loss": metrics.log_loss(labels, probabilities),
            "brier": float((probabilities - given.y).square().sum(1).mean()),
            "calibration_error": calibration_error(probabilities, labels),
        },
        rel=1e-5,
    )
    expected = {
        "accuracy": right,
        "rocauc": area,
        "balanced-accuracy": metrics.balanced_accuracy_score(labels, chosen),
        "ap": metrics.average_precision_score(truth, ranked, average="macro"),
    }
    for name, score in expected.items():
        assert metric_named(name)(probabilities.float(), labels) == pytest.approx(score), name
    assert accuracy(torch.eye(2)[[0, 1, 1]], torch.tensor([0, 0, 1])) == 0.666667
    few = labels < classes - 1
    assert math.isnan(beyond_one_score(Outputs(given.logits[few], given.y[few]))["rocauc"])


def test_scores_of_labels_leave_out_what_is_not_known() -> None:
    random = torch.Generator().manual_seed(0)
    y = (torch.rand(50, 3, generator=random) < 0.4).float()
    predicted = torch.rand(50, 3, generator=random)
    y[torch.rand(50, 3, generator=random) < 0.3] = torch.nan
    y[:, 2] = torch.where(y[:, 2].isnan(), y[:, 2], 1.0)  # nothing to rank
    known = ~y.isnan()

    def mean(score: Callable[..., float], columns: int, given: Tensor) -> float:
        parts = [score(y[known[:, k], k], given[known[:, k], k]) for k in range(columns)]
        return sum(parts) / columns

    for name, expected in {
        "rocauc": mean(metrics.roc_auc_score, 2, predicted),
        "ap": mean(metrics.average_precision_score, 2, predicted),
        "accuracy": mean(metrics.accuracy_score, 3, (predicted > 0.5).float()),
    }.items():
        assert metric_named(name)(predicted, y) == pytest.approx(expected, abs=1e-5), name
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: metric_named("rocauc")(predicted[:, 2:], y[:, 2:]), "with and without it"),
        (lambda: metric_named("rocauc")(torch.rand(4, 2), torch.zeros(4).long()), "every class"),
        (lambda: metric_named("acuracy"), "Did you mean 'accuracy'"),
        (lambda: metric_named("mae").require_suits(TWO), "mae is no score of classes; take one of"),
    ]
    for call, message in cases:
        with pytest.raises(SmixupError, match=message):
            call()
    assert issubclass(UsageError, SmixupError)


def test_scores_of_values_and_the_calibration_error() -> None:
    y, predicted = torch.randn(30, 2), torch.randn(30, 2)
    for name, score in {
        "mae": metrics.mean_absolute_error,
        "rmse": metrics.root_mean_squared_error,
        "r2": metrics.r2_score,
    }.items():
        expected = sum(score(y[:, k], predicted[:, k]) for k in range(2)) / 2
        assert metric_named(name)(predicted, y) == pytest.approx(expected, abs=1e-5), name
    y[3:, 1] = torch.nan
    errors = (predicted - y).abs()
    expected = float(errors[:, 0].mean() + errors[:3, 1].mean()) / 2
    assert metric_named("mae")(predicted, y) == pytest.approx(expected, abs=1e-5)
    assert not metric_named("mae").higher and metric_named("r2").higher
    # Confidence 0.9 twice, right once; 0.6 twice, right twice: (2 * 0.4 + 2 * 0.4) / 4.
    probabilities = torch.tensor([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.4, 0.6]])
    error = calibration_error(probabilities, torch.tensor([0, 1, 1, 1]))
    assert error == pytest.approx(0.4, abs=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_the_temperature_is_the_best_of_many(classes: int, scale: float) -> None:
    given = outputs(60, classes, scale=scale)
    smooth = ((60 * given.y + 1) / (60 + classes)).double()
    grid = np.geomspace(1 / HOTTEST, HOTTEST, 4001)
    losses = [float(F.cross_entropy(given.logits.double() / t, smooth)) for t in grid]
    temperature = best_temperature(given)
    assert temperature == pytest.approx(grid[int(np.argmin(losses))], rel=2e-3)
    plain, scaled = beyond_one_score(given), beyond_one_score(given, temperature)
    assert scaled["accuracy"] == plain["accuracy"]
    assert scale < 4 or (temperature > 1 and scaled["loss"] < plain["loss"])
    y = F.one_hot(torch.arange(10) % 2, 2).float()
    assert best_temperature(Outputs(1 - y, y)) == pytest.approx(HOTTEST, rel=1e-3)


def test_many_batches_equal_one_wherever_graphs_are(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = GIN(3, 2, hidden_channels=8, num_layers=2)
    model(graphs)
    logits = model.eval()(graphs).detach()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    monkeypatch.setattr(evaluation, "NODES_PER_BATCH", 9)
    batches = evaluation_batches(graphs)
    on_disk = evaluation_batches(pack(graphs, tmp_path / "set"))
    assert len(batches) > 2 and [len(batch) for batch in on_disk] == [len(b) for b in batches]
    found = predict(model.train(), batches).evaluated(ACCURACY, TWO)
    assert found == predict(model, on_disk).evaluated(ACCURACY, TWO)
    assert found.loss == pytest.approx(float(F.cross_entropy(logits, graphs.y)), abs=1e-6)
    right = (logits.argmax(1) == graphs.labels).float().mean()
    assert found.score == pytest.approx(float(right), abs=1e-6)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    held: list[ref[Graphs]] = []
    living: list[int] = []

    def counted(batch: Graphs) -> Tensor:
        living.append(sum(one() is not None for one in held))
        held.append(ref(batch))
        return model(batch)

    counted.eval = lambda: None  # type: ignore[attr-defined]
    predict(counted, on_disk)  # type: ignore[arg-type]
    assert len(held) == len(batches) and max(living) <= 1, "one batch at a time is in memory"
    set_budget(4 * graphs.num_nodes * graphs.num_features)
    try:
        short = evaluation_batches(graphs)
    finally:
        set_budget(None)
    assert not isinstance(short, list)
    assert torch.equal(torch.cat([batch.y for batch in short]), graphs.y)


def test_a_model_is_tested_with_the_statistics_of_original_graphs(
    make_graphs: Callable[..., Graphs], graphs: Graphs
) -> None:
    torch.manual_seed(0)
    model, batch = GIN(3, 2, hidden_channels=8), make_graphs([12] * 60)
    for _ in range(3):
        model(batch.replace(x=100 * batch.x))
    spoilt = model.eval()(batch)
    weights = [parameter.clone() for parameter in model.parameters()]
    refresh_statistics(model, batch)
    assert not model.training and model.layers[0].inner_norm.momentum == 0.1
    assert all(map(torch.equal, weights, model.parameters()))
    refreshed, expected = model(batch), model.train()(batch)
    torch.testing.assert_close(refreshed, expected, rtol=0.01, atol=0.01)
    assert (spoilt - expected).abs().max() > 0.1
    plain = GCN(3, 2, hidden_channels=8)
    refresh_statistics(plain, graphs)
    assert plain.training
