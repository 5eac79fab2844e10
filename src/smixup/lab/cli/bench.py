"""`smixup bench`: speed, side by side with plain implementations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from smixup.lab.bench.timing import Comparison

DATASETS = ["IMDB-BINARY", "NCI1", "PROTEINS"]


def bench(
    dataset: Annotated[
        list[str], typer.Option(help="Dataset to run on; may be given several times.")
    ] = DATASETS,
    only: Annotated[
        list[str] | None, typer.Option(help="Benchmark to run; may be given several times.")
    ] = None,
    repeat: Annotated[
        int, typer.Option(min=1, help="How often each side is timed; medians are reported.")
    ] = 7,
    size: Annotated[
        int | None,
        typer.Option(min=1, help="Triplets or pairs per batch; the paper's if not given."),
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads that torch may use.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    root: Annotated[Path | None, typer.Option(help="Where data lives.")] = None,
) -> None:
    """Compare our speed with the ordinary way, both in one run."""
    import torch
    from rich.console import Console

    from smixup.lab.bench.machine import matmul_rate, peak_memory, startup_seconds
    from smixup.lab.bench.registry import run_benchmarks
    from smixup.lab.bench.settings import Settings

    if threads is not None:
        torch.set_num_threads(threads)
    notes = Console(stderr=True)
    settings = Settings(
        tuple(dataset), repeat, root, size, lambda text: notes.print(text, highlight=False)
    )
    with notes.status("measuring"):
        comparisons = list(run_benchmarks(settings, only or ()))
        machine = {
            "threads": torch.get_num_threads(),
            "matmul_gflops": matmul_rate(),
            "startup_seconds": startup_seconds(),
            "peak_memory_mb": peak_memory(),
        }
    (print_json if as_json else print_table)(comparisons, machine)


def print_json(comparisons: list[Comparison], machine: dict[str, float | None]) -> None:
    """Print one object: the machine's figures, and a list of comparisons."""
    import json

    typer.echo(json.dumps(machine | {"comparisons": [each.to_json() for each in comparisons]}))


def print_table(comparisons: list[Comparison], machine: dict[str, float | None]) -> None:
    """Print a table of the comparisons, and a line on the machine."""
    from rich.console import Console
    from rich.table import Table

    table = Table("benchmark", "dataset", "case", "unit")
    for heading in ("ours", "reference", "ratio", "of matmul rate", "MB"):
        table.add_column(heading, justify="right")
    for each in comparisons:
        rates = (f"{each.ours:,.0f}", f"{each.reference:,.0f}", f"{each.ratio:.2f}x")
        extras = (
            "" if each.efficiency is None else f"{each.efficiency:.0%}",
            "" if each.memory_mb is None else f"{each.memory_mb:,.0f}",
        )
        table.add_row(each.benchmark, each.dataset, each.case, each.unit, *rates, *extras)
    console = Console()
    console.print(table)
    for name, value in machine.items():
        console.print(
            f"{name.replace('_', ' ')}: {'unknown' if value is None else f'{value:,.3g}'}",
            highlight=False,
        )
