"""`smixup bench`: speed and memory, side by side with plain implementations."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from smixup.lab.cli import options
from smixup.lab.cli.options import option
from smixup.lab.cli.printing import print_table
from smixup.lab.cli.threads import set_threads
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.lab.bench.timing import Comparison

DATASETS = ["IMDB-BINARY", "NCI1", "PROTEINS"]
COLUMNS = (
    *("benchmark", "dataset", "case", "unit"),
    *("ours", "reference", "ratio", "of matmul rate", "MB"),
)


def bench(
    dataset: Annotated[list[str], option("Dataset to run on. May be repeated.")] = DATASETS,
    only: Annotated[
        list[str] | None,
        option(
            "Benchmark to run: vanilla, precision, epoch, drop-in, methods, align-mix, "
            "one-to-one, matcher-step, transport, large-pairs, reddit-step, reddit-epoch, "
            "reddit-fit, many-graphs, molecules or stored. May be repeated; by default all but "
            "reddit-fit, which takes minutes, are run."
        ),
    ] = None,
    repeat: Annotated[
        int, option("Number of times that each side is timed; the median is shown.", min=1)
    ] = 7,
    size: Annotated[
        int | None,
        option(
            "Number of triplets or pairs per batch, of nodes of large-pairs, of training graphs of "
            "reddit-epoch and reddit-fit, or of graphs on disk. By default the paper's, a thousand "
            "to a hundred thousand nodes, and ten thousand to a million graphs on disk.",
            min=1,
        ),
    ] = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
    root: options.Root = None,
) -> None:
    """Compare our speed and memory with the ordinary way, both in one run."""
    set_threads(threads, *dataset, root=root)
    set_budget(memory)
    import torch
    from rich.console import Console

    from smixup.lab.bench.machine import matmul_rate, peak_memory, startup_seconds
    from smixup.lab.bench.registry import run_benchmarks
    from smixup.lab.bench.settings import Settings

    notes = Console(stderr=True)
    note = partial(notes.print, highlight=False)
    settings = Settings(tuple(dataset), repeat, root, size, note)
    with notes.status("measuring"):
        comparisons = list(run_benchmarks(settings, only or ()))
        machine = {
            "threads": torch.get_num_threads(),
            "matmul_gflops": matmul_rate(),
            "startup_seconds": startup_seconds(),
            "peak_memory_mb": peak_memory(),
        }
    if as_json:
        found = machine | {"comparisons": [each.to_json() for each in comparisons]}
        typer.echo(json.dumps(found))
        return
    print_table(COLUMNS, map(_cells, comparisons), words=4)
    for name, value in machine.items():
        typer.echo(f"{name.replace('_', ' ')}: {'unknown' if value is None else f'{value:,.3g}'}")


def _cells(each: Comparison) -> tuple[str, ...]:
    return (
        *(each.benchmark, each.dataset, each.case, each.unit),
        *(_number(each.ours), _number(each.reference)),
        "" if each.ratio is None else f"{each.ratio:.2f}x",
        "" if each.efficiency is None else f"{each.efficiency:.0%}",
        "" if each.memory_mb is None else f"{each.memory_mb:,.0f}",
    )


def _number(value: float | None) -> str:
    """Return a number with three digits at least, and none behind the point if it has more."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
