"""The page of a comparison: the verdict, what it rests on, what it costs, and what to type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from matplotlib.figure import Figure

from smixup.app.compare.comparison import HEADER, Comparison
from smixup.app.compare.evidence import LOOKS, Verdict
from smixup.app.compare.settings import CONTROL, VANILLA
from smixup.app.pages.explanation import model_values
from smixup.app.pages.page import render
from smixup.app.pictures.methods import DotRow, draw_dots, named_in, title_of
from smixup.app.runs.run import versions
from smixup.app.words import capital


def compare_page(found: Comparison, folder: Path | str | None = None) -> str:
    """Return the page; the trained model is in `folder`."""
    config = found.settings.config(VANILLA, 0).to_dict()
    beside = [[each for each in found.verdicts if each.over == over] for over in (VANILLA, CONTROL)]
    epochs = {
        title_of(name): f"{median(run.best_epoch for run in runs.values()):.0f}"
        for name, runs in found.runs.items()
        if runs
    }
    return render(
        "compare/compare.html",
        found=found,
        pictures=[_picture(verdicts) for verdicts in beside if verdicts],
        header=HEADER,
        rows=[(title_of(name), *others) for name, *others in found.rows()],
        epochs=epochs,
        chosen=config["selection"] != "last",
        last=config["epochs"],
        looks=LOOKS,
        model=found.model and model_values(found.model, str(folder)),
        shown=[(name, str(value)) for name, value in (config | versions()).items()],
        named=lambda text: capital(named_in(text)),
    )


def _picture(verdicts: Sequence[Verdict]) -> dict[str, Figure]:
    """Draw verdicts beside one method: a row each, with one dot per paired run."""
    measure, rows = verdicts[0].measure, list[DotRow]()
    for each in verdicts:
        dots = [measure.scale * difference for difference in each.differences]
        numbers = (measure.scale * number for number in (each.difference, each.low, each.high))
        rows.append(DotRow(each.name, dots, *numbers))
    title = f"difference of {measure.name}{measure.unit and ', points'}"
    figure = draw_dots(rows, title, measure.scale * measure.margin, measure.higher_is_better)
    return {f"{title} of every paired run": figure}
