"""`smixup bench`: speed and memory, side by side with plain implementations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import option
from smixup.app.cli.printing import print_table
from smixup.app.cli.threads import set_threads
from smixup.errors import UsageError
from smixup.memory import set_budget

if TYPE_CHECKING:
    from smixup.app.bench.history import Change, History
    from smixup.app.bench.measurement import Measurement
    from smixup.app.bench.settings import Settings
    from smixup.app.bench.timing import Comparison

DATASETS = ["IMDB-BINARY", "NCI1", "PROTEINS"]
COLUMNS = (
    *("benchmark", "dataset", "case"),
    *("ours", "reference", "ratio", "of matmul rate", "MB"),
)
CHANGES = ("benchmark", "dataset", "case", "verdict", "then", "now", "factor")


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
    against: Annotated[
        Path | None,
        option("File with what `bench` kept on another day, to compare ratios with."),
    ] = None,
    measured: Annotated[
        Path | None,
        option("File with what `bench` kept, to show or compare in place of measuring now."),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "File that keeps every row as soon as it is measured; benchmarks that it holds are not "
            "run again."
        ),
    ] = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
    root: options.Root = None,
) -> None:
    """Compare the speed and memory of smixup with the ordinary way to do the same.

    With --against, compare the ratios with those of another day as well.
    """
    from smixup.app.bench.history import History
    from smixup.app.bench.measurement import Measurement

    if measured is not None and out is not None:
        raise UsageError("--measured measures nothing, so there is nothing for --out to keep.")
    then = None if against is None else Measurement.read(against)
    if measured is not None:
        found = Measurement.read(measured)
    else:
        set_threads(threads, *dataset, root=root)
        set_budget(memory)
        found = _measure(tuple(dataset), repeat, root, size, only or (), out, as_json)
    if then is None:
        _tell(found, as_json)
    else:
        _tell_changes(History.of(then.comparisons, found.comparisons), then, found, as_json)


def _measure(
    datasets: tuple[str, ...],
    repeat: int,
    root: Path | None,
    size: int | None,
    only: Sequence[str],
    out: Path | None,
    as_json: bool,
) -> Measurement:
    """Run benchmarks; return their rows, and what the machine can do. If somebody stops them, the
    rows so far are told.
    """
    from rich.console import Console

    from smixup.app.bench.measurement import Measurement
    from smixup.app.bench.registry import run_benchmarks
    from smixup.app.bench.settings import Settings

    notes = Console(stderr=True)
    settings = Settings(datasets, repeat, root, size, partial(notes.print, highlight=False))
    found = Measurement.begin(_about(settings), out)
    try:
        with notes.status("measuring") as status:
            for name in run_benchmarks(found, settings, only):
                status.update(f"measuring {name}")
    except KeyboardInterrupt:
        _tell(found, as_json)
        raise
    return found


def _about(settings: Settings) -> dict[str, Any]:
    """Return what is measured, when, and on what machine."""
    import torch

    from smixup.app.bench.machine import matmul_rate, startup_seconds
    from smixup.app.runs.environment import versions

    return {
        "versions": versions(),
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "threads": torch.get_num_threads(),
        "settings": {name: getattr(settings, name) for name in ("datasets", "repeat", "size")},
        "matmul_gflops": matmul_rate(),
        "startup_seconds": startup_seconds(),
    }


def _tell(found: Measurement, as_json: bool) -> None:
    if as_json:
        typer.echo(found.to_json(), nl=False)
        return
    print_table(COLUMNS, map(_cells, found.comparisons), words=3, narrow=True)
    for name in ("threads", "matmul_gflops", "startup_seconds", "peak_memory_mb"):
        value = found.about.get(name)
        typer.echo(f"{name.replace('_', ' ')}: {'unknown' if value is None else f'{value:,.3g}'}")


def _tell_changes(history: History, then: Measurement, now: Measurement, as_json: bool) -> None:
    if as_json:
        written = {"then": then.when, "now": now.when, **vars(history)}
        typer.echo(json.dumps(written, default=lambda each: each.to_json()))
        return
    print_table(CHANGES, map(_change_cells, history.changes), words=4, narrow=True)
    typer.echo(f"then: {then.when}; now: {now.when}")
    typer.echo(
        "Ratios are times better than the reference, in brackets half of the rounds. A change is "
        "told only where these keep apart; seconds of two days are not compared."
    )
    for rows, day in ((history.gone, "then"), (history.new, "now")):
        if rows:
            typer.echo(f"only {day}: {'; '.join(f'{each.benchmark} {each.case}' for each in rows)}")


def _change_cells(change: Change) -> tuple[str, ...]:
    return (
        *(change.now.benchmark, change.now.dataset, f"{change.now.case}, {change.now.unit}"),
        change.verdict,
        *(_ratio(change.then), _ratio(change.now)),
        "" if change.factor is None else f"{change.factor:.2f}x",
    )


def _ratio(each: Comparison) -> str:
    """Return a ratio with its noise."""
    if each.ratio is None:
        return ""
    noise = "" if each.quartiles is None else " [{:.2f}, {:.2f}]".format(*each.quartiles)
    return f"{each.ratio:.2f}x{noise}"


def _cells(each: Comparison) -> tuple[str, ...]:
    return (
        *(each.benchmark, each.dataset, ", ".join(filter(None, (each.case, each.unit)))),
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
