"""`smixup compare`: does an augmentation help on this dataset?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.files import require_writable
from smixup.lab.cli import options
from smixup.lab.cli.opening import Open, require_page, show_page
from smixup.lab.cli.options import dataset_options, option, with_shorthands
from smixup.lab.cli.printing import print_table
from smixup.lab.cli.progress import ProgressDisplay
from smixup.lab.cli.threads import cores, set_threads
from smixup.lab.runs.registry import BACKBONES, METHODS
from smixup.memory import set_budget
from smixup.progress import Progress, Report

if TYPE_CHECKING:
    from smixup.lab.studies.comparison import Comparison
    from smixup.lab.studies.paired_runs import PairedRuns

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
            f"Augmentation to compare with none: {OTHERS}, or random-alignment (S-Mixup along "
            "matches drawn at random). May be repeated. By default s-mixup and random-alignment."
        ),
    ] = None,
    backbone: Annotated[str, option(f"Classifier: {' or '.join(BACKBONES)}.")] = "gin",
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

    Without augmentation and with each method, classifiers are trained on the same folds from the
    same initial weights, until every method is decided or the budget is spent: it helps, it hurts,
    it makes no difference larger than the margin, or the runs cannot tell yet. However often one
    looks, 5 % of comparisons at most call something helpful that is not.
    """
    require_page(open_, out is not None, "compare.html")
    set_threads(1)
    set_budget(memory)
    from smixup.lab.studies.compare import compare_dataset
    from smixup.lab.studies.compare_settings import DEFAULT, CompareSettings, seconds_of

    changes = {
        "split_column": split_column,
        "metric": metric,
        "epochs": epochs,
        "learning_rate": learning_rate,
        "batch_size": batch_size,
        "num_layers": num_layers,
        "hidden_channels": hidden_channels,
    }
    short = {"target": target, "task": task, "smiles": smiles}
    settings = CompareSettings(
        dataset=dataset,
        methods=tuple(method or DEFAULT),
        backbone=backbone,
        seeds=seeds,
        budget=None if budget is None else seconds_of(budget),
        split=split,
        num_folds=num_folds,
        margin=margin,
        loss_margin=loss_margin,
        changes={name: value for name, value in changes.items() if value is not None},
        dataset_options=with_shorthands(dataset_options(data), short),
        root=root,
    )
    if out is not None:
        require_writable(out, "the page")
    with ProgressDisplay() as report:
        watch = _Watch(report)
        found = compare_dataset(settings, store, workers or cores(), watch)
    if as_json:
        from smixup.lab.runs.words import finite

        typer.echo(json.dumps(finite(found.to_dict())))
    else:
        _print(found)
    if out is not None:
        from smixup.lab.pages.compare_page import compare_page

        page = compare_page(found, store).write(out)
        typer.echo(f"page: {page}", err=True)
        show_page(page, open_)


class _Watch:
    """Turns what runs say into a line of progress; first tells what was read, and after the first
    paired run how long a verdict will take.
    """

    def __init__(self, report: Report) -> None:
        self.report, self.told, self.planned = report, -1, False

    def __call__(self, pairs: PairedRuns) -> None:
        if self.told < 0:
            for note in pairs.facts.notes:
                typer.echo(note, err=True)
        self._plan(pairs)
        going_on = pairs.open_methods() or pairs.methods
        done = min(pairs.pairs(arm) for arm in going_on)
        if done == self.told:
            return
        self.told = done
        judged = {arm.name: pairs.score(arm) for arm in pairs.methods}
        means = {name: each.mean for name, each in judged.items() if each is not None}
        self.report(Progress("paired runs", done, pairs.settings.seeds, means))

    def _plan(self, pairs: PairedRuns) -> None:
        if not self.planned and pairs.spent and (said := outlook(pairs)):
            self.planned = True
            typer.echo(said, err=True)


def outlook(pairs: PairedRuns) -> str:
    """Say how long it takes to the first verdict, and whether the budget and the number of runs
    reach so far; empty if nothing is known yet, or a verdict is there.
    """
    from smixup.lab.evidence.sequential import LOOKS
    from smixup.lab.runs.words import duration

    seconds, settings = pairs.seconds_of_a_pair(), pairs.settings
    done = min((pairs.pairs(arm) for arm in pairs.open_methods()), default=LOOKS[0])
    if seconds is None or done >= LOOKS[0]:
        return ""
    wait = seconds * (LOOKS[0] - done)
    said = f"A paired run takes about {duration(seconds)}: the first verdict, after {LOOKS[0]}, "
    if settings.seeds < LOOKS[0]:
        return f"{said}needs more than --seeds {settings.seeds}."
    if settings.budget is not None and pairs.spent + wait > settings.budget:
        whole = duration(pairs.spent + wait)
        return f"{said}needs a --budget of about {whole}, or fewer --epochs."
    return f"{said}is about {duration(wait)} away."


def _print(found: Comparison) -> None:
    from rich.console import Console

    from smixup.lab.studies.comparison import HEADER

    console = Console(highlight=False)
    facts = found.pairs.facts
    console.print(found.headline, style="bold", markup=False)
    for sentence in found.sentences():
        console.print(f"- {sentence}", markup=False)
    title = f"{facts.name}, {facts.graphs} graphs, {found.pairs.settings.backbone}"
    print_table(HEADER, found.rows(), narrow=True, title=title, caption=CAPTION)
    console.print(f"Ended because {found.why}.", markup=False)
    console.print("To train the recommended model:", markup=False)
    typer.echo(f"  {found.command}")
