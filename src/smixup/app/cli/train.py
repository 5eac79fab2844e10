"""`smixup train`, one run, and `smixup compare`: does an augmentation help on this dataset?"""

from __future__ import annotations

import shlex
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, settings_of, show_page
from smixup.app.cli.output import (
    ProgressDisplay,
    cores,
    print_json,
    print_notes,
    print_table,
    set_threads,
)
from smixup.errors import SmixupError, UsageError
from smixup.progress import Progress, Report

if TYPE_CHECKING:
    from smixup.app.compare import PairedRuns
    from smixup.app.runs.config import RunConfig
    from smixup.app.runs.model import Kept

CHECKPOINTS, STORE = Path("runs") / "checkpoints", Path("runs") / "comparisons.db"
NAMED = ("dataset", "method", "seed", "seeds", "budget")


def train(
    source: options.MaybeSource = None,
    backbone: options.Backbone = None,
    method: options.Method = None,
    seed: options.Seed = None,
    set_: options.Set = None,
    epochs: options.Epochs = None,
    learning_rate: options.Rate = None,
    batch_size: options.BatchSize = None,
    split: options.Split = None,
    metric: options.Metric = None,
    config: options.Config = None,
    data: options.Data = None,
    target: options.Target = None,
    task: options.Task = None,
    smiles: options.Smiles = None,
    out: options.ModelFolder = None,
    ensemble: options.Ensemble = 1,
    resume: options.Resume = False,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Train a classifier under one method; --out keeps the model.

    The best model is chosen on the validation split alone, and its test score is reported. Ctrl-C
    keeps a checkpoint; --resume continues from it to the same result.
    """
    named = {**locals(), "dataset": source}
    from smixup.app.runs.config import NAMING_FIELDS, OPTIONS, configure

    given = dataset_options(data, target=target, task=task, smiles=smiles)
    said = {name: named[name] for name in OPTIONS} | {"dataset_options": given}
    run = configure(**{"dataset": "MOTIF", "root": root, **settings_of(config, set_, said)})
    if out is None and ensemble > 1:
        raise UsageError("--ensemble keeps several models: name a folder for them by --out.")
    set_threads(run.dataset, root, run.batch_size * run.hidden_channels)
    from smixup.app.runs.model import train_model

    state: dict[str, Any] = {"checkpoint": _checkpoint(run), "resume": resume, "root": root}
    with closing(ProgressDisplay()) as report:
        kept = train_model(run, ensemble, out=out, report=report, tell=print_notes, **state)
    if state["checkpoint"] is not None:
        with suppress(OSError):  # folders that hold something else stay
            for folder in state["checkpoint"].parents[:2]:
                folder.rmdir()
    if as_json:
        fields = run.to_dict()
        scores = kept.results[0].scores() if out is None else _about(kept, out)
        print_json({**{name: fields[name] for name in NAMING_FIELDS}, **scores, "config": fields})
        return
    _print(kept, out is not None)
    if out is not None:
        typer.echo(f"The model is in {out}; {out / 'README.md'} describes it. To use it:")
        typer.echo(f"smixup predict {shlex.quote(str(out))} NEW --out predictions.csv")


def _checkpoint(run: RunConfig) -> Path | None:
    """Return where the state of the run is kept, if anywhere; what is damaged makes room."""
    from smixup.saved import is_checkpoint, require_place

    names = (Path(run.dataset).name, run.backbone, run.method, run.fingerprint())
    own = CHECKPOINTS / f"{'-'.join(names)}.safetensors"
    try:
        if own.is_file() and not is_checkpoint(own):
            own.unlink()
        require_place(own)
    except (SmixupError, OSError) as error:
        print_notes(f"the state of the run is not kept: {error}")
        return None
    return own


def _about(kept: Kept, out: Path) -> dict[str, Any]:
    about, names = kept.model.about, ("metric", "test", "validation", "coverage")
    scores = {name: about["scores"].get(name) for name in names}
    temperature = kept.model.calibration.temperature
    return scores | {"temperature": temperature, "members": about["members"], "model": str(out)}


def _print(kept: Kept, whole: bool) -> None:
    """Print the scores: of the calibrated model of all members, or of one run by itself."""
    run, result, scores = kept.config, kept.results[0], kept.model.about["scores"]
    row = {f"test {scores['metric']}": f"{scores['test']:.4f}"}
    row["validation"] = f"{scores['validation']:.4f}"
    if whole:
        row["test loss, calibrated"] = f"{scores['test_loss']:.4f}"
    else:
        row["test loss"] = f"{result.test_loss:.4f}"
        row["best epoch"] = f"{result.best_epoch} of {result.epochs}"
    if whole and (covered := scores.get("coverage")):
        row[f"truth in sets of {covered['level']:g}"] = f"{covered['test']:.3f}"
    row["test graphs"] = f"{kept.model.about['split']['test']:,}"
    row["seconds"] = f"{sum(result.seconds for result in kept.results):.1f}"
    members = len(kept.results)
    seeds = f"seeds {run.seed} to {run.seed + members - 1}" if members > 1 else f"seed {run.seed}"
    title = f"{run.dataset}, {run.backbone}, {run.method}, {seeds}"
    print_table([*row], [[*row.values()]], words=0, title=title)


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
    settings |= {"seeds": seeds, "budget": budget, "cluster": cluster, "root": root}
    settings |= {"workers": workers or cores(), "store": STORE, "out": out, "model": model}
    with closing(ProgressDisplay()) as report:
        watch = Watch(report)
        comparison = compare_methods(source, method, watch=watch, report=report, **settings)
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
            scores = {arm.name: pairs.verdict(arm) for arm in pairs.methods}
            means = {name: score.mean for name, score in scores.items() if score}
            self.report(Progress("paired runs", done, pairs.settings.seeds, means))
