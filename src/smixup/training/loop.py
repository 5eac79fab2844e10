"""The training loop, in plain sight."""

from __future__ import annotations

import math
import time
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import nn

from smixup.augment import Augmentation
from smixup.augment.norms import batch_norms, norms_by, rows_of, statistics_anew
from smixup.classical.base import Classical
from smixup.classifiers import Classifier
from smixup.errors import SmixupError
from smixup.graphs import Graphs, PackedGraphs
from smixup.graphs.targets import require_finite
from smixup.progress import Progress, Report, silent, termination_as_interrupt
from smixup.saved import CheckpointFile
from smixup.seeding import derive, generator, random_state_kept
from smixup.tasks import Classes, Task, task_of_targets
from smixup.training.crossed import Crossed
from smixup.training.evaluation import Outputs, evaluation_batches, predict
from smixup.training.metrics import Metric, metric_named
from smixup.training.settings import TrainSettings
from smixup.training.state import History, TrainState

REFERENCE_GRAPHS = 512


@dataclass(frozen=True)
class Splits:
    """The three parts of a dataset, in memory or on disk; how their predictions are scored, and
    what is asked of a graph, if that is not the usual.
    """

    train: Graphs | PackedGraphs
    validation: Graphs | PackedGraphs
    test: Graphs | PackedGraphs
    metric: str = ""
    task: Task | None = None

    @property
    def asked(self) -> Task:
        """The task, with what it has to know of the training targets."""
        usual = task_of_targets(self.train.num_classes, self.train.has_classes)
        return (self.task or usual).fitted(self.train.y)


@dataclass(frozen=True)
class TrainResult:
    """What training brought: its history, the outputs of the best epoch's model on two splits, and
    those on the validation split of which each is of an epoch that was chosen without its graph.
    """

    history: History
    validation: Outputs
    test: Outputs
    crossed: Outputs | None = None


def fit(
    model: Classifier,
    data: Splits,
    augment: Augmentation,
    settings: TrainSettings,
    report: Report = silent,
    checkpoint: CheckpointFile | None = None,
    resume: bool = False,
    crossed: Crossed | None = None,
) -> TrainResult:
    """Train `model` and leave it as it was at its best epoch, which the validation split alone
    decides.

    Example::

        settings = TrainSettings(epochs=100, learning_rate=0.001, batch_size=32)
        fit(GIN(7, 2), Splits(train, validation, test), SMixup(), settings).history.test

    Args:
        model: a classifier with fresh weights; changed in place.
        data: training, validation and test split. Of those on disk (`open_packed(...).subset`),
            batches alone are in memory.
        augment: the method.
        settings: how to train.
        report: told after every epoch.
        checkpoint: where to keep the state: once a minute, when interrupted, and at the end.
        resume: go on from the checkpoint, on the CPU to the same bits.
        crossed: collects what is needed to calibrate the model by its validation split.
    """
    device, (task, metric) = device_of(settings.accelerator), task_and_metric(data)
    if isinstance(model, Classical):
        return learn_once(model, data, task, metric, settings.seed, crossed)
    with random_state_kept(), termination_as_interrupt():
        train = model.prepare(data.train).renumbered().to(device)
        originals = train[:REFERENCE_GRAPHS].floating()
        augment.set_task(task)
        train = augment.fit_extend(train, report).to(device)
        torch.manual_seed(derive(settings.seed, "dropout"))
        learner = deepcopy(model).to(device)
        augment.bind(learner)
        validation = evaluation_batches(model.prepare(data.validation), device)
        batches = generator(settings.seed, "batches")
        history = History(selection=settings.selection, higher=metric.higher)
        optimizer = torch.optim.Adam(
            learner.parameters(),
            settings.learning_rate,
            weight_decay=settings.weight_decay,
            fused=device.type in ("cpu", "cuda"),
        )
        state = TrainState(learner, optimizer, augment, batches, history, checkpoint, crossed)
        if checkpoint and resume:
            tensors, notes = checkpoint.read()
            with checkpoint.described():  # if it does not fit, it is of another run
                state.restore(tensors, notes)
        try:
            state.keep()
            started = time.perf_counter() - history.seconds
            for epoch in range(history.epochs + 1, settings.epochs + 1):
                augment.set_epoch(epoch, settings.epochs)
                train_loss = _train_epoch(state, train, task, settings, epoch)
                refresh_statistics(learner, originals)

                outputs = predict(learner, validation)
                at_validation = outputs.evaluated(metric, task)
                if not math.isfinite(train_loss + at_validation.loss):
                    raise SmixupError(
                        f"the loss is not finite in epoch {epoch}: lower the learning rate, which "
                        f"is {settings.learning_rate:g}."
                    )
                if history.record(train_loss, at_validation):
                    state.keep_best()
                if crossed is not None:
                    crossed.record(outputs, metric, task, settings.selection)
                history.seconds = time.perf_counter() - started
                state.keep()
                report(Progress("training", epoch, settings.epochs, history.latest()))
            state.write()
        except KeyboardInterrupt:
            raise state.interrupted() from None

        learner.load_state_dict(state.best)
        model.load_state_dict(state.best)
        test = evaluation_batches(model.prepare(data.test), device)
        at_best = predict(learner, validation).cpu(), predict(learner, test).cpu()
    tested = at_best[1].evaluated(metric, task)
    history.test, history.test_loss = tested.score, tested.loss
    return TrainResult(history, *at_best, None if crossed is None else crossed.outputs)


def learn_once(
    model: Classical, data: Splits, task: Task, metric: Metric, seed: int, crossed: Crossed | None
) -> TrainResult:
    """Fit a model that is no network; it never sees the validation split, which calibrates it."""
    started, history = time.perf_counter(), History(higher=metric.higher)
    model.learn(data.train[:], task, seed)
    validation, test = (
        predict(model, evaluation_batches(part)) for part in (data.validation, data.test)
    )
    at_validation = validation.evaluated(metric, task)
    history.record(0.0, at_validation)
    tested = test.evaluated(metric, task)
    history.test, history.test_loss = tested.score, tested.loss
    history.seconds = time.perf_counter() - started
    if crossed is not None:
        crossed.logits = validation.logits
    return TrainResult(history, validation, test, None if crossed is None else crossed.outputs)


def _train_epoch(
    state: TrainState, train: Graphs | PackedGraphs, task: Task, settings: TrainSettings, epoch: int
) -> float:
    """Take one pass over the training graphs, and return their mean loss."""
    model, optimizer, augment = state.model, state.optimizer, state.augment
    model.train()
    losses = []
    order = torch.randperm(len(train), generator=state.batches)
    parts = order.split(settings.batch_size)
    for step, index in enumerate(parts):
        done = (epoch - 1 + step / len(parts)) / settings.epochs
        for group in optimizer.param_groups:
            group["lr"] = settings.rate_at(done)
        optimizer.zero_grad()
        originals = train[index].floating()
        batch = augment.on_batch(originals)
        rows = rows_of(batch, len(originals)) if augment.norm_from_originals else {}
        with norms_by(model, rows):
            h, y = augment.on_embedding(model.embed(batch), batch.y)
        loss = task.loss(model.head(h), y)
        loss.backward()
        losses.append(len(index) * loss.detach())
        optimizer.step()
    return float(torch.stack(losses).sum()) / len(train)


@torch.no_grad()
def refresh_statistics(model: nn.Module, originals: Graphs) -> None:
    """Set the statistics that batch norm uses at test time to those of original training graphs:
    mixes have others, and a model judged by them loses what it has learnt (on 20 MOTIF graphs, 48 %
    instead of 78 %).
    """
    if any(batch_norms(model)):
        with statistics_anew(model):
            model(originals)


def task_and_metric(data: Splits) -> tuple[Task, Metric]:
    """Return what is asked of the graphs, and how predictions are scored; refuse targets of
    another kind, and a metric that does not suit.
    """
    require_finite(data.train.y)
    task = data.asked
    for graphs in (data.train, data.validation, data.test):
        if graphs.has_classes != isinstance(task, Classes):
            kind = "classes" if graphs.has_classes else "values"
            raise SmixupError(
                f"the task is {task.kind}, but the targets of the graphs are {kind}: make y "
                "integer if they are class numbers, float if they are values."
            )
    metric = metric_named(data.metric or task.metrics[0])
    metric.require_suits(task)
    return task, metric


def device_of(accelerator: str) -> torch.device:
    """Return the device to train on."""
    there = torch.cuda.is_available()
    if accelerator == "cuda" and not there:
        raise SmixupError(
            "cannot train on cuda: torch finds no such device. `smixup doctor` lists what is there."
        )
    return torch.device("cuda" if there and accelerator != "cpu" else "cpu")
