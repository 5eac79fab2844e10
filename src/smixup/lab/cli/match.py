"""`smixup match`: fit a matcher, and measure whether its assignments are alignments."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smixup.lab.cli.progress import ProgressDisplay
from smixup.lab.cli.threads import set_threads

if TYPE_CHECKING:
    from smixup.lab.studies.match_quality import MatcherQuality, MatchReport

COLUMNS = (
    "motif\nmass",
    "self\nmatch",
    "perplexity",
    "triplet\naccuracy",
    "fit\nseconds",
    "ms per\npair",
)

app = typer.Typer(help="Fit a matcher, and measure whether it aligns.", no_args_is_help=True)

DatasetName = Annotated[
    str, typer.Option("--dataset", help="MOTIF, ogbg-molhiv, or a name of the TU collection.")
]
Root = Annotated[Path | None, typer.Option("--root", help="The data root.", show_default=False)]
Options = Annotated[
    list[str] | None, typer.Option("--data", help="A parameter of the dataset, name=value.")
]
Threads = Annotated[
    int | None, typer.Option("--threads", help="CPU threads to use.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]


@app.command()
def fit(
    out: Annotated[
        Path, typer.Option("--out", help="The folder to save the matcher to.", show_default=False)
    ],
    dataset: DatasetName = "MOTIF",
    matcher: Annotated[
        str, typer.Option(help="A matcher that learns: graph-matcher or siamese.")
    ] = "graph-matcher",
    seed: Annotated[int, typer.Option(help="Of split and matcher.")] = 0,
    root: Root = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of the matcher, name=value.")
    ] = None,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="The paper's settings (Table 9): 500 epochs, which may take hours on a CPU.",
        ),
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Keep the state here; the same command goes on from there.", show_default=False
        ),
    ] = None,
    data: Options = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Fit a matcher on the training split of a dataset and save it."""
    set_threads(threads)
    from smixup.lab.runs.options import split_pairs
    from smixup.lab.studies.match_quality import fit_matcher

    started = time.perf_counter()
    with ProgressDisplay() as report:
        settings, options = split_pairs(set_ or []), _options(data)
        fitted = fit_matcher(
            dataset, out, seed, root, settings, paper, checkpoint, report, options, matcher
        )
    seconds = time.perf_counter() - started
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "path": str(out),
                    "matcher": matcher,
                    "seconds": seconds,
                    "scores": fitted.fit_scores,
                }
            )
        )
        return
    scores = ", ".join(f"{name} {value:.3f}" for name, value in fitted.fit_scores.items())
    typer.echo(
        f"{out} holds a matcher for {dataset} ({matcher}), fitted in {seconds:.0f} s; held out: "
        f"{scores}."
    )


@app.command()
def evaluate(
    dataset: DatasetName = "MOTIF",
    matcher_dir: Annotated[
        Path | None,
        typer.Option(
            help="A saved matcher; otherwise one is fitted with default settings.",
            show_default=False,
        ),
    ] = None,
    pairs: Annotated[int, typer.Option(help="Held-out pairs to measure on.")] = 500,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Of split and matchers. By default the saved matcher's, else 0.",
            show_default=False,
        ),
    ] = None,
    root: Root = None,
    no_paper: Annotated[
        bool, typer.Option("--no-paper", help="Leave out the paper's matcher.")
    ] = False,
    matcher: Annotated[
        list[str] | None,
        typer.Option(
            help="Compare this matcher instead, with default settings; may be given several times.",
            show_default=False,
        ),
    ] = None,
    data: Options = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Compare matchers on the same pairs of the validation and test split: quality, and
    milliseconds per pair.

    Without --matcher: ours (or the one in --matcher-dir) beside a uniform assignment, a random
    order and the paper's. The paper's matcher (cosine, temperature 1, triplets alone) is a control,
    not a reproduction: it is trained at the width, batch size and number of steps of ours, sees
    degree features and does not stop early, so that the two are comparable and neither takes more
    than a minute or two.
    """
    set_threads(threads)
    from smixup.lab.studies.match_quality import match_quality

    with ProgressDisplay() as report:
        found = match_quality(
            dataset,
            seed,
            root,
            pairs,
            matcher_dir,
            not no_paper,
            report,
            _options(data),
            matcher or (),
        )
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    else:
        _print_table(found)


def _options(pairs: list[str] | None) -> dict[str, Any]:
    from smixup.lab.runs.options import literal, split_pairs

    return {name: literal(value) for name, value in split_pairs(pairs or []).items()}


def _print_table(report: MatchReport) -> None:
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table

    title = f"{report.dataset}, seed {report.seed}, {report.pairs} held-out pairs"
    chance = (
        None
        if report.motif_chance is None
        else f"chance level of motif mass: {report.motif_chance:.3f}"
    )
    table = Table(title=title, caption=chance, box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("matcher", overflow="fold")
    for name in COLUMNS:
        table.add_column(name, justify="right", overflow="fold")
    for row in report.rows:
        table.add_row(*_cells(row))
    Console().print(table)


def _cells(row: MatcherQuality) -> list[str]:
    quality = row.quality
    shown = [quality.motif_mass, quality.self_match, quality.perplexity, quality.triplet_accuracy]
    return [
        row.matcher,
        *map(_number, shown),
        _number(row.fit_seconds, 1),
        _number(row.milliseconds_per_pair, 2),
    ]


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
