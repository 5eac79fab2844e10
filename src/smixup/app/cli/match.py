"""`smixup match`: fit a matcher, and measure whether its assignments are alignments."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.app.cli import options
from smixup.app.cli.options import dataset_options, option
from smixup.app.cli.printing import print_table
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.threads import set_threads
from smixup.app.runs.registry import MATCHERS
from smixup.app.runs.words import decimal
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.app.studies.match_quality import MatcherQuality, MatchReport

QUICK = "quick"
COLUMNS = (
    *("matcher", "motif\nmass", "self\nmatch", "perplexity"),
    *("triplet\naccuracy", "fit\nseconds", "ms per\npair"),
)

app = typer.Typer(help="Fit a matcher, and measure whether it aligns.", no_args_is_help=True)


@app.command()
def fit(
    out: Annotated[Path, option("Folder to save the matcher to.", "--out")],
    dataset: options.Dataset = "MOTIF",
    matcher: Annotated[
        str, option("Matcher that learns: graph-matcher or siamese.")
    ] = "graph-matcher",
    seed: options.Seed = 0,
    root: options.Root = None,
    set_: Annotated[
        list[str] | None,
        option("Setting of the matcher, such as num_layers=3. May be repeated.", "--set"),
    ] = None,
    paper: Annotated[
        bool,
        option(
            "Take the paper's settings (Table 9): 500 epochs, which may take hours on a CPU.",
            "--paper",
        ),
    ] = False,
    checkpoint: Annotated[
        Path | None, option("File that keeps the state; the same command goes on from there.")
    ] = None,
    data: options.Data = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
) -> None:
    """Fit a matcher on the training split of a dataset and save it."""
    set_threads(threads, dataset, root=root)
    set_budget(memory)
    from smixup.app.runs.fit_matcher import fit_matcher
    from smixup.app.runs.options import split_pairs

    started = time.perf_counter()
    with ProgressDisplay() as report:
        of_matcher, of_data = split_pairs(set_ or []), dataset_options(data)
        fitted = fit_matcher(
            dataset, out, seed, root, of_matcher, paper, checkpoint, report, of_data, matcher
        )
    seconds = time.perf_counter() - started
    if as_json:
        found = {
            "path": str(out),
            "matcher": matcher,
            "seconds": seconds,
            "scores": fitted.fit_scores,
            "held_out": fitted.held_out,
        }
        typer.echo(json.dumps(found))
        return
    scores = ", ".join(f"{name} {value:.3f}" for name, value in fitted.fit_scores.items())
    measured = "held out" if fitted.held_out else "on its own training graphs"
    typer.echo(
        f"{out} holds a matcher for {dataset} ({matcher}), fitted in {seconds:.0f} s; {measured}: "
        f"{scores}."
    )


@app.command()
def evaluate(
    dataset: options.Dataset = "MOTIF",
    matcher_dir: options.MatcherFolder = None,
    pairs: options.Pairs = 500,
    seed: options.SavedSeed = None,
    root: options.Root = None,
    fit: options.Fit = "quick",
    paper: options.Paper = None,
    matcher: Annotated[
        list[str] | None,
        option(
            f"Matcher to compare, with its default settings but for --fit: {', '.join(MATCHERS)}. "
            "May be repeated."
        ),
    ] = None,
    data: options.Data = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare matchers on the same pairs of the validation and test split: quality, and
    milliseconds per pair.

    Without --matcher: ours (or the one in --matcher-dir) beside a uniform assignment and a random
    order; with --fit full also the paper's. The paper's matcher (cosine, temperature 1, triplets
    alone) is a control, not a reproduction: it has the width of ours, sees degree features and
    learns for 200 steps without an early stop, so that the two are comparable and neither takes
    more than a minute or two.
    """
    set_threads(threads, dataset, root=root)
    set_budget(memory)
    from smixup.app.studies.match_quality import match_quality

    with ProgressDisplay() as report:
        of_data, named = dataset_options(data), matcher or ()
        papers = options.with_paper(paper, fit)
        found = match_quality(
            dataset, seed, root, pairs, matcher_dir, papers, report, of_data, named, fit
        )
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    else:
        _print_table(found)


def _print_table(report: MatchReport) -> None:
    title = f"{report.dataset}, seed {report.seed}, {report.pairs} held-out pairs"
    chance = decimal(report.motif_chance, 3, "")
    notes = [f"chance level of motif mass: {chance}"] if chance else []
    notes += [options.QUICK_NOTE] if any(row.fit == QUICK for row in report.rows) else []
    caption = ". ".join(notes) or None
    print_table(COLUMNS, map(_cells, report.rows), narrow=True, title=title, caption=caption)


def _cells(row: MatcherQuality) -> list[str]:
    quality = row.quality
    shown = [quality.motif_mass, quality.self_match, quality.perplexity, quality.triplet_accuracy]
    times = [decimal(row.fit_seconds, 1), decimal(row.milliseconds_per_pair, 2)]
    name = f"{row.matcher} (quick fit)" if row.fit == QUICK else row.matcher
    return [name, *(decimal(each, 3) for each in shown), *times]
