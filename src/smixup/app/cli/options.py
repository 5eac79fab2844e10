"""The options that several commands share, each with one name and one help text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from smixup.app.runs.registry import MATCHERS
from smixup.errors import UsageError

Command = Callable[..., None]


def option(help_: str, *names: str, panel: str | None = None, **more: Any) -> Any:
    """Return an option with its help text; `panel` is the box of `--help` in which it stands."""
    return typer.Option(*names, help=help_, rich_help_panel=panel, **more)


SEED = "Seed of the split, the matcher and whatever else is drawn at random."
_DATASET = option(
    "Dataset: MOTIF, ogbg-molhiv, any name of the TU collection, a file or folder of your own, or "
    "a folder that `smixup data pack` wrote."
)
Dataset = Annotated[str, _DATASET]
MaybeDataset = Annotated[str | None, _DATASET]
Data = Annotated[
    list[str] | None,
    option("Setting of the dataset, such as target=COLUMN or num_graphs=300. May be repeated."),
]
Target = Annotated[
    str | None,
    option(
        "Target column of your data, or several separated by commas; short for --data target=...",
        panel="Data",
    ),
]
Task = Annotated[
    str | None,
    option("What to predict: classes, labels or values; short for --data task=...", panel="Data"),
]
Smiles = Annotated[
    str | None,
    option("Column that holds molecules as SMILES; short for --data smiles=...", panel="Data"),
]
Root = Annotated[
    Path | None,
    option("Folder of the datasets. By default that of SMIXUP_ROOT, or the user's data folder."),
]
Seed = Annotated[int, option(SEED)]
SavedSeed = Annotated[
    int | None,
    option(
        f"{SEED} By default that of the saved matcher, or 0 without one. A saved matcher keeps its "
        "own split at any seed."
    ),
]
Matcher = Annotated[
    str, option(f"Matcher: {', '.join(MATCHERS)}, or a folder that `smixup match fit` wrote.")
]
MatcherFolder = Annotated[
    Path | None,
    option("Folder of a saved matcher. By default one is fitted with its default settings."),
]
Fit = Annotated[
    str,
    option(
        "Fit of a matcher that learns: quick (25 steps, a few seconds) or full (its default "
        "settings, as experiments use it). A saved matcher is taken as it is."
    ),
]
Paper = Annotated[
    bool | None,
    option(
        "Fit and measure the paper's matcher, too, or leave it out. By default it is there with "
        "--fit full: it learns for 200 steps.",
        "--paper/--no-paper",
    ),
]
Pair = Annotated[
    tuple[int, int] | None,
    option("Two graphs to show, G1 and G2, by their positions in the dataset, counted from 0."),
]
Transport = Annotated[
    str,
    option(
        "Way from the assignment to G2': partial, partial(edges=true), balanced or paper. By "
        "default that of S-Mixup; of the case study partial, which counts what came from G2 alone."
    ),
]
Pairs = Annotated[int, option("Number of held-out pairs to measure on.")]
Threads = Annotated[
    int | None,
    option(
        "Number of CPU threads. By default SMIXUP_THREADS or OMP_NUM_THREADS where it is set; else "
        "one, or as many as cores are idle if the work is large: graphs of 200 nodes or more on "
        "average, or batches of ogbg-molhiv."
    ),
]
Memory = Annotated[
    str | None,
    option(
        "Memory that may be used, such as 4GB. By default SMIXUP_MEMORY where it is set, else half "
        "of what is free."
    ),
]
AsJson = Annotated[bool, option("Print the result as JSON and nothing else.", "--json")]


QUICK_NOTE = "quick fit: 25 steps; --fit full takes all, and adds the paper's matcher"


def with_paper(paper: bool | None, fit: str) -> bool:
    """Tell whether the paper's matcher is fitted, too: if nobody says so, beside a full fit."""
    return fit == "full" if paper is None else paper


def dataset_options(data: list[str] | None) -> dict[str, Any]:
    """Return what `--data` says, as numbers and words by name."""
    from smixup.app.runs.options import literal, split_pairs

    return {name: literal(value) for name, value in split_pairs(data or []).items()}


def with_shorthands(given: dict[str, Any], short: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the settings of a dataset with those that have an option of their own, such as
    `--target`.
    """
    chosen = {name: value for name, value in short.items() if value is not None}
    if twice := [name for name in chosen if name in given]:
        raise UsageError(f"--{twice[0]} and --data {twice[0]}=... say the same: leave out one.")
    return given | chosen


def as_path(folder: Path) -> str:
    """Return a folder so that it is not taken for the name of a dataset."""
    return str(folder) if len(folder.parts) > 1 else f"./{folder}"


def with_options(**group: type[Any]) -> Callable[[Command], Command]:
    """Give a command the fields of a dataclass as options: `@with_options(part=Part)` calls it with
    a `Part`.

    Typer knows no groups of options: it makes one option of each parameter that it finds in the
    signature of a command. So a signature is built here that lists the fields of the group beside
    the command's own parameters, and what the options say is put together again for the call.
    """
    ((argument, kind),) = group.items()
    fields = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in get_type_hints(kind, include_extras=True).items()
    ]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def wrapped(**values: Any) -> None:
            chosen = {each.name: values.pop(each.name) for each in fields}
            command(**values, **{argument: kind(**chosen)})

        own = [
            each.replace(kind=Parameter.KEYWORD_ONLY)
            for each in signature(command, eval_str=True).parameters.values()
            if each.name != argument
        ]
        shown = Signature([*own, *fields])
        wrapped.__signature__ = shown  # type: ignore[attr-defined]
        wrapped.__annotations__ = {each.name: each.annotation for each in (*own, *fields)}
        return wrapped

    return decorate
