"""`smixup train`, one run, and `smixup compare`: does an augmentation help on this dataset?"""

from __future__ import annotations

import shlex
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options
from smixup.app.cli.output import cores, print_json, print_notes
from smixup.errors import UsageError
from smixup.progress import TerminalBar

CHECKPOINTS, STORE = Path("runs") / "checkpoints", Path("runs") / "comparisons.db"


def train(
    source: options.Source,
    backbone: options.Backbone = None,
    method: options.Method = None,
    seed: options.Seed = None,
    set_: options.Set = None,
    epochs: options.Epochs = None,
    split: options.Split = None,
    metric: options.Metric = None,
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
    from smixup.app.runs.config import OPTIONS, configure, settings_of_words
    from smixup.app.runs.model import train as train_run

    given = {name: said[name] for name in OPTIONS if said[name] is not None}
    given["dataset_options"] = dataset_options(data, target=target, task=task, smiles=smiles)
    run = configure(**{"root": root, **settings_of_words(set_), **given})
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
        about = kept.model.about
        scores = kept.results[0].scores() | about["scores"] | {"members": about["members"]}
        print_json({**scores, "config": run.to_dict()})
        return
    scores, members = kept.model.about["scores"], kept.model.about["members"]
    told = (f"{part} {scores['metric']} {scores[part]:.4f}" for part in ("test", "validation"))
    best = ", ".join(str(member["best_epoch"]) for member in members)
    typer.echo(f"{run.dataset}, {run.backbone}, {run.method}, seed {run.seed}")
    typer.echo(f"{', '.join(told)}, best epoch {best} of {run.epochs}")
    if out is not None:
        typer.echo(f"The model is in {out}; {out / 'README.md'} describes it. To use it:")
        typer.echo(f"smixup predict {shlex.quote(str(out))} NEW --out predictions.csv")


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
    from smixup.app.runs.config import settings_of_words

    given: dict[str, Any] = {"backbone": backbone, "epochs": epochs, "split": split}
    given |= {"metric": metric, "budget": budget, "cluster": cluster, "root": root}
    given |= {"workers": workers or cores(), "store": STORE, "out": out, "model": model}
    settings = {"seeds": seeds, **settings_of_words(set_, CompareSettings)}
    settings |= {name: value for name, value in given.items() if value is not None}
    settings["dataset_options"] = dataset_options(data, target=target, task=task, smiles=smiles)
    with closing(TerminalBar()) as report:
        comparison = compare_methods(source, method, report=report, tell=print_notes, **settings)
    if as_json:
        print_json(comparison.to_dict())
    else:
        typer.echo(str(comparison))
    if comparison.model is not None:
        scores = comparison.model.about["scores"]
        print_notes(f"model: {model}, {scores['metric']} {scores['test']:.4f} on its test split")
    if out is not None:
        print_notes(f"page: {out}")
