"""A run is a function of its configuration, from data to score and predictions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from experiments.judge import log_loss
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.data import prepare
from smixup.app.runs.predictions import Predictions, from_bytes, to_bytes
from smixup.app.runs.run import RunResult, commit, run, versions
from smixup.datasets import Dataset, load_dataset
from smixup.datasets.packed_set import pack_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import pack
from smixup.progress import Progress
from smixup.tasks import Labels, Values
from smixup.training import Interrupted

OPTIONS = {"num_graphs": 60, "features": "degree"}


TINY_MATCHER = {f"matcher.{name}": 2 for name in ("num_layers", "hidden_channels", "max_steps")}


def small(**changes: Any) -> RunConfig:
    usual = {"epochs": 3, "batch_size": 16, "num_layers": 2, "hidden_channels": 8}
    return configure("MOTIF", **(usual | {"dataset_options": OPTIONS} | changes))


def comparable(result: RunResult) -> dict[str, Any]:
    return {name: value for name, value in vars(result).items() if name != "seconds"}


def stop_at(stage: str, done: int) -> Callable[[Progress], None]:
    def stop(progress: Progress) -> None:
        if (progress.stage, progress.done) == (stage, done):
            raise KeyboardInterrupt

    return stop


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_the_same_configuration_twice_is_equal_to_the_bit(backbone: str) -> None:
    config = small(backbone=backbone, dropout=0.2)
    first = run(config)
    torch.manual_seed(5)
    assert comparable(run(config)) == comparable(first)
    assert (first.metric, first.epochs) == ("accuracy", 3)
    assert first.validation == max(first.curves["validation"])
    apart = {"curves": first.curves, "predictions": first.predictions}
    assert first.scores() | apart == vars(first)
    assert run(replace(config, seed=1)).curves != first.curves
    found = from_bytes(first.predictions)
    assert np.nanmean(found.correct) == pytest.approx(first.test, abs=1e-6)
    scaled = np.nanmean(log_loss(found, first.temperature))
    assert scaled == pytest.approx(first.scaled_loss, rel=0.02)


def test_an_interrupted_run_resumes_to_the_same_result(tmp_path: Path) -> None:
    config, file = small(dropout=0.2), tmp_path / "run.safetensors"
    with pytest.raises(Interrupted, match=str(tmp_path)):
        run(config, report=stop_at("training", 2), checkpoint=file)
    assert comparable(run(config, checkpoint=file, resume=True)) == comparable(run(config))
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    with pytest.raises(SmixupError, match="other settings or on other data"):
        run(replace(config, learning_rate=0.5), checkpoint=file, resume=True)


def test_a_refit_changes_the_test_alone() -> None:
    few = small(split="few", train_graphs=12, epochs=12)
    once, refitted = run(few), run(replace(few, refit=True))
    assert refitted.validation == once.validation and refitted.test_loss != once.test_loss


def test_labels_are_corrupted_to_train_on_alone() -> None:
    dataset = load_dataset("MOTIF", **OPTIONS)
    clean, corrupted = (prepare(dataset, small(label_corruption=share)) for share in (0.0, 0.5))
    assert int((clean.train.labels != corrupted.train.labels).sum()) == len(clean.train) // 2
    assert torch.equal(clean.validation.y, corrupted.validation.y)
    assert torch.equal(clean.test.y, corrupted.test.y)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sizes of graphs as values, and what is true of them as labels; with gaps."""
    path, graphs = tmp_path_factory.mktemp("sets"), load_dataset("MOTIF", num_graphs=80).graphs
    sizes = graphs.sizes.float()
    values = torch.stack([100 * sizes, sizes / 100], 1)
    values[3, 1] = math.nan
    labels = torch.stack([sizes > sizes.median(), torch.arange(80) % 3 == 0], 1).float()
    labels[::7, 1] = math.nan
    for name, y, metric, task in (
        ("values", values, "rmse", Values(("size", "hundredth"))),
        ("labels", labels, "rocauc", Labels(("large", "third"))),
    ):
        other = graphs.replace(y=y, has_classes=False)
        pack_dataset(Dataset(name, other, metric, task=task), path / name)
    pack(graphs.replace(y=values[:, :1], has_classes=False), path / "untold")
    return path


@pytest.mark.parametrize(
    ("name", "metric", "method", "changes"),
    [
        ("values", "rmse", "s-mixup", {}),
        ("labels", "rocauc", "submix", {"balanced": True}),
        ("untold", "mae", "vanilla", {"split": "fold", "num_folds": 4}),
    ],
)
def test_values_and_labels(
    folder: Path, name: str, metric: str, method: str, changes: dict[str, Any]
) -> None:
    sizes = {"epochs": 2, "num_layers": 1, "hidden_channels": 4, "batch_size": 16}
    settings = {"method_settings": TINY_MATCHER if method == "s-mixup" else {}}
    result = run(configure(str(folder / name), "gin", method, **sizes, **settings, **changes))
    assert result.metric == metric and math.isfinite(result.test)
    assert math.isnan(result.calibration_error)
    curve = result.curves["validation"]
    assert result.validation == (max(curve) if name == "labels" else min(curve))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"label_corruption": 0.2}, "leave the corruption out"),
        ({"method": "g-mixup"}, "GMixup draws graphs between the graphons.*not classes"),
        ({"metric": "accuracy"}, "accuracy is no score of values; take one of mae"),
        ({"balanced": True}, "balanced is for classes and labels, values has values"),
    ],
)
def test_what_needs_classes_says_so(folder: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run(configure(str(folder / "values"), epochs=1, **changes))


def test_versions_and_the_commit_of_tracked_source_alone(tmp_path: Path) -> None:
    assert torch.__version__.startswith(str(versions()["torch"])), "or with +cu130 behind it"
    (tmp_path / "package.py").write_text("")
    assert commit(tmp_path / "package.py") is None, "no repository"


TESTED, GRAPHS = 400, 600


def packed(classes: int = 3, scale: float = 4.0) -> tuple[np.ndarray, np.ndarray, Predictions]:
    """Logits and labels of 400 graphs that test and 20 that validate, and what is kept of them."""
    random = np.random.default_rng(1)
    logits = scale * random.standard_normal((TESTED + 20, classes))
    labels, positions = random.integers(classes, size=TESTED + 20), np.arange(TESTED + 20)
    parts = [(logits[at], labels[at], positions[at]) for at in (slice(TESTED, None), slice(TESTED))]
    data = to_bytes(parts[0], parts[1], GRAPHS)
    assert len(data) < 1.7 * GRAPHS * max(classes - 1, 1) + 100, "a byte per graph and class"
    return logits, labels, from_bytes(data)


@pytest.mark.parametrize(("classes", "scale"), [(2, 0.01), (3, 1.0), (6, 50.0), (300, 4.0)])
def test_classes_stay_and_distances_hardly_move(classes: int, scale: float) -> None:
    logits, labels, found = packed(classes, scale)
    known = found.logits[: len(logits)]
    assert (known.argmax(1) == logits.argmax(1)).all()
    assert (found.labels[: len(logits)] == labels).all() and (found.labels[len(logits) :] < 0).all()
    assert np.isnan(found.logits[len(logits) :]).all()
    distance = logits.max(1, keepdims=True) - logits
    np.testing.assert_allclose(-known, distance, rtol=0.016, atol=0.016)


def test_what_was_tested_and_is_right() -> None:
    logits, labels, found = packed()
    assert found.tested.nonzero()[0].tolist() == [*range(TESTED)]
    assert found.validated.nonzero()[0].tolist() == [*range(TESTED, TESTED + 20)]
    right = logits[:TESTED].argmax(1) == labels[:TESTED]
    assert (found.correct[:TESTED] == right).all() and np.isnan(found.correct[TESTED:]).all()
