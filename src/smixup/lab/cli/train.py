"""`smixup train`: one run."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.lab.cli import options
from smixup.lab.cli.options import dataset_options, option, with_options
from smixup.lab.cli.printing import print_table
from smixup.lab.cli.progress import ProgressDisplay
from smixup.lab.cli.threads import set_threads
from smixup.lab.runs.registry import BACKBONES, METHODS
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.lab.runs.config import RunConfig
    from smixup.lab.runs.run import RunResult

CHECKPOINTS = Path("runs") / "checkpoints"
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
        of_data(f"Kind of split: random (80/10/10), official, fold, few or nested. {PRESET}"),
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


@with_options(changes=Changes)
def train(
    dataset: options.Dataset = "MOTIF",
    backbone: Annotated[str, option(f"Classifier: {' or '.join(BACKBONES)}.")] = "gin",
    method: Annotated[
        str, option(f"Augmentation: {', '.join(METHODS)}. Vanilla is none.")
    ] = "vanilla",
    seed: Annotated[
        int, option("Seed of the split, the initial weights, the order of batches and the method.")
    ] = 0,
    set_: Annotated[
        list[str] | None,
        option("Setting of the method, such as alpha=0.5. May be repeated.", "--set"),
    ] = None,
    data: options.Data = None,
    root: options.Root = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
    checkpoint: Annotated[
        Path | None,
        of_checkpoint(
            f"File that keeps the state. By default one in {CHECKPOINTS}, until the run ends."
        ),
    ] = None,
    resume: Annotated[
        bool, of_checkpoint("Go on from the checkpoint of the same command.", "--resume")
    ] = False,
    *,
    changes: Changes,
) -> None:
    """Train a classifier under one method and report its test score.

    The best model is chosen on the validation split alone. Ctrl-C keeps a checkpoint; --resume goes
    on from it to the same result.
    """
    from smixup.lab.runs.config import NAMING_FIELDS, configure
    from smixup.lab.runs.options import split_pairs

    texts = {"method_settings": split_pairs(set_ or []), "dataset_options": dataset_options(data)}
    config = configure(dataset, backbone, method, seed, root, **vars(changes), **texts)
    width = config.batch_size * config.hidden_channels
    set_threads(threads, config.dataset, root=root, per_node=width)
    set_budget(memory)
    result = _run(config, root, checkpoint, resume)
    if as_json:
        fields = config.to_dict()
        names = {name: fields[name] for name in NAMING_FIELDS}
        typer.echo(json.dumps({**names, **result.scores(), "config": fields}))
    else:
        _print_table(config, result, _unused_attributes(config, root))


def _unused_attributes(config: RunConfig, root: Path | None) -> str | None:
    """Name node attributes that nobody has decided about; they are no features then."""
    from smixup.datasets import data_root
    from smixup.datasets.layouts import node_attributes

    number, alone = node_attributes(config.dataset, data_root(root))
    undecided = config.dataset_options.get("attributes") is None
    return options.unused_attributes(number) if number and undecided and not alone else None


def _run(config: RunConfig, root: Path | None, checkpoint: Path | None, resume: bool) -> RunResult:
    """Run with a checkpoint; one that the user did not name goes when the run has ended."""
    from smixup.lab.runs.run import run

    names = (Path(config.dataset).name, config.backbone, config.method, config.fingerprint())
    own = CHECKPOINTS / f"{'-'.join(names)}.safetensors"
    kept = own if checkpoint is None and os.access(".", os.W_OK) else checkpoint
    with ProgressDisplay() as report:
        result = run(config, root, report, kept, resume)
    if checkpoint is None:
        own.unlink(missing_ok=True)
        with suppress(OSError):  # folders that hold something else stay
            for folder in own.parents[:2]:
                folder.rmdir()
    return result


def _print_table(config: RunConfig, result: RunResult, note: str | None) -> None:
    columns = {
        f"test {result.metric}": f"{result.test:.4f}",
        "validation": f"{result.validation:.4f}",
        "best epoch": f"{result.best_epoch} of {result.epochs}",
        "test loss": f"{result.test_loss:.4f}",
        "calibration error": f"{result.calibration_error:.4f}",
        "seconds": f"{result.seconds:.1f}",
    }
    columns = {name: shown for name, shown in columns.items() if shown != "nan"}  # no such score
    title = f"{config.dataset}, {config.backbone}, {config.method}, seed {config.seed}"
    print_table(list(columns), [list(columns.values())], words=0, title=title, caption=note)
