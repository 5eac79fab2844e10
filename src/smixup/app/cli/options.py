"""All options of the commands, each with one help text, and what several of them mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from smixup.app.runs.registry import MATCHERS
from smixup.names import BACKBONES, METHODS
from smixup.settings import literal, split_pairs


def _option(text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, **more)


def _argument(name: str, text: str) -> Any:
    return typer.Argument(metavar=name, help=text)


Maybe = str | None
Folder = Path | None
Number = float | None
Words = list[str] | None
_METHODS = f"Augmentation: {', '.join(METHODS)}"
_SET = "Setting of the {}: {}. May be repeated."

# arguments
_SOURCE = _argument("DATA", "A file or folder of your own, or the name of a dataset.")
Source = Annotated[str, _SOURCE]
MaybeSource = Annotated[Maybe, _SOURCE]
New = Annotated[str, _argument("NEW", "Data like that of the training; targets may be missing.")]
Model = Annotated[Path, _argument("MODEL", "Folder that `smixup train --out` wrote.")]
Archive = Annotated[Path, _argument("PATH", "Zip or folder as TU or OGB publish them.")]
Part = Annotated[Maybe, _argument("NAME", "Method or matcher to explain. By default all.")]

# the data
Data = Annotated[Words, _option("Setting of the dataset, such as edges=true. May be repeated.")]
Target = Annotated[Maybe, _option("Target columns, separated by commas; --data target=...")]
Task = Annotated[Maybe, _option("What to predict: classes, labels or values; --data task=...")]
Smiles = Annotated[Maybe, _option("Column of molecules as SMILES; --data smiles=...")]
Root = Annotated[Folder, _option("Folder of datasets. By default SMIXUP_ROOT, or the user's.")]
PackFolder = Annotated[Path, _option("Folder to write to; a packed set there is replaced.")]

# runs and comparisons
_BACKBONE = f"Classifier: {', '.join(BACKBONES)}. By default gin; to compare, wide."
Backbone = Annotated[Maybe, _option(_BACKBONE)]
Method = Annotated[Maybe, _option(f"{_METHODS}. By default vanilla, which is none.")]
_COMPARED = (
    f"{_METHODS}; random-alignment and identity-alignment are S-Mixup along another alignment. "
    "forest and wl-svm stand in place of the network. Settings stand behind: 's-mixup(alpha=0.5)'. "
    "May be repeated. By default forest and s-mixup; for matrices identity-alignment."
)
Methods = Annotated[Words, _option(_COMPARED, "--method")]
Seed = Annotated[int | None, _option("Seed of split, weights, batches and method. By default 0.")]
_SEEDS = "Paired runs at most; verdicts after 10, 15, 20, 25, 30, 40, 60, ..."
Seeds = Annotated[int, _option(_SEEDS)]
Budget = Annotated[Maybe, _option("Time to spend at most, such as 30m or 1h30m. By default any.")]
ChoiceBudget = Annotated[Maybe, _option("Time to choose among models. By default 5m.", "--budget")]
Epochs = Annotated[int | None, _option("Passes over the training split. By default the preset's.")]
_SPLITS = "random, official, fold, few, nested, group, scaffold or time"
_SPLIT = f"Kind of split: {_SPLITS}. By default fold to compare, else that of the dataset's preset."
Split = Annotated[Maybe, _option(_SPLIT)]
Metric = Annotated[Maybe, _option("Score, such as rocauc or mae. By default that of the data.")]
_OF_RUNS = _SET.format("method or the run", "alpha=0.5, learning_rate=0.01")
Set = Annotated[Words, _option(_OF_RUNS, "--set")]
_OF_COMPARISONS = _SET.format("runs or verdicts", "learning_rate=0.01, margin=0.01")
CompareSet = Annotated[Words, _option(_OF_COMPARISONS, "--set")]
Workers = Annotated[int | None, _option("Processes. By default one per core.", min=1)]
Cluster = Annotated[Maybe, _option("Address of a Ray cluster that does the runs, or auto.")]
Resume = Annotated[bool, _option("Go on from where this command was interrupted.", "--resume")]
Ensemble = Annotated[int, _option("Number of models whose predictions are averaged; with --out.")]
ModelFolder = Annotated[Folder, _option("Folder to keep the model in. By default none is kept.")]
DemoFolder = Annotated[Path, _option("Folder to write report.html and explore.html to.")]

# models and pages
Predictions = Annotated[str, _option("File: .csv, .tsv, .parquet, or - to print them.")]
Level = Annotated[Number, _option("Share of truths that sets or intervals hold. By default 0.9.")]
_GRAPH = "Graph, counted from 0. May be repeated. By default the most and the least sure."
Graph = Annotated[list[int] | None, _option(_GRAPH)]
Output = Annotated[str, _option("Class, label or quantity to explain. By default the likeliest.")]
Picture = Annotated[Folder, _option("Page, .html, or picture, .svg or .png.", dir_okay=False)]
Shown = Annotated[int, _option("Number of graphs that a page shows of each kind.", min=1)]
Pair = Annotated[tuple[int, int] | None, _option("Two graphs to begin with, counted from 0.")]
Matcher = Annotated[str, _option(f"Matcher: {', '.join(MATCHERS)}.")]
Page = Annotated[Path, _option("Page to write.", dir_okay=False)]
MaybePage = Annotated[Folder, _option("Page to write, such as compare.html.", dir_okay=False)]
Open = Annotated[bool, _option("Open the page in the browser when it is written.", "--open")]
AsJson = Annotated[bool, _option("Print the result as JSON and nothing else.", "--json")]


def dataset_options(data: list[str] | None, **short: str | None) -> dict[str, Any]:
    """Return the settings of a dataset: what `--data` says, and options such as `--target`."""
    settings = {name: literal(value) for name, value in split_pairs(data or []).items()}
    return settings | {name: value for name, value in short.items() if value is not None}
