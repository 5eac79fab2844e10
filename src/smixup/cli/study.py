"""`smixup study`: comparisons that answer one question."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Compare methods where it matters.", no_args_is_help=True)


@app.callback()
def study() -> None:
    """Compare methods where it matters."""


@app.command()
def motif(
    out: Annotated[Path, typer.Option(help="Finished cases are kept here; what is missing is run.")] = Path(
        "runs/motif_study.jsonl"
    ),
    seeds: Annotated[int, typer.Option(min=2, help="Paired runs per cell.")] = 10,
    workers: Annotated[int, typer.Option(min=1, help="Processes, one thread each.")] = 2,
    curve: Annotated[str, typer.Option(help="test, test_loss or calibration_error.")] = "test",
) -> None:
    """Does alignment help on MOTIF with few graphs and noisy labels? Prints a Markdown table per backbone."""
    from smixup.cli.progress import ProgressDisplay
    from smixup.experiments.motif_study import run_study
    from smixup.experiments.motif_table import markdown

    with ProgressDisplay() as report:
        records = run_study(out, seeds, workers, report)
    typer.echo(markdown(records, curve))
