"""The page of a comparison: the verdict, what it rests on, what it costs, and what to type."""

from __future__ import annotations

import shlex
from pathlib import Path
from statistics import median

from matplotlib.figure import Figure

from smixup.app.compare.evidence import ERROR, LOOKS, POINTS
from smixup.app.compare.pairs import PairedRuns, workspace_of
from smixup.app.compare.settings import SEEDS, SMIXUP, VANILLA, CompareSettings
from smixup.app.compare.verdicts import HEADER, Comparison, Row
from smixup.app.pages.explanation import model_values
from smixup.app.pages.page import render
from smixup.app.pictures.methods import DotRow, draw_dots, named_in, title_of
from smixup.app.runs.config import train_command
from smixup.app.runs.data import open_run
from smixup.app.runs.registry import make_method
from smixup.app.runs.run import versions
from smixup.app.words import capital, counted, decimal
from smixup.app.workers import SharedMatcher, shared
from smixup.errors import SmixupError
from smixup.matching import RandomOrder, Uniform
from smixup.matching.quality import evaluate_matcher

SHOWN = (
    *("backbone", "num_layers", "hidden_channels", "batch_norm", "epochs", "batch_size"),
    *("learning_rate", "selection", "split", "num_folds"),
)
PAIRS, MOST_GRAPHS = 200, 5000
"""Pairs on which a matcher is tried, and graphs up to which they are read for it."""


def compare_page(found: Comparison, file: Path, folder: Path | str | None = None) -> str:
    """Return the page; matchers are beside the `file` of runs, the trained model in `folder`."""
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
        backbone=settings.classifier,
        arms=[arm.name for arm in pairs.arms],
        scores=[each.score for each in found.verdicts if each.score],
        pictures={outcome: _picture(found, outcome) for outcome in ("score", "log_loss")},
        header=HEADER,
        rows=rows,
        epochs=[(title_of(name), str(round(epoch))) for name, epoch in best.items()],
        last=config["epochs"],
        quality=alignment_quality(pairs, file),
        tried=PAIRS,
        looks=LOOKS,
        error=round(100 * ERROR),
        model=found.model and model_values(found.model, str(folder), settings.root),
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


def alignment_quality(pairs: PairedRuns, file: Path) -> list[Row]:
    """Measure the matcher of the first run, and controls, on held-out graphs of its split; no row
    where no method learns a matcher, its runs have left none behind, or graphs are too many.
    """
    folder = workspace_of(file)
    if pairs.facts.graphs > MOST_GRAPHS or not folder.is_dir():
        return []
    for arm in (arm for arm in pairs.methods if 0 in pairs.done(arm)):
        config = pairs.settings.config(arm, 0)
        settings = config.method_settings
        method = make_method(config.method, config.seed, settings, lambda m: shared(m, folder))
        matcher = getattr(method, "matcher", None)
        if not isinstance(matcher, SharedMatcher):
            continue
        opened = open_run(config, pairs.settings.root)
        learned = matcher.fit(opened.train).matcher
        matchers = {"learned": learned, "random alignment": RandomOrder(), "uniform": Uniform()}
        rows = list[Row]()
        try:
            for name, each in matchers.items():
                quality = evaluate_matcher(each, opened.held_out, PAIRS)
                values = quality.self_match, quality.perplexity, quality.triplet_accuracy
                rows.append((name, *(decimal(value, 2, "") for value in values)))
        except SmixupError:  # too few graphs of a class for pairs of it
            return []
        return rows
    return []


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
