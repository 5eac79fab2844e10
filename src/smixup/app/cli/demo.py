"""`smixup demo`: what mixing keeps, a page to play with, and a comparison, in about two minutes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.app.cli.opening import Open, show_page
from smixup.app.cli.options import option
from smixup.app.cli.overall import OverallProgress
from smixup.app.cli.printing import print_table
from smixup.app.cli.threads import cores, set_threads
from smixup.files import require_writable

if TYPE_CHECKING:
    from smixup.app.pages.demo_report import Demo
    from smixup.app.studies.case_study import CaseStudy
    from smixup.app.studies.demo import DemoSettings

FOLDER = Path("runs") / "demo"
REPORT, EXPLORER = "report.html", "explore.html"
NEXT = "smixup compare yourdata.csv --target COLUMN --budget 30m --out compare.html"
SEED = 0
SHOWN_PAIRS = 12
PAPER_STEPS = 80
PARTS = {"the paper's: matcher": 8.0, "matcher": 3.0, "explorer": 10.0}
"""Seconds that what comes before the comparison takes on a machine of two cores without other work,
about, by its stage of progress."""


def demo(
    out: Annotated[Path, option(f"Folder to write {REPORT} and {EXPLORER} to.")] = FOLDER,
    seeds: Annotated[int, option("Number of paired runs, set before the first one.")] = 9,
    epochs: Annotated[int, option("Number of epochs of every classifier.")] = 240,
    labels: Annotated[int, option("Number of graphs to train on; as many validate.")] = 25,
    pairs: Annotated[int, option("Number of pairs on which the motif kept is measured.")] = 200,
    workers: Annotated[
        int | None,
        option("Number of processes, of one thread each. By default one per core.", min=1),
    ] = None,
    open_: Open = False,
) -> None:
    """Take a first look on MOTIF: what mixing keeps of a motif, a page of pairs to mix by hand, and
    whether it raises accuracy with few labels. It needs no download.
    """
    set_threads(1)  # graphs this small are faster without company
    from smixup.app.pages.demo_report import Demo, demo_report, verdict
    from smixup.app.pages.explorer.source import explore_dataset
    from smixup.app.studies.case_study import case_study
    from smixup.app.studies.demo import PAIRED_RUNS, DemoSettings, compare_arms
    from smixup.app.studies.look import QUICK
    from smixup.app.sweeps.in_process import InProcess
    from smixup.app.sweeps.local import LocalEngine
    from smixup.progress import Progress

    settings, number = DemoSettings(seeds, epochs, labels), workers or cores()
    parts = PARTS | {PAIRED_RUNS: settings.seconds() / number}
    require_writable(out / EXPLORER, "the page")
    _say_plan(settings, parts, number, out)
    engine = LocalEngine(number) if number > 1 else InProcess()
    with OverallProgress(parts) as report:
        report(Progress("the paper's: matcher", 0, PAPER_STEPS))
        study = case_study(SEED, num_pairs=pairs, report=report, fit=QUICK, paper_steps=PAPER_STEPS)
        with report.aside():
            _print_shares(study)
        report(Progress("explorer", 0, 1))
        page = explore_dataset(
            "MOTIF", number=SHOWN_PAIRS, seed=SEED, fit=QUICK, fitted=study.matchers
        )
        page.write(out / EXPLORER)
        with report.aside():
            typer.echo(f"2. Pairs to mix by hand: {out / EXPLORER}\n")
        show_page(out / EXPLORER, open_)
        found = Demo(study, compare_arms(settings, report, engine))
    _print_scores(found)
    for sentence in verdict(found.compared):
        _say(sentence)
    answer = demo_report(found, EXPLORER, NEXT).write(out / REPORT)
    _say(f"\nPage with pictures: {answer}")
    show_page(answer, open_)
    _say("Next, your own data:")
    typer.echo(f"  {NEXT}")


def _say_plan(settings: DemoSettings, parts: dict[str, float], workers: int, out: Path) -> None:
    from smixup.app.runs.words import counted, duration

    *before, runs = parts.values()
    first, second = sum(before[:-1]), before[-1]
    total = duration(sum(parts.values()))
    processes = f"{workers} processes" if workers > 1 else "one process"
    _say(f"Three things, about {total} with {processes} on a machine of two cores:")
    _say(f"1. What mixing keeps of a motif, aligned or not: about {duration(first)}.")
    _say(f"2. {out / EXPLORER}, pairs to mix by hand: about {duration(second)}.")
    _say(
        f"3. Does it help with {settings.labels} labels? {counted(settings.seeds, 'paired run')}: "
        f"about {duration(runs)}.\n"
    )


def _print_shares(study: CaseStudy) -> None:
    from smixup.app.pages.demo_report import SHARES_HEADER, share_rows, share_sentence

    title = f"1. Share of the motif kept, {study.number} pairs"
    print_table(SHARES_HEADER, share_rows(study), narrow=True, title=title)
    _say(f"{share_sentence(study)}\n")


def _print_scores(found: Demo) -> None:
    from smixup.app.pages.demo_report import TABLE_HEADER, score_rows

    settings = found.compared.settings
    title = f"3. MOTIF, {settings.labels} labels, {settings.backbone.upper()}, n = {settings.seeds}"
    print_table(TABLE_HEADER, score_rows(found.compared), narrow=True, title=title)


def _say(text: str) -> None:
    from rich.console import Console

    Console(highlight=False).print(text, markup=False)
