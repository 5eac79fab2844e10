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
from torch import Tensor, nn
from torch_geometric.data import Data

from smixup.app.runs.registry import METHODS, make_method
from smixup.augment import Augmentation, DropEdge, MMixup
from smixup.classifiers import GCN, GIN, Classifier
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, pack
from smixup.graphs.pyg import from_pyg
from smixup.progress import Progress
from smixup.seeding import generator
from smixup.tasks import Labels, Task, Values
from smixup.training import CheckpointFile, Interrupted, Splits, TrainResult, TrainSettings, fit
from smixup.training.evaluation import evaluation_batches, predict
from smixup.training.metrics import metric_named

SETTINGS = TrainSettings(epochs=6, learning_rate=0.01, batch_size=16)
EVERY = [name for name in METHODS if name != "r-mixup"]  # it wants graphs on the same nodes


class Noise(Augmentation):
    """Random at every batch: a run resumes to the same bits only if its random state does."""

    def __init__(self) -> None:
        self.random = generator(0, "noise")

    def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return h + 0.1 * torch.randn(h.shape, generator=self.random), y

    def state_dict(self) -> dict[str, Tensor]:
        return {"random": self.random.get_state()}

    def load_state_dict(self, state: Mapping[str, Tensor]) -> None:
        self.random.set_state(state["random"])


def fresh(kind: type[Classifier] = GIN, dropout: float = 0.0) -> Classifier:
    torch.manual_seed(3)
    return kind(3, 2, hidden_channels=8, num_layers=2, dropout=dropout)


def stop_after(epoch: int) -> Callable[[Progress], None]:
    def stop(progress: Progress) -> None:
        if progress.done == epoch:
            raise KeyboardInterrupt

    return stop


def assert_same(
    model: Classifier, other: Classifier, result: TrainResult, again: TrainResult
) -> None:
    assert result.history.curves == again.history.curves
    assert result.history.best_epoch == again.history.best_epoch
    assert torch.equal(result.test.logits, again.test.logits)
    assert torch.equal(result.validation.logits, again.validation.logits)
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name]), name


def test_one_step_is_adam_on_the_soft_cross_entropy_of_what_the_hooks_return(
    splits: Splits,
) -> None:
    class Soft(Augmentation):
        def bind(self, model: nn.Module) -> None:
            self.model = model

        def on_dataset(self, train: Graphs) -> Graphs:
            return train[range(20)]

        def on_batch(self, batch: Graphs) -> Graphs:
            return batch.replace(x=2 * batch.x)

        def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            return h + 1, 0.75 * y + 0.25 * y.flip(1)

    model, expected, soft = fresh(GCN), fresh(GCN), Soft()
    fit(model, splits, soft, replace(SETTINGS, epochs=1, batch_size=40))
    train = splits.train[torch.arange(20)]
    logits = expected.head(expected.embed(train.replace(x=2 * train.x)) + 1)
    y = 0.75 * train.y + 0.25 * train.y.flip(1)
    (-(y * F.log_softmax(logits, 1)).sum(1).mean()).backward()
    torch.optim.Adam(expected.parameters(), 0.01).step()
    found, wanted = model.state_dict(), expected.state_dict()
    torch.testing.assert_close(dict(found), dict(wanted), rtol=1e-4, atol=1e-5)
    assert torch.equal(soft.model.head[0].weight, model.head[0].weight), "it is the one that learns"


def test_a_separable_problem_is_learnt_and_the_best_epoch_kept(splits: Splits) -> None:
    model = fresh()
    history = fit(model, splits, Augmentation(), replace(SETTINGS, epochs=40)).history
    assert history.test >= 0.9 and history.epochs == 40
    assert history.curves["train_loss"][-1] < 0.5 * history.curves["train_loss"][0]
    assert history.best_epoch < 40, "the last epoch proves nothing"
    known = [history.at_best("validation"), history.at_best("validation_loss")]
    for graphs, numbers in (
        (splits.validation, known),
        (splits.test, [history.test, history.test_loss]),
    ):
        batches, accuracy = evaluation_batches(graphs), metric_named("accuracy")
        found = predict(model, batches).evaluated(accuracy, splits.asked)
        assert [found.score, found.loss] == pytest.approx(numbers, abs=1e-6)


def test_who_goes_on_at_the_end_has_the_same_result(splits: Splits, tmp_path: Path) -> None:
    settings = replace(SETTINGS, epochs=20, learning_rate=0.05)
    file = CheckpointFile(tmp_path / "run.safetensors", "here")
    once = fit(fresh(dropout=0.3), splits, Noise(), settings, checkpoint=file)
    assert math.isnan(file.read()[1]["test"]), "tested after the last write"
    resumed = fit(fresh(dropout=0.3), splits, Noise(), settings, checkpoint=file, resume=True)
    for name in ("curves", "test", "test_loss"):
        assert getattr(resumed.history, name) == getattr(once.history, name)


def test_the_same_run_twice_is_equal_to_the_bit_and_leaves_the_global_source_alone(
    splits: Splits,
) -> None:
    model, other = fresh(dropout=0.3), fresh(dropout=0.3)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    result = fit(model, splits, Noise(), SETTINGS)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert_same(model, other, result, fit(other, splits, Noise(), SETTINGS))
    third = fit(fresh(dropout=0.3), splits, Noise(), replace(SETTINGS, seed=1))
    assert third.history.curves != result.history.curves, "the seed decides the order of batches"


def test_an_interrupted_run_resumes_to_the_same_bits(splits: Splits, tmp_path: Path) -> None:
    class Stop(Noise):
        batches = 0

        def on_batch(self, batch: Graphs) -> Graphs:
            self.batches += 1
            if self.batches == 8:
                os.kill(os.getpid(), signal.SIGTERM)
            return batch

    whole_model, seen = fresh(dropout=0.3), []
    whole = fit(whole_model, splits, Noise(), SETTINGS)
    handler = signal.getsignal(signal.SIGTERM)
    ways = [("epoch", Noise(), stop_after(4), 4), ("batch", Stop(), lambda progress: None, 2)]
    for name, noise, report, epoch in ways:
        file, model = CheckpointFile(tmp_path / name / "run.safetensors", "a"), fresh(dropout=0.3)
        with pytest.raises(Interrupted, match=rf"after epoch {epoch}.*--resume"):
            fit(fresh(dropout=0.3), splits, noise, SETTINGS, report, file)
        seen.clear()
        told = lambda progress: seen.append(progress.done)  # noqa: E731
        result = fit(model, splits, Noise(), SETTINGS, told, file, resume=True)
        assert seen == list(range(epoch + 1, 7)), "only what was missing is done"
        assert_same(model, whole_model, result, whole)
        again = fit(model, splits, Noise(), SETTINGS, checkpoint=file, resume=True)
        assert_same(model, whole_model, again, whole)
    assert signal.getsignal(signal.SIGTERM) is handler
    with pytest.raises(Interrupted, match="its state is not kept"):
        fit(fresh(), splits, Augmentation(), SETTINGS, stop_after(1))


SIZES = {
    "odd": ([0, 4, 1, 5, 3, 0, 2, 1, 1], 2),  # some without nodes or edges, a node at the end
    "one class": ([4, 5, 3], 1),
    "nothing": ([0] * 4, 2),
}


def paths(sizes: list[int], classes: int) -> Graphs:
    random, data = torch.Generator().manual_seed(0), []
    for place, n in enumerate(sizes):
        line = torch.arange(max(n - 1, 0))
        ends = torch.stack([torch.cat([line, line + 1]), torch.cat([line + 1, line])])
        x, y = torch.rand(n, 3, generator=random), torch.tensor([place % classes])
        data.append(Data(x=x, edge_index=ends, y=y, num_nodes=n))
    return from_pyg(data)


@pytest.mark.filterwarnings("ignore:there is one class")
@pytest.mark.parametrize("method", EVERY)
@pytest.mark.parametrize(("name", "batch_size"), [("odd", 1), ("one class", 2), ("nothing", 4)])
def test_every_method_trains_on_small_graphs(name: str, batch_size: int, method: str) -> None:
    """A single node has no variance, a graph without nodes no mean, one graph no partner."""
    graphs = paths(*SIZES[name])
    small = {"matcher.max_steps": 2, "matcher.batch_size": 4, "matcher.hidden_channels": 4}
    settings = small if method in ("s-mixup", "s-cut") else {}
    for kind in (GCN, GIN):
        model = kind(3, graphs.num_classes, hidden_channels=4, num_layers=2, batch_norm=True)
        done = fit(
            model,
            Splits(graphs, graphs, graphs),
            make_method(method, 0, settings),
            TrainSettings(epochs=2, learning_rate=0.01, batch_size=batch_size),
        )
        assert done.test.logits.shape == (len(graphs), graphs.num_classes)
        assert done.test.logits.isfinite().all()
        assert all(value.isfinite().all() for value in model.state_dict().values())


@pytest.fixture
def on_disk(splits: Splits, tmp_path: Path) -> Splits:
    """The same splits as subsets of one packed set."""
    whole = Graphs.cat([splits.train, splits.validation, splits.test])  # type: ignore[list-item]
    packed = pack(whole.replace(ids=torch.arange(60)), tmp_path / "set")
    return Splits(*(packed.subset(part) for part in torch.arange(60).split([40, 10, 10])))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", [Augmentation, lambda: DropEdge(seed=1)])
def test_training_from_disk_is_training_from_memory(
    splits: Splits, on_disk: Splits, method: Callable[[], Augmentation], tmp_path: Path
) -> None:
    memory, disk, resumed = (fresh(dropout=0.2) for _ in range(3))
    expected = fit(memory, splits, method(), SETTINGS)
    assert_same(disk, memory, fit(disk, on_disk, method(), SETTINGS), expected)
    file = CheckpointFile(tmp_path / "state.safetensors", "run")
    with pytest.raises(Interrupted):
        fit(fresh(dropout=0.2), on_disk, method(), SETTINGS, stop_after(2), file)
    again = fit(resumed, on_disk, method(), SETTINGS, checkpoint=file, resume=True)
    assert_same(resumed, memory, again, expected)


@pytest.mark.parametrize("name", EVERY)
def test_every_method_trains_from_disk_or_says_why_not(name: str, on_disk: Splits) -> None:
    few = {"matcher.max_steps": 2, "matcher.hidden_channels": 4, "partners": 2}
    method = make_method(name, 0, few if name in ("s-mixup", "s-cut") else {})
    if method.grows:
        with pytest.raises(UsageError, match="load it into memory"):
            fit(fresh(), on_disk, method, SETTINGS)
    else:
        assert fit(fresh(), on_disk, method, replace(SETTINGS, epochs=2)).history.epochs == 2


@pytest.mark.parametrize(
    ("task", "metric"), [(Values(("edges", "nodes")), "mae"), (Labels(("many", "few")), "rocauc")]
)
def test_values_and_labels_are_learned(splits: Splits, task: Task, metric: str) -> None:
    """Targets that the features tell; every seventh is not known."""

    def with_targets(graphs: Graphs) -> Graphs:
        edges = graphs.totals(graphs.adj.row_sums()) / graphs.sizes
        y = torch.stack([100 * edges, graphs.sizes.float()], 1)
        if isinstance(task, Labels):
            y = (y > y.median(0).values).float()
        y[::7, 0] = torch.nan
        return graphs.replace(y=y, has_classes=False)

    parts = [with_targets(part) for part in (splits.train, splits.validation, splits.test)]
    for augment in (Augmentation(), MMixup(seed=0)):
        model, settings = GIN(3, 2, hidden_channels=16, num_layers=2), replace(SETTINGS, epochs=20)
        history = fit(model, Splits(*parts, task=task), augment, settings).history
        scores = history.curves["validation"]
        assert history.at_best("validation") == (min if metric == "mae" else max)(scores)
        assert history.higher is (metric != "mae")
        assert history.curves["train_loss"][-1] < 0.8 * history.curves["train_loss"][0]


def test_what_cannot_be_trained_is_refused(splits: Splits) -> None:
    class Poison(Augmentation):
        batches = 0

        def on_embedding(self, h: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            self.batches += 1
            return (h * float("nan") if self.batches > 3 else h), y

    def train(augment: Augmentation | None = None, data: Splits = splits, **changes: Any) -> object:
        return fit(fresh(), data, augment or Augmentation(), replace(SETTINGS, **changes))

    three = replace(splits, task=Values(("a", "b", "c")))
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: train(Poison()), r"epoch 2.*learning rate.*0\.01"),
        (lambda: train(data=three), "the task is values, but the targets of the graphs are"),
        (lambda: train(data=replace(splits, metric="rmse")), "rmse is no score of classes"),
        (lambda: train(accelerator="gpux"), "accelerator must be one of cpu, cuda, auto"),
    ]
    if not torch.cuda.is_available():
        cases += [(lambda: train(accelerator="cuda"), "cannot train on cuda")]
    for call, message in cases:
        with pytest.raises(SmixupError, match=message):
            call()
