"""`smixup train`, one run, and `smixup compare`: does an augmentation help on this dataset?"""

from __future__ import annotations

import shlex
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options
from smixup.app.cli.output import cores, open_page, print_json, print_notes, print_table
from smixup.errors import UsageError
from smixup.progress import Progress, Report, TerminalBar

if TYPE_CHECKING:
    from smixup.app.compare import Comparison
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
    said = {**locals(), "dataset": source}
    from smixup.app.runs.config import OPTIONS, configure, merged_settings
    from smixup.app.runs.model import train as train_run

    given = {name: said[name] for name in OPTIONS}
    given["dataset_options"] = dataset_options(data, target=target, task=task, smiles=smiles)
    run = configure(**{"dataset": "MOTIF", "root": root, **merged_settings(config, set_, given)})
    if out is None and ensemble > 1:
        raise UsageError("--ensemble keeps several models: name a folder for them by --out.")
    names = (Path(run.dataset).name, run.backbone, run.method, run.fingerprint())
    state = CHECKPOINTS / f"{'-'.join(names)}.safetensors"
    if not resume:
        state.unlink(missing_ok=True)
    keeping: dict[str, Any] = {"checkpoint": state, "resume": resume, "tell": print_notes}
    with closing(TerminalBar()) as report:
        kept = train_run(run, members=ensemble, out=out, root=root, report=report, **keeping)
    with suppress(OSError):  # folders that hold something else stay
        for folder in state.parents[:2]:
            folder.rmdir()
    if as_json:
        scores = kept.results[0].scores() | kept.model.about["scores"]
        members = kept.model.about["members"]
        print_json({**scores, "members": members, "config": run.to_dict()})
        return
    _print(kept)
    if out is not None:
        typer.echo(f"The model is in {out}; {out / 'README.md'} describes it. To use it:")
        typer.echo(f"smixup predict {shlex.quote(str(out))} NEW --out predictions.csv")


def _print(kept: Kept) -> None:
    """Print the scores of the model, that is of all its members together."""
    run, about = kept.config, kept.model.about
    scores, members = about["scores"], about["members"]
    row = {f"test {scores['metric']}": f"{scores['test']:.4f}"}
    row["validation"] = f"{scores['validation']:.4f}"
    row["test loss, calibrated"] = f"{scores['test_loss']:.4f}"
    if covered := scores.get("coverage"):
        row[f"truth in sets of {covered['level']:g}"] = f"{covered['test']:.3f}"
    row["best epoch"] = ", ".join(str(member["best_epoch"]) for member in members)
    row["test graphs"] = f"{about['split']['test']:,}"
    row["seconds"] = f"{sum(member['seconds'] for member in members):.1f}"
    seeds = ", ".join(str(member["seed"]) for member in members)
    title = f"{run.dataset}, {run.backbone}, {run.method}, seed {seeds}"
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
    from smixup.app.compare import CompareSettings
    from smixup.app.compare import compare as compare_methods
    from smixup.app.runs.config import merged_settings

    given = {"backbone": backbone, "epochs": epochs, "split": split, "metric": metric}
    named = dataset_options(data, target=target, task=task, smiles=smiles)
    settings = merged_settings(config, set_, {**given, "dataset_options": named}, CompareSettings)
    if wrong := [*settings.pop("method_settings"), *(name for name in NAMED if name in settings)]:
        raise UsageError(
            f"'{wrong[0]}' is no setting of a comparison: settings of a method stand behind its "
            "name, --method 's-mixup(alpha=0.5)', and data, methods and seeds on the command line."
        )
    settings |= {"seeds": seeds, "budget": budget, "cluster": cluster, "root": root}
    page = Path("compare.html") if open_ and out is None else out
    settings |= {"workers": workers or cores(), "store": STORE, "out": page, "model": model}
    with closing(TerminalBar()) as report:
        watch = Watch(report)
        comparison = compare_methods(source, method, watch=watch, report=report, **settings)
    if as_json:
        print_json(comparison.to_dict())
    else:
        typer.echo(str(comparison))
    if comparison.model is not None:
        scores = comparison.model.about["scores"]
        print_notes(f"model: {model}, {scores['metric']} {scores['test']:.4f} on its test split")
    if page is not None:
        print_notes(f"page: {page}")
        open_page(page, open_)


class Watch:
    """Prints what the data has to tell, then reports runs."""

    def __init__(self, report: Report) -> None:
        self.report, self.told = report, False

    def __call__(self, found: Comparison) -> None:
        if not self.told:
            print_notes(*found.notes)
        self.told, done = True, sum(map(len, found.runs.values()))
        verdicts = {name: found.verdict(name) for name in found.settings.methods}
        means = {name: verdict.difference for name, verdict in verdicts.items() if verdict}
        self.report(Progress("runs", done, done + len(found.missing()), means))
