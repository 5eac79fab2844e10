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
    budget: options.ChoiceBudget = None,
    out: options.ModelFolder = None,
    ensemble: options.Ensemble = 1,
    resume: options.Resume = False,
    root: options.Root = None,
    as_json: options.AsJson = False,
) -> None:
    """Train a model; --out keeps it.

    A forest, a kernel machine and a network, with S-Mixup and without, are judged by
    cross-validation within the budget, and the best of them, or a blend, is kept. With --backbone,
    --method or another option that says how to train, one model is trained, its epoch chosen on the
    validation split, and its test score reported; Ctrl-C keeps a checkpoint then, from which
    --resume continues to the same result.
    """
    said = {**locals(), "dataset": source}
    from smixup.app.compare.settings import seconds_of
    from smixup.app.runs.best import told
    from smixup.app.runs.config import OPTIONS, configure, settings_of_words
    from smixup.app.runs.model import BUDGET, OPEN
    from smixup.app.runs.model import train as train_run

    given = {name: said[name] for name in OPTIONS if said[name] is not None}
    given["dataset_options"] = dataset_options(data, target=target, task=task, smiles=smiles)
    open_fields = {"dataset", "seed", *OPEN}
    if open_fields.issuperset(given) and not set_ and ensemble == 1 and not resume:
        keep: dict[str, Any] = {"out": out, "root": root, "tell": print_notes}
        keep["budget"] = seconds_of(budget) if budget else BUDGET
        with closing(TerminalBar()) as report:
            kept = train_run(given.pop("dataset"), report=report, **keep, **given)
        assert kept.choice is not None, "no model was named"
        scores = kept.model.about["scores"]
        if as_json:
            print_json(scores)
            return
        typer.echo("\n".join(told(kept.choice, scores["metric"])))
        _tell_use(out)
        return
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
    words = (f"{part} {scores['metric']} {scores[part]:.4f}" for part in ("test", "validation"))
    best = ", ".join(str(member["best_epoch"]) for member in members)
    typer.echo(f"{run.dataset}, {run.backbone}, {run.method}, seed {run.seed}")
    typer.echo(f"{', '.join(words)}, best epoch {best} of {run.epochs}")
    _tell_use(out)


def _tell_use(out: Path | None) -> None:
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
    """Find out which model to train, and if an augmentation helps.

    A forest, and a network with each method and without, are trained on the same folds and from the
    same initial weights, until there is a verdict on every one or the budget is spent. A
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
