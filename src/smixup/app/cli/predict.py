"""`smixup predict`: what a kept model says of new graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, option
from smixup.app.cli.threads import set_threads
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.models import Model, Predictions
    from smixup.models.new_data import NewData

STDOUT = "-"


def predict(
    folder: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Folder that `smixup train --out` wrote.")
    ],
    source: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            help="Data to predict for: files like those of the training data, the name of a "
            "dataset, or a packed folder. Targets may be missing.",
        ),
    ],
    out: Annotated[
        str, option("File for the predictions: .csv, .tsv, .jsonl, .parquet, or - to print them.")
    ] = STDOUT,
    level: Annotated[
        float | None,
        option(
            "Probability with which sets of classes and intervals of values hold the truth. By "
            "default 0.9, if the model has graphs enough to calibrate them."
        ),
    ] = None,
    data: options.Data = None,
    root: options.Root = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
) -> None:
    """Predict for new graphs: probabilities, and sets that hold the truth as often as you ask.

    Columns of the input are kept. Probabilities are calibrated on the validation split of the
    training data.
    """
    set_threads(threads)
    set_budget(memory)
    from smixup.datasets.readers.label_table import UNKNOWN
    from smixup.models import load_model
    from smixup.models.prediction_files import require_apart, require_ending, require_place

    require_ending(out)
    require_apart(out, source)
    require_place(out)
    model = load_model(folder)
    level = _level(model, level)
    found = model.open(source, root, **dataset_options(data))
    for note in found.notes:
        if note != UNKNOWN:  # usual here, and said along with the score
            typer.echo(note, err=True)
    said = model.predict_on(found, level)
    said.write(out)
    _tell(model, found, said, out)


def _level(model: Model, level: float | None) -> float | None:
    """Return the level of sets: that asked for, or the usual one if there are graphs enough."""
    from smixup.models.model import USUAL_LEVEL

    if level is not None:
        model.calibration.require(level)
        return level
    if model.calibration.can(USUAL_LEVEL):
        return USUAL_LEVEL
    typer.echo(
        f"The model has too few validation graphs for sets at the level {USUAL_LEVEL:g}, so none "
        "are given; ask for a lower level with --level.",
        err=True,
    )
    return None


def _tell(model: Model, found: NewData, said: Predictions, out: str) -> None:
    """Say on standard error what was predicted, and how well if that is known."""
    from smixup.models.scoring import score_of

    score = score_of(model, found, said)
    worth = f"; {score}" if score else "; there is no score without targets"
    empty = len(said.left_out)
    worth += f"; {empty:,} rows without a molecule have no prediction" if empty else ""
    where = "" if out == STDOUT else f" in {out}"
    graphs = f"{len(said):,} {'graph' if len(said) == 1 else 'graphs'}"
    typer.echo(f"Predictions for {graphs}{where}{worth}.", err=True)
