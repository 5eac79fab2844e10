"""`smixup compare`: does an augmentation help on this dataset?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.compare_progress import Watch
from smixup.app.cli.opening import Open, require_page, show_page
from smixup.app.cli.options import dataset_options, option, with_shorthands
from smixup.app.cli.printing import print_table
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.threads import cores, set_threads
from smixup.app.runs.registry import BACKBONES, METHODS
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.app.compare import Comparison

STORE = Path("runs") / "compare.db"
OTHERS = ", ".join(name for name in METHODS if name != "vanilla")
CAPTION = "runs: looked at, of how many would decide; cost: training time, preparation"
PRESET = "By default that of the dataset's preset."
EPOCHS = (
    "By default that of the paper for its datasets; for others 100, or more on small sets, until "
    "there were 600 steps."
)


def compare(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Data to compare on: a file or folder of your own, or the name of a dataset.",
        ),
    ],
    method: Annotated[
        list[str] | None,
        option(
            f"Augmentation to compare with none: {OTHERS}, random-alignment (S-Mixup along matches "
            "drawn at random), or identity-alignment (along the order of the nodes). Settings "
            "stand behind the name: 's-mixup(alpha=0.5)'. May be repeated. By default s-mixup; for "
            "matrices, which have the same nodes, identity-alignment."
        ),
    ] = None,
    control: Annotated[
        bool,
        typer.Option(
            help="If s-mixup helps, also run random-alignment on its seeds, to tell whether it is "
            "the alignment that helps or mixing alone."
        ),
    ] = True,
    backbone: Annotated[
        str | None,
        option(
            f"Classifier: {' or '.join(BACKBONES)}. By default gin, or gine where edges have "
            "features, such as bonds."
        ),
    ] = None,
    budget: Annotated[
        str | None,
        option("Time to spend at most, such as 30m, 1h30m or 90s. By default any."),
    ] = None,
    seeds: Annotated[
        int,
        option(
            "Number of paired runs at most. Verdicts are given after 10, 15, 20, 25 and 30, then "
            "after 40, 60, 80, 120, ..."
        ),
    ] = 30,
    out: Annotated[Path | None, option("File to write the page to, such as compare.html.")] = None,
    model: Annotated[
        Path | None,
        option(
            "Folder to train the recommended model into, when the verdict is there; the page then "
            "shows what its predictions rest on. By default none is trained."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        option(
            "Difference of the score that matters, as the score is counted. By default 0.02, two "
            "points; of an error 2 % of Vanilla's."
        ),
    ] = None,
    loss_margin: Annotated[
        float | None, option("Difference of the log loss that matters. By default 0.02.")
    ] = None,
    split: Annotated[
        str, option("Kind of split: fold (repeated, stratified), or another of `smixup train`.")
    ] = "fold",
    split_column: Annotated[
        str | None,
        option("Column of the data that holds groups or times, with --split group or time."),
    ] = None,
    num_folds: Annotated[int, option("Number of folds.")] = 10,
    metric: Annotated[
        str | None,
        option("Score to compare by, such as rocauc or mae. By default that of the data."),
    ] = None,
    epochs: Annotated[int | None, option(f"Number of epochs of every classifier. {EPOCHS}")] = None,
    learning_rate: Annotated[
        float | None, option(f"Learning rate of Adam. {PRESET}", "--learning-rate", "--lr")
    ] = None,
    batch_size: Annotated[int | None, option(f"Number of graphs per step. {PRESET}")] = None,
    num_layers: Annotated[int | None, option(f"Number of convolution layers. {PRESET}")] = None,
    hidden_channels: Annotated[int | None, option(f"Width of every layer. {PRESET}")] = None,
    workers: Annotated[
        int | None,
        option("Number of processes, of one thread each. By default one per core.", min=1),
    ] = None,
    store: Annotated[
        Path, option("File that keeps the finished runs; the same command goes on from there.")
    ] = STORE,
    data: options.Data = None,
    target: options.Target = None,
    task: options.Task = None,
    smiles: options.Smiles = None,
    root: options.Root = None,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
    open_: Open = False,
) -> None:
    """Find out whether an augmentation helps on a dataset, and which.

    Classifiers are trained with each method and without augmentation, on the same folds and from
    the same initial weights, until there is a verdict on every method or the budget is spent. A
    method helps, hurts, makes no difference larger than the margin, or the runs cannot tell yet.
    However often you look, at most 5 % of comparisons call something helpful that is not.
    """
    require_page(open_, out is not None, "compare.html")
    set_threads(1)
    set_budget(memory)
    from smixup.app.compare import compare as compare_methods

    changes: dict[str, Any] = {
        "split_column": split_column,
        "metric": metric,
        "epochs": epochs,
        "learning_rate": learning_rate,
        "batch_size": batch_size,
        "num_layers": num_layers,
        "hidden_channels": hidden_channels,
    }
    short = {"target": target, "task": task, "smiles": smiles}
    with ProgressDisplay() as report:
        found = compare_methods(
            dataset,
            method,
            control=control,
            backbone=backbone,
            seeds=seeds,
            budget=budget,
            split=split,
            num_folds=num_folds,
            margin=margin,
            loss_margin=loss_margin,
            workers=workers or cores(),
            store=store,
            root=root,
            dataset_options=with_shorthands(dataset_options(data), short),
            out=out,
            model=model,
            watch=Watch(report),
            report=report,
            **{name: value for name, value in changes.items() if value is not None},
        )
    if as_json:
        from smixup.app.runs.words import finite

        typer.echo(json.dumps(finite(found.to_dict())))
    else:
        _print(found, model)
    if found.model is not None:
        scores = found.model.about["scores"]
        told = f"{scores['metric']} {scores['test']:.4f} on its test split"
        typer.echo(f"model: {model}, {told}", err=True)
    if out is not None:
        typer.echo(f"page: {out}", err=True)
        show_page(out, open_)


def _print(found: Comparison, model: Path | None) -> None:
    from rich.console import Console

    from smixup.app.compare.verdicts import HEADER

    console = Console(highlight=False)
    facts = found.pairs.facts
    console.print(found.headline, style="bold", markup=False)
    for sentence in found.sentences():
        console.print(f"- {sentence}", markup=False)
    title = f"{facts.name}, {facts.graphs} graphs, {found.pairs.settings.classifier}"
    print_table(HEADER, found.rows(), narrow=True, title=title, caption=CAPTION)
    console.print(f"Ended because {found.why}.", markup=False)
    if model is None:
        console.print("To train the recommended model:", markup=False)
        typer.echo(f"  {found.command}")
