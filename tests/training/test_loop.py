"""Training does what the protocol says, repeats to the bit, and survives being stopped."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import Augmentation, MMixup
from smixup.augment.hooks import Model
from smixup.classifiers import GCN, GIN, Classifier
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.progress import Progress
from smixup.seeding import generator
from smixup.tasks import Labels, Task, Values
from smixup.training import (
    CheckpointFile,
    Interrupted,
    Splits,
    TrainResult,
    TrainSettings,
    fit,
    loop,
)
from smixup.training.evaluation import evaluate, evaluation_batches
from smixup.training.metrics import metric_named
from smixup.training.parallel import SingleProcess

SETTINGS = TrainSettings(epochs=6, learning_rate=0.01, batch_size=16)


class Noise(Augmentation):
    """Random at every batch: a run resumes to the same bits only if its random state does."""

    def __init__(self) -> None:
        self.random = generator(0, "noise")

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return h + 0.1 * torch.randn(h.shape, generator=self.random).to(h.device), y

    def state_dict(self) -> dict[str, Tensor]:
        return {"random": self.random.get_state()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        self.random.set_state(state["random"])


def fresh(kind: type[Classifier] = GIN, dropout: float = 0.0) -> Classifier:
    torch.manual_seed(3)
    return kind(3, 2, hidden_channels=8, num_layers=2, dropout=dropout)


def assert_same(
    model: Classifier, other: Classifier, result: TrainResult, again: TrainResult
) -> None:
    assert result.history.curves == again.history.curves
    assert result.history.best_epoch == again.history.best_epoch
    assert torch.equal(result.test.logits, again.test.logits)
    assert torch.equal(result.validation.logits, again.validation.logits)
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name]), name


def test_a_separable_problem_is_learnt(splits: Splits) -> None:
    result = fit(fresh(), splits, Augmentation(), replace(SETTINGS, epochs=40))
    assert result.history.at_best("test") >= 0.9
    assert result.history.curves["train_loss"][-1] < 0.5 * result.history.curves["train_loss"][0]
    assert result.history.epochs == 40


def test_one_step_is_adam_on_the_soft_cross_entropy_of_what_the_hooks_return(
    splits: Splits,
) -> None:
    class Soft(Augmentation):
        def on_batch(self, batch: Graphs) -> Graphs:
            return batch.replace(x=2 * batch.x)

        def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            return h + 1, 0.75 * y + 0.25 * y.flip(1)

    model, expected = fresh(GCN), fresh(GCN)
    fit(model, splits, Soft(), TrainSettings(epochs=1, learning_rate=0.01, batch_size=40))
    train = splits.train[torch.arange(40)]
    logits = expected.head(expected.embed(train.replace(x=2 * train.x)) + 1)
    y = 0.75 * train.y + 0.25 * train.y.flip(1)
    loss = -(y * F.log_softmax(logits, 1)).sum(1).mean()
    loss.backward()
    torch.optim.Adam(expected.parameters(), 0.01).step()
    for mine, other in zip(model.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)


def test_hooks_are_called_where_the_contract_says(splits: Splits) -> None:
    calls = []

    class Spy(Augmentation):
        def on_dataset(self, train: Graphs) -> Graphs:
            calls.append(f"dataset {len(train)}")
            return train[range(20)]

        def on_batch(self, batch: Graphs) -> Graphs:
            calls.append(f"batch {len(batch)}")
            return batch

        def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            calls.append(f"embedding {len(h)}")
            return h, y

    fit(fresh(), splits, Spy(), replace(SETTINGS, epochs=2))
    assert calls == ["dataset 40", *["batch 16", "embedding 16", "batch 4", "embedding 4"] * 2]


def test_the_model_is_left_at_its_best_epoch(splits: Splits) -> None:
    model = fresh()
    result = fit(model, splits, Augmentation(), replace(SETTINGS, epochs=30, learning_rate=0.05))
    assert result.history.best_epoch < 30, "the last epoch proves nothing"
    for name, graphs in (("validation", splits.validation), ("test", splits.test)):
        found = evaluate(model, evaluation_batches(graphs), metric_named("accuracy"), splits.asked)
        assert found.score == result.history.at_best(name)
        assert found.loss == pytest.approx(result.history.at_best(f"{name}_loss"), abs=1e-6)


@pytest.mark.parametrize("kind", [GCN, GIN])
def test_a_test_at_the_end_alone_brings_the_same_result(
    splits: Splits, kind: type[Classifier], tmp_path: Path
) -> None:
    model, other = fresh(kind, dropout=0.3), fresh(kind, dropout=0.3)
    settings = replace(SETTINGS, epochs=30, learning_rate=0.05)
    always = fit(model, splits, Noise(), settings)
    file = CheckpointFile(tmp_path / "run.safetensors", "here")
    seldom = fit(other, splits, Noise(), replace(settings, test_every_epoch=False), checkpoint=file)
    assert seldom.history.best_epoch == always.history.best_epoch
    assert torch.equal(seldom.test.logits, always.test.logits)
    assert torch.equal(seldom.validation.logits, always.validation.logits)
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name]), name
    full, sparse = always.history.curves, seldom.history.curves
    for name in ("train_loss", "validation", "validation_loss"):
        assert sparse[name] == full[name]
    for name in ("test", "test_loss"):
        known = {place: each for place, each in enumerate(sparse[name]) if each == each}
        best = seldom.history.best_epoch - 1
        assert known == {best: full[name][best]}
    kept = file.read()[1]["curves"]
    assert str(kept["train_loss"]) == str(sparse["train_loss"])
    assert all(map(math.isnan, kept["test"])), "the model is tested after the last checkpoint"
    again = replace(settings, test_every_epoch=False)
    resumed = fit(fresh(kind, dropout=0.3), splits, Noise(), again, checkpoint=file, resume=True)
    assert str(resumed.history.curves) == str(sparse)


@pytest.mark.parametrize("kind", [GCN, GIN])
def test_the_same_run_twice_is_equal_to_the_bit_and_leaves_the_global_source_alone(
    splits: Splits, kind: type[Classifier]
) -> None:
    model, other = fresh(kind, dropout=0.3), fresh(kind, dropout=0.3)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    result = fit(model, splits, Noise(), SETTINGS)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    again = fit(other, splits, Noise(), SETTINGS)
    assert_same(model, other, result, again)
    third = fit(fresh(kind, dropout=0.3), splits, Noise(), replace(SETTINGS, seed=1))
    assert third.history.curves != result.history.curves, "the seed decides the order of batches"


def test_an_interrupted_run_resumes_to_the_same_bits(splits: Splits, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done == 4:
            raise KeyboardInterrupt

    whole_model = fresh(dropout=0.3)
    whole = fit(whole_model, splits, Noise(), SETTINGS)
    file = CheckpointFile(tmp_path / "deep" / "run.safetensors", "a")
    with pytest.raises(Interrupted, match=r"after epoch 4.*--resume"):
        fit(fresh(dropout=0.3), splits, Noise(), SETTINGS, stop, file)
    seen = []
    model = fresh(dropout=0.3)
    result = fit(
        model,
        splits,
        Noise(),
        SETTINGS,
        lambda progress: seen.append(progress.done),
        file,
        resume=True,
    )
    assert seen == [5, 6], "only what was missing is done"
    assert_same(model, whole_model, result, whole)


def test_an_interruption_inside_an_epoch_goes_back_to_the_last_complete_one(
    splits: Splits, tmp_path: Path
) -> None:
    class Stop(Noise):
        batches = 0

        def on_batch(self, batch: Graphs) -> Graphs:
            self.batches += 1
            if self.batches == 8:
                os.kill(os.getpid(), signal.SIGTERM)
            return batch

    whole_model, model = fresh(), fresh()
    whole = fit(whole_model, splits, Noise(), SETTINGS)
    file = CheckpointFile(tmp_path / "run.safetensors", "a")
    handler = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Interrupted, match="after epoch 2"):
        fit(fresh(), splits, Stop(), SETTINGS, checkpoint=file)
    assert signal.getsignal(signal.SIGTERM) is handler
    result = fit(model, splits, Noise(), SETTINGS, checkpoint=file, resume=True)
    assert_same(model, whole_model, result, whole)


def test_a_finished_run_resumes_to_its_result(splits: Splits, tmp_path: Path) -> None:
    file = CheckpointFile(tmp_path / "run.safetensors", "a")
    model, other = fresh(), fresh()
    result = fit(model, splits, Augmentation(), SETTINGS, checkpoint=file)
    again = fit(other, splits, Augmentation(), SETTINGS, checkpoint=file, resume=True)
    assert_same(model, other, result, again)


def test_interruption_without_a_file_says_that_nothing_was_kept(splits: Splits) -> None:
    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="no checkpoint file"):
        fit(fresh(), splits, Augmentation(), SETTINGS, stop)


def test_a_loss_that_is_no_number_names_epoch_and_setting(splits: Splits) -> None:
    class Poison(Augmentation):
        batches = 0

        def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            self.batches += 1
            return (h * float("nan") if self.batches > 3 else h), y

    with pytest.raises(SmixupError, match=r"epoch 2.*learning rate.*0\.01"):
        fit(fresh(), splits, Poison(), SETTINGS)


def test_half_width_products_learn_too(splits: Splits) -> None:
    result = fit(
        fresh(), splits, Augmentation(), replace(SETTINGS, epochs=40, precision="bf16-mixed")
    )
    assert result.history.at_best("test") >= 0.9


@pytest.mark.parametrize("method", [name for name in METHODS if name not in SAME_NODES])
def test_half_width_products_take_the_mixes_of_full_width(splits: Splits, method: str) -> None:
    """Fresh alignments too: what a method makes does not depend on the classifier's precision."""
    made: dict[str, list[Tensor]] = {}
    learns = method in ("s-mixup", "s-cut")
    small = {"partners": None, "matcher.max_steps": 2, "matcher.batch_size": 8} if learns else {}
    for precision in ("32-true", "bf16-mixed"):
        augment = make_method(method, 0, small)
        seen, on_batch = made.setdefault(precision, []), augment.on_batch

        def spy(batch: Graphs, seen: Any = seen, on_batch: Any = on_batch) -> Graphs:
            found: Graphs = on_batch(batch)
            seen.extend([found.x, found.adj.to_sparse().weight, found.y])
            return found

        augment.on_batch = spy  # type: ignore[method-assign]
        fit(fresh(), splits, augment, replace(SETTINGS, epochs=1, precision=precision))
    full, half = made["32-true"][:3], made["bf16-mixed"][:3]
    for first, second in zip(full, half, strict=True):
        assert first.dtype == second.dtype
        assert torch.equal(first, second)


@pytest.fixture
def train_on(monkeypatch: pytest.MonkeyPatch) -> Callable[[torch.device], None]:
    """Let training run on a device from now on, whatever its settings say."""

    def choose(device: torch.device) -> None:
        process = SingleProcess()
        process.device = device
        monkeypatch.setattr(loop, "make_fabric", lambda settings: process)

    return choose


@pytest.mark.parametrize("method", [name for name in METHODS if name not in SAME_NODES])
def test_a_device_trains_the_model_of_another(
    splits: Splits, device: torch.device, train_on: Callable[[torch.device], None], method: str
) -> None:
    """Numbers differ by rounding alone: all that is drawn is drawn on the CPU."""
    learns = method in ("s-mixup", "s-cut")
    small = {"matcher.max_steps": 2, "matcher.batch_size": 8} if learns else {}

    def trained(on: torch.device) -> tuple[Classifier, TrainResult]:
        model = fresh()
        train_on(on)
        settings = replace(SETTINGS, epochs=2)
        return model, fit(model, splits, make_method(method, 0, small), settings)

    (model, result), (expected, other) = trained(device), trained(torch.device("cpu"))
    for name in ("train_loss", "validation_loss", "test_loss"):
        found, curve = (each.history.curves[name] for each in (result, other))
        assert found == pytest.approx(curve, rel=1e-3), name
    for name, tensor in model.state_dict().items():  # the model itself stays on the CPU
        torch.testing.assert_close(tensor, expected.state_dict()[name], rtol=1e-3, atol=1e-3)


def test_a_run_on_a_device_resumes(
    splits: Splits, device: torch.device, train_on: Callable[[torch.device], None], tmp_path: Path
) -> None:
    train_on(device)
    file = CheckpointFile(tmp_path / "run.safetensors", "a")
    whole = fit(fresh(), splits, Noise(), SETTINGS).history
    fit(fresh(), splits, Noise(), replace(SETTINGS, epochs=3), checkpoint=file)
    history = fit(fresh(), splits, Noise(), SETTINGS, checkpoint=file, resume=True).history
    assert history.curves["train_loss"] == pytest.approx(whole.curves["train_loss"], rel=1e-4)
    assert history.best_epoch == whole.best_epoch


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("accelerator", ["cuda", "auto"])
def test_training_on_a_gpu(splits: Splits, accelerator: str) -> None:
    settings = replace(SETTINGS, epochs=40, accelerator=accelerator)
    result = fit(fresh(), splits, Augmentation(), settings)
    assert result.history.at_best("test") >= 0.9


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_unavailable_devices_are_an_error_that_says_so(splits: Splits) -> None:
    with pytest.raises(SmixupError, match="cannot train on 1 x cuda"):
        fit(fresh(), splits, Augmentation(), replace(SETTINGS, accelerator="cuda"))


def test_the_method_gets_to_know_the_model_that_is_trained(splits: Splits) -> None:
    class Watching(Augmentation):
        """Notes what the bound model thinks of the same graphs at every batch."""

        def __init__(self) -> None:
            self.seen: list[Tensor] = []

        def bind(self, model: Model) -> None:
            self.model = model

        def on_batch(self, batch: Graphs) -> Graphs:
            self.seen.append(self.model(splits.test[[0, 1]]).detach())
            return batch

    watching, model = Watching(), fresh()
    fit(model, splits, watching, SETTINGS)
    assert not torch.equal(watching.seen[0], watching.seen[1]), "the bound model does not learn"


@pytest.mark.parametrize(
    ("task", "metric"), [(Values(("edges", "nodes")), "mae"), (Labels(("many", "few")), "rocauc")]
)
@pytest.mark.parametrize("augment", [Augmentation(), MMixup(seed=0)])
def test_values_and_labels_are_learned(
    splits: Splits, task: Task, metric: str, augment: Augmentation
) -> None:
    """Targets that the features tell; every seventh is not known."""

    def with_targets(graphs: Graphs) -> Graphs:
        edges = graphs.totals(graphs.adj.row_sums()) / graphs.sizes
        y = torch.stack([100 * edges, graphs.sizes.float()], 1)
        if isinstance(task, Labels):
            y = (y > y.median(0).values).float()
        y[::7, 0] = torch.nan
        return graphs.replace(y=y, has_classes=False)

    parts = [with_targets(part) for part in (splits.train, splits.validation, splits.test)]
    data = Splits(*parts, task=task)
    model = GIN(parts[0].num_features, 2, hidden_channels=16, num_layers=2)
    result = fit(model, data, augment, replace(SETTINGS, epochs=40, learning_rate=0.01))
    scores = result.history.curves["validation"]
    best = min(scores) if metric == "mae" else max(scores)
    assert result.history.at_best("validation") == best
    assert result.history.higher is (metric != "mae")
    losses = result.history.curves["train_loss"]
    assert losses[-1] < 0.7 * losses[0]


def test_targets_must_be_of_the_kind_that_the_task_asks_for(splits: Splits) -> None:
    with pytest.raises(SmixupError, match="the task is values, but the targets of the graphs are"):
        fit(fresh(), replace(splits, task=Values(("a", "b", "c"))), Augmentation(), SETTINGS)
    with pytest.raises(UsageError, match="rmse is no score of classes"):
        fit(fresh(), replace(splits, metric="rmse"), Augmentation(), SETTINGS)
