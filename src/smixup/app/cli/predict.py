"""`smixup predict`: what a saved model says of new graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options
from smixup.app.cli.printing import print_notes
from smixup.app.cli.threads import set_threads

if TYPE_CHECKING:
    from smixup.models import Model

STDOUT = "-"


def predict(
    folder: options.Model,
    source: options.New,
    out: options.Predictions = STDOUT,
    level: options.Level = None,
    data: options.Data = None,
    root: options.Root = None,
) -> None:
    """Predict for new graphs, with probabilities.

    Columns of the input are kept. Probabilities are calibrated on the validation split of the
    training data; sets of classes, and intervals of values, hold the truth as often as --level
    says.
    """
    set_threads()
    from smixup.app.runs.words import counted
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
    print_notes(*(note for note in found.notes if note != UNKNOWN))  # said along with the score
    predictions = model.predict_on(found, level)
    predictions.write(out)
    score = score_of(model, found, predictions) or "there is no score without targets"
    empty = len(predictions.left_out)
    rest = f"; {empty:,} rows without a molecule have no prediction" if empty else ""
    where = "" if out == STDOUT else f" in {out}"
    print_notes(f"Predictions for {counted(len(predictions), 'graph')}{where}; {score}{rest}.")


def _level(model: Model, level: float | None) -> float | None:
    """Return the level of sets: that asked for, or the usual one if there are graphs enough."""
    from smixup.models.model import USUAL_LEVEL

    if level is not None:
        model.calibration.require(level)
        return level
    if model.calibration.can(USUAL_LEVEL):
        return USUAL_LEVEL
    print_notes(
        f"The model has too few validation graphs for sets at the level {USUAL_LEVEL:g}, so none "
        "are given; ask for a lower level with --level."
    )
    return None
