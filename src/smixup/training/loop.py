"""The training loop, in plain sight."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load, save

from smixup.augment import Augmentation
from smixup.augment.norms import NormGuard, rows_of
from smixup.checkpoint import CheckpointFile, part
from smixup.classifiers import Classifier
from smixup.errors import SmixupError
from smixup.graphs import Graphs, PackedGraphs
from smixup.graphs.required_targets import require_finite
from smixup.interrupt import termination_as_interrupt
from smixup.progress import Progress, Report, silent
from smixup.seeding import derive, generator, random_state_kept
from smixup.tasks import Classes, Task, task_of_targets
from smixup.training.checkpointer import Checkpointer, resume_from
from smixup.training.evaluation import Outputs, evaluate, evaluation_batches, predict
from smixup.training.history import NOT_TESTED, History
from smixup.training.metrics import metric_named
from smixup.training.normalization import REFERENCE_GRAPHS, refresh_statistics
from smixup.training.one_class import warn_of_one_class
from smixup.training.parallel import (
    Processes,
    average_buffers,
    average_gradients,
    launch,
    make_fabric,
    share_of,
)
from smixup.training.room import require_room_for_largest
from smixup.training.settings import TrainSettings
from smixup.training.state import TrainState

if TYPE_CHECKING:  # for models that are kept
    from smixup.training.crossed import Crossed


@dataclass(frozen=True)
class Splits:
    """The three parts of a dataset, in memory or on disk, how their predictions are scored, and
    what is asked of a graph: if nobody says so, classes where targets are classes, else values.
    """

    train: Graphs | PackedGraphs
    validation: Graphs | PackedGraphs
    test: Graphs | PackedGraphs
    metric: str = ""
    task: Task | None = None

    @property
    def asked(self) -> Task:
        """The task, with what it has to know of the training targets."""
        train = self.train
        task = self.task or task_of_targets(train.num_classes, train.has_classes)
        return task.fitted(train.y)


@dataclass(frozen=True)
class TrainResult:
    """What training brought.

    Attributes:
        history: curves, best epoch, seconds.
        validation: outputs of the best epoch's model on the validation split.
        test: its outputs on the test split.
        crossed: outputs on the validation split, each of the model of an epoch that was chosen
            without its graph; None if nobody asked for them.
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

    Args:
        model: a classifier with fresh weights; changed in place.
        data: training, validation and test split. Of those on disk (`open_packed(...).subset`),
            batches alone are in memory.
        augment: the method.
        settings: how to train.
        report: told after every epoch.
        checkpoint: where to keep the state: once a minute, when interrupted, and at the end.
        resume: go on from the checkpoint; in one process on the CPU the result is, to the bit,
            that of a run never interrupted.
        crossed: collects what is needed to calibrate the model by its validation split.
    """
    data = require_task(data)
    warn_of_one_class(data.train)
    require_room_for_largest(model, data.train, mixes=type(augment) is not Augmentation)
    with random_state_kept(), termination_as_interrupt():
        fabric, train = make_fabric(settings), data.train.renumbered()
        # Several processes get their data from this one, by way of the CPU.
        train = train.to(fabric.device) if settings.devices == 1 else train
        originals = train[:REFERENCE_GRAPHS].floating()
        assert data.task is not None, "`require_task` sees to it"
        augment.set_task(data.task)
        data = replace(data, train=augment.fit_extend(train, report))
        progress = report, checkpoint, resume, crossed
        run = partial(_train, model, data, originals, augment, settings, *progress)
        best, history, outputs = launch(fabric, run)
    model.load_state_dict(load(best))
    said = load(outputs)
    splits = ["validation", "test", *(() if crossed is None else ("crossed",))]
    return TrainResult(History(**history), *(Outputs(**part(said, split)) for split in splits))


def _train(
    model: Classifier,
    data: Splits,
    originals: Graphs,
    augment: Augmentation,
    settings: TrainSettings,
    report: Report,
    checkpoint: CheckpointFile | None,
    resume: bool,
    crossed: Crossed | None,
    fabric: Processes,
) -> tuple[bytes, dict[str, Any], bytes]:
    """Train in this process, and return the best model, the history, and what that model says of
    the held-out splits.

    Processes share the memory of their arguments, and it goes with them: the model is copied, and
    returned as bytes.
    """
    torch.manual_seed(derive(settings.seed, "dropout") + fabric.global_rank)
    task, metric = data.task, metric_named(data.metric)
    assert task is not None, "`fit` sees to it"
    model = deepcopy(model).to(fabric.device)
    augment.bind(model)
    train, originals = data.train.to(fabric.device), originals.to(fabric.device)
    validation, test = (
        evaluation_batches(graphs, fabric.device) for graphs in (data.validation, data.test)
    )
    optimizer = adam(model, settings)
    batches = generator(settings.seed, "batches")
    state = TrainState(model, optimizer, augment, batches, crossed=crossed)
    norms = NormGuard(model, active=augment.norm_from_originals, listens=False)
    history = History(selection=settings.selection, higher=metric.higher)
    if checkpoint and resume:
        resume_from(checkpoint, state, history)
    file = checkpoint if fabric.is_global_zero else None
    checkpointer = Checkpointer(state, history, file)

    try:
        started = time.perf_counter() - history.seconds
        for epoch in range(history.epochs + 1, settings.epochs + 1):
            model.train()
            augment.set_epoch(epoch, settings.epochs)
            losses = []
            order = torch.randperm(len(train), generator=state.batches)
            for index in order.split(settings.batch_size):
                optimizer.zero_grad()
                share, count = share_of(fabric, index), 0
                loss = torch.zeros((), device=fabric.device)
                if len(share):
                    given = train[share].floating()
                    batch = augment.on_batch(given)
                    norms.rows = rows_of(batch, len(given))
                    with fabric.autocast():
                        with norms if norms.rows else nullcontext():
                            h, y = augment.on_embedding(model.embed(batch), batch.y)
                        loss = task.loss(model.head(h), y)
                    loss.backward()
                    count = len(y)
                losses.append(len(index) * average_gradients(fabric, model, loss.detach(), count))
                optimizer.step()
            average_buffers(fabric, model)
            refresh_statistics(model, originals)

            train_loss = float(torch.stack(losses).sum()) / len(train)
            outputs = predict(model, validation)
            at_validation, at_test = outputs.evaluated(metric, task), NOT_TESTED
            if not math.isfinite(train_loss + at_validation.loss):
                raise diverged(epoch, settings)
            if settings.test_every_epoch:
                at_test = evaluate(model, test, metric, task)
            if history.record(train_loss, at_validation, at_test):
                state.keep_best()
            if crossed is not None:
                crossed.record(outputs, metric, task, settings.selection)
            history.seconds = time.perf_counter() - started
            checkpointer.snapshot()
            if fabric.is_global_zero:
                report(Progress("training", epoch, settings.epochs, history.latest()))
        checkpointer.write()
    except KeyboardInterrupt:
        raise checkpointer.interrupted() from None

    model.load_state_dict(state.best)
    said = {"validation": predict(model, validation), "test": predict(model, test)}
    history.record_test(said["test"].evaluated(metric, task))
    said |= {} if crossed is None else {"crossed": crossed.outputs}
    tensors = {
        f"{split}.{name}": tensor
        for split, outputs in said.items()
        for name, tensor in vars(outputs).items()
    }
    return save(state.best), history.to_dict(), save(tensors)


def require_task(data: Splits) -> Splits:
    """Return the splits with their task, and its usual metric if none was named; refuse targets of
    another kind, and a metric that does not suit.
    """
    require_finite(data.train.y)
    task = data.asked
    for graphs in (data.train, data.validation, data.test):
        if graphs.has_classes != isinstance(task, Classes):
            found = "classes" if graphs.has_classes else "values"
            raise SmixupError(
                f"the task is {task.kind}, but the targets of the graphs are {found}: make y "
                "integer if they are class numbers, float if they are values."
            )
    metric = metric_named(data.metric or task.metrics[0])
    metric.require_suits(task)
    return replace(data, task=task, metric=metric.name)


def adam(model: Classifier, settings: TrainSettings) -> torch.optim.Adam:
    """Return Adam, in its fused form where the device has one."""
    parameters = list(model.parameters())
    fused = parameters[0].device.type in ("cpu", "cuda")
    return torch.optim.Adam(
        parameters, settings.learning_rate, weight_decay=settings.weight_decay, fused=fused
    )


def diverged(epoch: int, settings: TrainSettings) -> SmixupError:
    """Return the error for a loss that is no longer a number."""
    return SmixupError(
        f"the loss is not finite in epoch {epoch}: lower the learning rate, which is "
        f"{settings.learning_rate:g}."
    )
