"""`smixup demo`: a small comparison and its page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.lab.cli.progress import ProgressDisplay
from smixup.lab.cli.threads import set_threads

if TYPE_CHECKING:
    from smixup.lab.studies.demo import DemoResult


def demo(
    out: Annotated[Path, typer.Option(help="The folder for report.html and explore.html.")] = Path(
        "runs"
    )
    / "demo",
    seeds: Annotated[int, typer.Option(help="Paired repetitions.")] = 3,
    epochs: Annotated[int, typer.Option(help="Of every classifier.")] = 100,
    graphs: Annotated[int, typer.Option(help="A third each to train, validate and test.")] = 240,
) -> None:
    """Compare Vanilla, mixing in random order and S-Mixup on MOTIF; needs no download."""
    set_threads(1)  # graphs this small are faster without company
    from smixup.lab.pages.demo_report import EXPLORER, demo_explorer, demo_report
    from smixup.lab.studies.demo import DemoSettings, run_demo

    with ProgressDisplay() as report:
        result = run_demo(DemoSettings(seeds=seeds, epochs=epochs, num_graphs=graphs), report)
    demo_explorer(result).write(out / EXPLORER)
    page = demo_report(result).write(out / "report.html")
    _print_table(result)
    typer.echo(f"report: {page}", err=True)


def _print_table(result: DemoResult) -> None:
    from rich.console import Console
    from rich.table import Table

    from smixup.lab.pages.demo_report import TABLE_HEADER, score_rows, verdict

    settings = result.settings
    table = Table(title=f"MOTIF, {settings.backbone}, {settings.num_graphs // 3} training graphs")
    for place, name in enumerate(TABLE_HEADER):
        table.add_column(name, justify="left" if place == 0 else "right")
    for row in score_rows(result):
        table.add_row(*row)
    console = Console()
    console.print(table)
    console.print(verdict(result), highlight=False)
