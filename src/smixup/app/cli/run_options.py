"""The options of `smixup train` that change a field of a run's configuration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from smixup.app.cli.options import option

PRESET = "By default that of the dataset's preset."
of_data, of_model, of_training, of_checkpoint = (
    partial(option, panel=panel) for panel in ("Data", "Classifier", "Training", "Checkpoint")
)


@dataclass(frozen=True)
class Changes:
    """The options that change a field of `RunConfig`, under its name."""

    epochs: Annotated[
        int | None, of_training(f"Number of passes over the training split. {PRESET}")
    ] = None
    learning_rate: Annotated[
        float | None, of_training(f"Learning rate of Adam. {PRESET}", "--learning-rate", "--lr")
    ] = None
    batch_size: Annotated[int | None, of_training(f"Number of graphs per step. {PRESET}")] = None
    weight_decay: Annotated[float | None, of_training("Weight decay of Adam. By default 0.")] = None
    num_layers: Annotated[int | None, of_model(f"Number of convolution layers. {PRESET}")] = None
    hidden_channels: Annotated[int | None, of_model(f"Width of every layer. {PRESET}")] = None
    dropout: Annotated[
        float | None, of_model("Share of values dropped in the head. By default 0.")
    ] = None
    batch_norm: Annotated[
        bool | None,
        of_model(
            "Normalise every layer over the batch. By default for gin, gine, and gcn on MOTIF.",
            "--batch-norm/--no-batch-norm",
        ),
    ] = None
    split: Annotated[
        str | None,
        of_data(
            "Kind of split: random (80/10/10), official, fold, few, nested, group, scaffold or "
            f"time. {PRESET}"
        ),
    ] = None
    split_column: Annotated[
        str | None,
        of_data("Column of the data that holds groups or times, with --split group or time."),
    ] = None
    split_seed: Annotated[
        int | None, of_data("Seed of the split alone. By default that of the run.")
    ] = None
    num_folds: Annotated[
        int | None, of_data("Number of folds, with --split fold or nested. By default 10.")
    ] = None
    fold: Annotated[
        int | None,
        of_data("Fold to test on, counted from 0, with --split fold or nested. By default 0."),
    ] = None
    train_graphs: Annotated[
        int | None,
        of_data(
            "Number of graphs of the training split to use. By default all; --split few needs it, "
            "and tests on all graphs that it neither trains nor validates with."
        ),
    ] = None
    validation_graphs: Annotated[
        int | None,
        of_data(
            "Number of graphs to validate with, with --split few. By default as many as to train."
        ),
    ] = None
    metric: Annotated[
        str | None,
        of_training(
            "Score that is reported, and by which the epoch is chosen, such as rocauc or mae. By "
            "default that of the data."
        ),
    ] = None
    label_corruption: Annotated[
        float | None, of_data("Share of training labels to flip. By default 0.")
    ] = None
    balanced: Annotated[
        bool | None,
        of_training(
            "Weigh rare classes, or labels, in the loss as much as frequent ones. By default not.",
            "--balanced/--no-balanced",
        ),
    ] = None
    teachers: Annotated[
        int | None,
        of_training(
            "Number of models that are trained without the method first, to label the graphs that "
            "it makes. By default 0."
        ),
    ] = None
    refit: Annotated[
        bool | None,
        of_training(
            "Train anew on training and validation graphs together, for as many epochs as the "
            "validation split finds best, and test that model. By default not.",
            "--refit/--no-refit",
        ),
    ] = None
    accelerator: Annotated[
        str | None,
        of_training(
            "Device to train on: cpu, cuda, or auto for cuda if there is one. The tests exercise "
            "cuda where a device is present. By default cpu."
        ),
    ] = None
    devices: Annotated[
        int | None, of_training("Number of processes that share each batch. By default 1.")
    ] = None
    precision: Annotated[
        str | None, of_training("Precision: 32-true or bf16-mixed. By default 32-true.")
    ] = None
    test_every_epoch: Annotated[
        bool | None,
        of_training(
            "Evaluate the test split in every epoch, or only the best epoch's model at the end; "
            "the result is the same. By default in every epoch, but not with --split few.",
            "--test-every-epoch/--no-test-every-epoch",
        ),
    ] = None
    selection: Annotated[
        str | None,
        of_training(
            "How the validation split chooses the epoch: score (the best one), smoothed-loss (the "
            "lowest mean loss of nine epochs), or last. By default score."
        ),
    ] = None
