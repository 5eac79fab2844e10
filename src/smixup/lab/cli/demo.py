"""`smixup demo`: a small comparison and its page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from smixup.files import require_writable
from smixup.lab.cli.options import option
from smixup.lab.cli.printing import print_table
from smixup.lab.cli.progress import ProgressDisplay
from smixup.lab.cli.threads import set_threads

FOLDER = Path("runs") / "demo"


def demo(
    out: Annotated[Path, option("Folder to write report.html and explore.html to.")] = FOLDER,
    seeds: Annotated[int, option("Number of paired repetitions.")] = 3,
    epochs: Annotated[int, option("Number of epochs of every classifier.")] = 100,
    graphs: Annotated[
        int, option("Number of graphs: a third each to train, to validate and to test.")
    ] = 240,
) -> None:
    """Compare Vanilla, mixing in random order and S-Mixup on MOTIF; needs no download."""
    set_threads(1)  # graphs this small are faster without company
    from rich.console import Console

    from smixup.lab.pages.demo_report import (
        EXPLORER,
        TABLE_HEADER,
        demo_explorer,
        demo_report,
        score_rows,
        verdict,
    )
    from smixup.lab.studies.demo import DemoSettings, run_demo

    settings = DemoSettings(seeds=seeds, epochs=epochs, num_graphs=graphs)
    require_writable(out / EXPLORER, "the page")
    with ProgressDisplay() as report:
        result = run_demo(settings, report)
    title = f"MOTIF, {settings.backbone}, {settings.num_graphs // 3} training graphs"
    print_table(TABLE_HEADER, score_rows(result), title=title)
    Console().print(verdict(result), highlight=False)
    demo_explorer(result).write(out / EXPLORER)
    page = demo_report(result).write(out / "report.html")
    typer.echo(f"report: {page}", err=True)
