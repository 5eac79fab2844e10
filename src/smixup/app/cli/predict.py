"""`smixup predict`: what a saved model says of new graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options
from smixup.app.cli.printing import print_notes
from smixup.app.cli.threads import set_threads

if TYPE_CHECKING:
    from smixup.models import Model

STDOUT = "-"


def predict(
    folder: options.ModelFolder,
    source: options.New,
    out: options.PredictionFile = STDOUT,
    level: options.Level = None,
    data: options.Data = None,
    root: options.Root = None,
) -> None:
    """Predict for new graphs, with probabilities.

    Columns of the input are kept. Probabilities are calibrated on the validation split of the
    training data; sets of classes, and intervals of values, hold the truth as often as you ask.
    """
    set_threads()
    from smixup.datasets.readers.label_table import UNKNOWN
    from smixup.models import load_model
    from smixup.models.prediction_files import require_apart, require_ending, require_place
    from smixup.models.scoring import score_of

    require_ending(out)
    require_apart(out, source)
    require_place(out)
    model = load_model(folder)
    found = model.open(source, root, **dataset_options(data))
    level = _level(model, level)
    print_notes(note for note in found.notes if note != UNKNOWN)  # said along with the score
    predictions = model.predict_on(found, level)
    predictions.write(out)
    score = score_of(model, found, predictions) or "there is no score without targets"
    empty = len(predictions.left_out)
    rest = f"; {empty:,} rows without a molecule have no prediction" if empty else ""
    where = "" if out == STDOUT else f" in {out}"
    graphs = f"{len(predictions):,} {'graph' if len(predictions) == 1 else 'graphs'}"
    typer.echo(f"Predictions for {graphs}{where}; {score}{rest}.", err=True)


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
