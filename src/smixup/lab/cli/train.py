"""`smixup train`: one run."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smixup.lab.cli.progress import ProgressDisplay
from smixup.lab.cli.threads import set_threads

if TYPE_CHECKING:
    from smixup.lab.runs.config import RunConfig
    from smixup.lab.runs.run import RunResult

CHECKPOINTS = Path("runs") / "checkpoints"
PRESET = "By default that of the dataset's preset."
DATA, MODEL, TRAINING, OUTPUT = "Data", "Classifier", "Training", "Output"


def train(
    dataset: Annotated[
        str, typer.Option(help="MOTIF, ogbg-molhiv, or a name of the TU collection.")
    ] = "MOTIF",
    backbone: Annotated[str, typer.Option(help="gcn or gin.")] = "gin",
    method: Annotated[str, typer.Option(help="The augmentation; vanilla is none.")] = "vanilla",
    seed: Annotated[int, typer.Option(help="Of split, weights, batches and method.")] = 0,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the method, name=value.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help=f"Passes over the training split. {PRESET}")
    ] = None,
    learning_rate: Annotated[
        float | None,
        typer.Option(
            "--learning-rate", "--lr", help=f"Of Adam. {PRESET}", rich_help_panel=TRAINING
        ),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help=f"Graphs per step. {PRESET}", rich_help_panel=TRAINING)
    ] = None,
    weight_decay: Annotated[
        float | None, typer.Option(help="Of Adam.", rich_help_panel=TRAINING)
    ] = None,
    num_layers: Annotated[
        int | None, typer.Option(help=f"Message-passing layers. {PRESET}", rich_help_panel=MODEL)
    ] = None,
    hidden_channels: Annotated[
        int | None, typer.Option(help=f"Width of every layer. {PRESET}", rich_help_panel=MODEL)
    ] = None,
    dropout: Annotated[
        float | None, typer.Option(help="In the head.", rich_help_panel=MODEL)
    ] = None,
    batch_norm: Annotated[
        bool | None,
        typer.Option(
            "--batch-norm/--no-batch-norm",
            help="In every layer; by default gin's.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="random (80/10/10), official or fold.", rich_help_panel=DATA)
    ] = None,
    num_folds: Annotated[
        int | None, typer.Option(help="Folds of --split fold.", rich_help_panel=DATA)
    ] = None,
    fold: Annotated[
        int | None, typer.Option(help="Which fold to test on, from 0.", rich_help_panel=DATA)
    ] = None,
    train_graphs: Annotated[
        int | None, typer.Option(help="Graphs of the training split to use.", rich_help_panel=DATA)
    ] = None,
    label_corruption: Annotated[
        float | None, typer.Option(help="Share of training labels to flip.", rich_help_panel=DATA)
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data", help="A parameter of the dataset, name=value.", rich_help_panel=DATA
        ),
    ] = None,
    root: Annotated[Path | None, typer.Option(help="The data root.", rich_help_panel=DATA)] = None,
    accelerator: Annotated[
        str | None, typer.Option(help="cpu, cuda, mps or auto.", rich_help_panel=TRAINING)
    ] = None,
    devices: Annotated[
        int | None, typer.Option(help="Processes that share each batch.", rich_help_panel=TRAINING)
    ] = None,
    precision: Annotated[
        str | None, typer.Option(help="32-true or bf16-mixed.", rich_help_panel=TRAINING)
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="CPU threads to use.", rich_help_panel=TRAINING)
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help=f"Keep the state here. By default in {CHECKPOINTS}, until the run ends.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on from the checkpoint of the same command.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    json_: Annotated[
        bool, typer.Option("--json", help="Print one JSON object.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Train a classifier under one method and report its test score.

    The best model is chosen on the validation split alone. Ctrl-C keeps a checkpoint; --resume goes
    on from it to the same result.
    """
    set_threads(threads)
    changes = {
        "epochs": epochs,
        "learning_rate": learning_rate,
        "batch_size": batch_size,
        "weight_decay": weight_decay,
        "num_layers": num_layers,
        "hidden_channels": hidden_channels,
        "dropout": dropout,
        "batch_norm": batch_norm,
        "split": split,
        "num_folds": num_folds,
        "fold": fold,
        "label_corruption": label_corruption,
        "train_graphs": train_graphs,
        "accelerator": accelerator,
        "devices": devices,
        "precision": precision,
    }
    config = _config(dataset, backbone, method, seed, root, set_ or [], data or [], changes)
    result = _run(config, root, checkpoint, resume)
    if json_:
        _print_json(config, result)
    else:
        _print_table(config, result)


def _config(
    dataset: str,
    backbone: str,
    method: str,
    seed: int,
    root: Path | None,
    settings: list[str],
    options: list[str],
    changes: dict[str, Any],
) -> RunConfig:
    from smixup.lab.runs.config import configure
    from smixup.lab.runs.options import literal, split_pairs

    dataset_options = {name: literal(value) for name, value in split_pairs(options).items()}
    texts = {"method_settings": split_pairs(settings), "dataset_options": dataset_options}
    return configure(dataset, backbone, method, seed, root, **changes, **texts)


def _run(config: RunConfig, root: Path | None, checkpoint: Path | None, resume: bool) -> RunResult:
    """Run with a checkpoint; one that the user did not name goes when the run has ended."""
    from smixup.lab.runs.run import run

    own = (
        CHECKPOINTS
        / f"{config.dataset}-{config.backbone}-{config.method}-{config.fingerprint()}.safetensors"
    )
    kept = own if checkpoint is None and os.access(".", os.W_OK) else checkpoint
    with ProgressDisplay() as report:
        result = run(config, root, report, kept, resume)
    if checkpoint is None:
        _remove(own)
    return result


def _remove(own: Path) -> None:
    own.unlink(missing_ok=True)
    with suppress(OSError):  # folders that hold something else stay
        for folder in own.parents[:2]:
            folder.rmdir()


def _print_json(config: RunConfig, result: RunResult) -> None:
    from smixup.lab.runs.config import NAMING_FIELDS

    fields = config.to_dict()
    names = {name: fields[name] for name in NAMING_FIELDS}
    typer.echo(json.dumps({**names, **result.without_curves(), "config": fields}))


def _print_table(config: RunConfig, result: RunResult) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{config.dataset}, {config.backbone}, {config.method}, seed {config.seed}")
    for name in (
        f"test {result.metric}",
        "validation",
        "best epoch",
        "test loss",
        "calibration error",
        "seconds",
    ):
        table.add_column(name, justify="right")
    table.add_row(
        f"{result.test:.4f}",
        f"{result.validation:.4f}",
        f"{result.best_epoch} of {result.epochs}",
        f"{result.test_loss:.4f}",
        f"{result.calibration_error:.4f}",
        f"{result.seconds:.1f}",
    )
    Console().print(table)
