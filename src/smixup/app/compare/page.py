"""The page of a comparison: the verdict, what it rests on, what it costs, and what to type."""

from __future__ import annotations

import shlex
from pathlib import Path
from statistics import median

from matplotlib.figure import Figure

from smixup.app.compare.evidence import ERROR, LOOKS, POINTS
from smixup.app.compare.settings import SEEDS, SMIXUP, VANILLA, CompareSettings
from smixup.app.compare.verdicts import HEADER, WHY, Comparison, Row
from smixup.app.pages.explanation import model_values
from smixup.app.pages.page import render
from smixup.app.pictures.methods import DotRow, draw_dots, named_in, title_of
from smixup.app.runs.config import train_command
from smixup.app.runs.run import versions
from smixup.app.words import capital, counted

SHOWN = (
    *("backbone", "num_layers", "hidden_channels", "batch_norm", "epochs", "batch_size"),
    *("learning_rate", "selection", "split", "num_folds"),
)


def compare_page(found: Comparison, folder: Path | str | None = None) -> str:
    """Return the page; the trained model is in `folder`."""
    pairs, settings = found.pairs, found.pairs.settings
    config = settings.config(VANILLA, 0).to_dict()
    shown = {name: config[name] for name in SHOWN} | versions()
    begun = [arm for arm in pairs.arms if 0 in pairs.done(arm)]
    best = {arm.name: median(run.best_epoch for run in pairs.results(arm)) for arm in begun}
    rows, last = list[Row](), ""
    for name, *others in found.rows():  # each with the method's name, so that it can stand alone
        last = title_of(name) if name else last
        rows.append((last, *others))
    return render(
        "compare/compare.html",
        found=found,
        facts=pairs.facts,
        why=WHY[pairs.stopped],
        backbone=settings.classifier,
        arms=[arm.name for arm in pairs.arms],
        scores=[each.score for each in found.verdicts if each.score],
        pictures={outcome: _picture(found, outcome) for outcome in ("score", "log_loss")},
        header=HEADER,
        rows=rows,
        epochs=[(title_of(name), str(round(epoch))) for name, epoch in best.items()],
        last=config["epochs"],
        looks=LOOKS,
        error=round(100 * ERROR),
        model=found.model and model_values(found.model, str(folder)),
        again=compare_command(settings),
        first_runs="\n".join(train_command(settings.config(arm, 0)) for arm in begun),
        shown=[(name, str(value)) for name, value in shown.items()],
        named=lambda text: capital(named_in(text)),
        title_of=lambda name: capital(title_of(name)),
        counted=counted,
    )


def compare_command(settings: CompareSettings) -> str:
    """Return the command that repeats a comparison, or continues it."""
    words = ["smixup", "compare", settings.dataset, "--backbone", settings.classifier]
    names = [arm.name for arm in settings.arms]
    words += [word for name in names for word in ("--method", name) if names != [SMIXUP]]
    words += ["--seeds", str(settings.seeds)] if settings.seeds != SEEDS else []
    usual = vars(CompareSettings(settings.dataset))
    own = ("split", "num_folds", "margin", "loss_margin", "control")
    changed = {name: getattr(settings, name) for name in own}
    changed = {name: value for name, value in changed.items() if value != usual[name]}
    for name, value in {**changed, **settings.changes}.items():
        words += ["--set", f"{name}={value}"]
    for name, value in settings.dataset_options.items():
        words += ["--data", f"{name}={value}"]
    return shlex.join([*words, *(["--root", str(settings.root)] if settings.root else [])])


def _picture(found: Comparison, outcome: str) -> dict[str, Figure]:
    """Draw the differences of the score or of the log loss, if it was measured."""
    verdicts = {each.name: getattr(each, outcome) for each in found.verdicts}
    known = {name: verdict for name, verdict in verdicts.items() if verdict}
    if not known:
        return {}
    measure = next(iter(known.values())).measure
    scale, unit = (POINTS, ", points") if measure.points else (1.0, "")
    rows = []
    for name, each in known.items():
        dots, bounds = list(scale * each.differences), (scale * each.low, scale * each.high)
        rows.append(DotRow(name, dots, scale * each.mean, *bounds))
    title = f"difference of {measure.name}{unit}"
    figure = draw_dots(rows, title, scale * measure.margin, measure.higher_is_better)
    return {f"{title} of every paired run": figure}
