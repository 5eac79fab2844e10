"""All options of the commands, each with one help text, and what several of them mean."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from smixup.app.runs.registry import BACKBONES, MATCHERS, METHODS, literal, split_pairs
from smixup.errors import UsageError


def option(help_: str, *names: str, **more: Any) -> Any:
    """Return an option with its help text."""
    return typer.Option(*names, help=help_, **more)


def _argument(metavar: str, help_: str) -> Any:
    return typer.Argument(metavar=metavar, help=help_)


_METHODS, _MATCHERS = ", ".join(METHODS), ", ".join(MATCHERS)
_PRESET = "By default that of the dataset's preset."
_SETTINGS = "see `smixup methods NAME`; what a file of --config may hold. May be repeated."
_SOURCE = _argument("DATA", "A file or folder of your own, or the name of a dataset.")
Source = Annotated[str, _SOURCE]
MaybeSource = Annotated[str | None, _SOURCE]
New = Annotated[str, _argument("NEW", "Data like that of the training; targets may be missing.")]
ModelFolder = Annotated[Path, _argument("MODEL", "Folder that `smixup train --out` wrote.")]
Archive = Annotated[
    Path, _argument("PATH", "Zip, tar or folder in the layout of the TU collection or of OGB.")
]
Part = Annotated[
    str | None, _argument("NAME", "Method or matcher whose settings to show. By default all.")
]

# --- data
Data = Annotated[
    list[str] | None,
    option("Setting of the dataset, such as target=COLUMN or num_graphs=300. May be repeated."),
]
Target = Annotated[str | None, option("Target columns, separated by commas; --data target=...")]
Task = Annotated[
    str | None, option("What to predict: classes, labels or values; short for --data task=...")
]
Smiles = Annotated[
    str | None, option("Column that holds molecules as SMILES; short for --data smiles=...")
]
Root = Annotated[
    Path | None,
    option("Folder of the datasets. By default that of SMIXUP_ROOT, or the user's data folder."),
]
Large = Annotated[bool, option("Allow an archive of any size, not 4 GB and 100 times its own.")]
Formats = Annotated[bool, option("List the kinds of files that can be read instead.", "--formats")]

# --- training
Backbone = Annotated[
    str | None,
    option(
        f"Classifier: {' or '.join(BACKBONES)}. By default gin; to compare gine, if edges have "
        "features."
    ),
]
Method = Annotated[
    str | None, option(f"Augmentation: {_METHODS}. By default vanilla, which is none.")
]
ComparedMethods = Annotated[
    list[str] | None,
    option(
        f"Augmentation to compare with none: {_METHODS}, random-alignment or identity-alignment "
        "(S-Mixup along another alignment). Settings stand behind: 's-mixup(alpha=0.5)'. May be "
        "repeated. By default s-mixup; for matrices, which have the same nodes, "
        "identity-alignment."
    ),
]
Seed = Annotated[
    int | None, option("Seed of split, initial weights, batches and method. By default 0.")
]
Set = Annotated[
    list[str] | None,
    option(f"Setting of the method, alpha=0.5, or of the run, dropout=0.1; {_SETTINGS}", "--set"),
]
ComparedSet = Annotated[
    list[str] | None,
    option(f"Setting of the runs, fold=3, or of the comparison, margin=0.01; {_SETTINGS}", "--set"),
]
Epochs = Annotated[int | None, option(f"Passes over the training split. {_PRESET}")]
LearningRate = Annotated[
    float | None, option(f"Learning rate of Adam. {_PRESET}", "--learning-rate", "--lr")
]
BatchSize = Annotated[int | None, option(f"Number of graphs per step. {_PRESET}")]
Split = Annotated[
    str | None,
    option(
        "Kind of split: random, official, fold, few, nested, group, scaffold or time. By default "
        "fold to compare, else that of the preset."
    ),
]
Metric = Annotated[
    str | None, option("Score to choose by, such as rocauc or mae. By default that of the data.")
]
Config = Annotated[
    Path | None,
    option(
        "File of settings, .toml, .json, or what train --json printed. Options prevail.", "--config"
    ),
]
KeptModel = Annotated[Path | None, option("Folder to keep the model in. By default none is kept.")]
Ensemble = Annotated[int, option("Number of models whose predictions are averaged; with --out.")]
Resume = Annotated[bool, option("Go on from where this command was interrupted.", "--resume")]
Budget = Annotated[
    str | None, option("Time to spend at most, such as 30m, 1h30m or 90s. By default any.")
]
ComparedSeeds = Annotated[
    int, option("Paired runs at most; verdicts are given after 10, 15, 20, 25, 30, 40, 60, 80, ...")
]
DemoSeeds = Annotated[int, option("Number of paired runs.")]
DemoLabels = Annotated[int, option("Number of graphs to train on; as many validate.")]
Workers = Annotated[
    int | None, option("Processes, of one thread each. By default one per core.", min=1)
]

# --- models and pages
Page = Annotated[Path | None, option("Page to write, such as compare.html.")]
ExplorerPage = Annotated[Path, option("Page to write.", dir_okay=False)]
DemoFolder = Annotated[Path, option("Folder to write report.html and explore.html to.")]
PackFolder = Annotated[Path, option("Folder to write to; a packed set that is there is replaced.")]
Explanation = Annotated[
    Path | None,
    option("Page to write, .html; or a picture of one graph, .svg or .png.", dir_okay=False),
]
PredictionFile = Annotated[
    str, option("File for the predictions: .csv, .tsv, .jsonl, .parquet, or - to print them.")
]
Level = Annotated[
    float | None,
    option("How often sets of classes, or intervals of values, hold the truth. By default 0.9."),
]
RecommendedModel = Annotated[
    Path | None, option("Folder to train the recommended model into. By default none is trained.")
]
ExplainedModel = Annotated[
    Path | None, option("Folder of a saved model: colours nodes by what its predictions rest on.")
]
Graph = Annotated[
    list[int] | None,
    option(
        "Graph of the data, counted from 0. May be repeated. By default a page shows those of "
        "which the model is most and least sure."
    ),
]
Output = Annotated[
    str, option("Class, label or quantity to explain. By default the likeliest, or the first.")
]
Shown = Annotated[int, option("Number of graphs that a page shows of each kind.", min=1)]
Pair = Annotated[
    tuple[int, int] | None, option("Two graphs to begin with, by their positions, from 0.")
]
Matcher = Annotated[str, option(f"Matcher: {_MATCHERS}, or the folder of a saved one.")]
AsJson = Annotated[bool, option("Print the result as JSON and nothing else.", "--json")]
Open = Annotated[bool, option("Open the page in the browser when it is written.", "--open")]


def dataset_options(data: list[str] | None, **short: str | None) -> dict[str, Any]:
    """Return the settings of a dataset: what `--data` says, and options such as `--target`."""
    settings = {name: literal(value) for name, value in split_pairs(data or []).items()}
    for name, value in short.items():
        if value is not None and name in settings:
            raise UsageError(f"--{name} and --data {name}=... say the same: leave out one.")
        if value is not None:
            settings[name] = value
    return settings


def settings_of(
    file: Path | None, words: list[str] | None, also: type[Any] | None = None
) -> dict[str, Any]:
    """Return settings of a run from a file, under those of `--set`; what is no setting of a run is
    one of the method.

    Args:
        file: see `read_settings`.
        words: such as `learning_rate=0.01`.
        also: a class whose fields are settings, too.
    """
    from smixup.app.runs.config import RunConfig, prevailing, read_settings
    from smixup.app.runs.registry import checked_options, option_types

    found: dict[str, Any] = {"method_settings": {}}
    kinds: list[Any] = [RunConfig, *([also] if also else [])]
    for name, value in split_pairs(words or []).items():
        kind = next((kind for kind in kinds if name in option_types(kind)), None)
        if kind is None:
            found["method_settings"][name] = value
        else:
            found |= checked_options("a run", kind, {name: value})
    more = option_types(kinds[-1])
    return prevailing(read_settings(file, more) if file else {}, found)


def require_page(wanted: bool, written: bool, name: str) -> None:
    """Refuse to open a page that will not be written; `name` is what one could be called."""
    if wanted and not written:
        raise UsageError(f"--open shows a page: name one by --out {name}.")


def show_page(page: Path, wanted: bool) -> None:
    """Open a page in the browser if that is wanted; where there is none, say so."""
    if wanted and not webbrowser.open(page.resolve().as_uri()):
        typer.echo(f"no browser was found to open {page} with.", err=True)
