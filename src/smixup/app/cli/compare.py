"""`smixup compare`: does an augmentation help on this dataset?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, settings_of, show_page
from smixup.app.cli.output import (
    ProgressDisplay,
    cores,
    print_json,
    print_notes,
    set_threads,
)
from smixup.errors import UsageError
from smixup.progress import Progress, Report

if TYPE_CHECKING:
    from smixup.app.compare import PairedRuns

STORE = Path("runs") / "comparisons.db"
NAMED = ("dataset", "method", "seed", "seeds", "budget")


def compare(
    source: options.Source,
    method: options.Methods = None,
    backbone: options.Backbone = None,
    budget: options.Budget = None,
    seeds: options.Seeds = 30,
    epochs: options.Epochs = None,
    split: options.Split = None,
    metric: options.Metric = None,
    set_: options.CompareSet = None,
    config: options.Config = None,
    out: options.MaybePage = None,
    model: options.ModelFolder = None,
    workers: options.Workers = None,
    cluster: options.Cluster = None,
    data: options.Data = None,
    target: options.Target = None,
    task: options.Task = None,
    smiles: options.Smiles = None,
    root: options.Root = None,
    as_json: options.AsJson = False,
    open_: options.Open = False,
) -> None:
    """Find out whether an augmentation helps, and which.

    Classifiers are trained with each method and without augmentation, on the same folds and from
    the same initial weights, until there is a verdict on every method or the budget is spent. A
    method helps, hurts, makes no difference larger than the margin, or the runs cannot tell yet.
    However often you look, at most 5 % of comparisons call something helpful that is not. Finished
    runs are kept; the same command goes on from there. --model keeps the recommended model.
    """
    if open_ and out is None:
        raise UsageError("--open shows a page: name one by --out compare.html.")
    set_threads()
    from smixup.app.compare import CompareSettings
    from smixup.app.compare import compare as compare_methods

    said = {"backbone": backbone, "epochs": epochs, "split": split, "metric": metric}
    given = dataset_options(data, target=target, task=task, smiles=smiles)
    settings = settings_of(config, set_, said | {"dataset_options": given}, CompareSettings)
    for name in (*settings.pop("method_settings"), *(name for name in NAMED if name in settings)):
        raise UsageError(
            f"'{name}' is no setting of a comparison: settings of a method stand behind its name, "
            "--method 's-mixup(alpha=0.5)', and data, methods and seeds on the command line."
        )
    with ProgressDisplay() as report:
        comparison = compare_methods(
            source,
            method,
            seeds=seeds,
            budget=budget,
            workers=workers or cores(),
            cluster=cluster,
            store=STORE,
            root=root,
            out=out,
            model=model,
            watch=Watch(report),
            report=report,
            **settings,
        )
    if as_json:
        print_json(comparison.to_dict())
    else:
        typer.echo(str(comparison))
    if comparison.model is not None:
        scores = comparison.model.about["scores"]
        print_notes(f"model: {model}, {scores['metric']} {scores['test']:.4f} on its test split")
    if out is not None:
        print_notes(f"page: {out}")
        show_page(out, open_)


class Watch:
    """Prints what the data has to tell, then when a verdict is due, and reports paired runs."""

    def __init__(self, report: Report) -> None:
        self.report, self.done, self.planned = report, -1, False

    def __call__(self, pairs: PairedRuns) -> None:
        if self.done < 0:
            print_notes(*pairs.facts.notes)
        if not self.planned and (outlook := pairs.outlook()):
            self.planned = True
            print_notes(outlook)
        left = len(pairs.open_control())
        if pairs.control and left and not pairs.open_methods():
            done = len(pairs.done(pairs.control))
            self.report(Progress("runs of random-alignment", done, done + left))
            return
        done = min(pairs.pairs(arm) for arm in pairs.open_methods() or pairs.methods)
        if done != self.done:
            self.done = done
            scores = {arm.name: pairs.score(arm) for arm in pairs.methods}
            means = {name: score.mean for name, score in scores.items() if score}
            self.report(Progress("paired runs", done, pairs.settings.seeds, means))
