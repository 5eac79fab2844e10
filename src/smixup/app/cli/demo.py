"""`smixup demo`: what mixing keeps, a page to play with, and a comparison, in about two minutes."""

from __future__ import annotations

from pathlib import Path

import typer

from smixup.app.cli import options
from smixup.app.cli.options import show_page
from smixup.app.cli.printing import print_table, print_text
from smixup.app.cli.progress import ProgressDisplay
from smixup.app.cli.threads import cores, set_threads
from smixup.files import require_writable

REPORT, EXPLORER = "report.html", "explore.html"
NEXT = "smixup compare yourdata.csv --target COLUMN --budget 30m --out compare.html"
PAIRS, SHOWN_PAIRS, PAPER_STEPS, SEED = 200, 12, 80, 0
BEFORE = 21.0
"""Seconds that what comes before the comparison takes, about."""


def demo(
    out: options.DemoFolder = Path("runs") / "demo",
    seeds: options.DemoSeeds = 9,
    labels: options.DemoLabels = 25,
    workers: options.Workers = None,
    open_: options.Open = False,
) -> None:
    """Take a first look on MOTIF, without a download.

    What mixing keeps of a motif, a page of pairs to mix by hand, and whether mixing raises accuracy
    with few labels.
    """
    set_threads()
    from smixup.app.pages import demo_report
    from smixup.app.pages.explorer.source import explore_dataset
    from smixup.app.runs.words import duration
    from smixup.app.studies.case_study import case_study
    from smixup.app.studies.demo import DemoSettings, compare_arms
    from smixup.app.studies.look import QUICK
    from smixup.app.sweeps.in_process import InProcess
    from smixup.app.sweeps.local import LocalEngine

    settings, number = DemoSettings(seeds=seeds, labels=labels), workers or cores()
    require_writable(out / EXPLORER, "the page")
    seconds = BEFORE + settings.seconds() / number
    print_text(f"Three things, in about {duration(seconds)}:\n")
    with ProgressDisplay() as report:
        study = case_study(SEED, num_pairs=PAIRS, report=report, fit=QUICK, paper_steps=PAPER_STEPS)
        title = f"1. Share of the motif kept, {study.number} pairs"
        print_table(demo_report.SHARES_HEADER, demo_report.share_rows(study), title=title)
        print_text(f"{demo_report.share_sentence(study)}\n")
        page = explore_dataset(
            "MOTIF", number=SHOWN_PAIRS, seed=SEED, fit=QUICK, fitted=study.matchers
        )
        page.write(out / EXPLORER)
        typer.echo(f"2. Pairs to mix by hand: {out / EXPLORER}\n")
        show_page(out / EXPLORER, open_)
        engine = LocalEngine(number) if number > 1 else InProcess()
        found = demo_report.Demo(study, compare_arms(settings, report, engine))
    title = f"3. MOTIF, {labels} labels, {settings.backbone.upper()}, n = {seeds}"
    print_table(demo_report.TABLE_HEADER, demo_report.score_rows(found.compared), title=title)
    for sentence in demo_report.verdict(found.compared):
        print_text(sentence)
    answer = demo_report.demo_report(found, EXPLORER, NEXT).write(out / REPORT)
    print_text(f"\nPage with pictures: {answer}")
    show_page(answer, open_)
    print_text("Next, your own data:")
    typer.echo(f"  {NEXT}")
