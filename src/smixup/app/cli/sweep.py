"""`smixup sweep`: many runs, kept in a store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smixup.app.cli import options
from smixup.app.cli.options import option, with_options
from smixup.app.cli.printing import print_table
from smixup.app.cli.scope import DEFAULT_STORE, AnyCode, Name, Part, StoreFile
from smixup.app.cli.stored import existing, last_scope, read, records_of
from smixup.app.cli.sweep_agree import agree
from smixup.app.cli.sweep_page import page
from smixup.app.cli.threads import cores

if TYPE_CHECKING:
    from smixup.app.sweeps.engine import Engine
    from smixup.app.sweeps.merging import Contradiction
    from smixup.app.tables.survey import Survey

Workers = Annotated[
    int | None,
    option(
        "Number of processes, of one thread each. By default one per core. With --engine slurm, "
        "number of jobs in the queue at once; by default 100.",
        min=1,
    ),
]
of_slurm = partial(option, panel="Slurm")
ENGINES = ("local", "ray", "slurm")
JOBS = 100
COLUMNS = ("what", "runs", "done", "failed", "missing", "s / run", "time left")

app = typer.Typer(
    help="Run experiments. Finished runs are kept, and only missing ones are run.",
    no_args_is_help=True,
)
app.command()(page)
app.command()(agree)


@app.command("list")
def list_() -> None:
    """List the experiments by name."""
    from smixup.app.tables.registry import NAMES, title_of

    width = max(map(len, NAMES))
    for name in NAMES:
        typer.echo(f"{name:<{width}}  {title_of(name)}")


@app.command()
@with_options(part=Part)
def plan(
    name: Name,
    store: StoreFile = DEFAULT_STORE,
    workers: Workers = None,
    root: options.Root = None,
    *,
    part: Part,
    any_code: AnyCode = False,
) -> None:
    """Tell what a sweep would run, how long it would take as far as the store knows, and what
    difference between two methods it could see.
    """
    from smixup.app.cli.power_display import print_power
    from smixup.app.sweeps.store import Store
    from smixup.app.tables.planned_power import planned_power
    from smixup.app.tables.registry import experiment_named
    from smixup.app.tables.survey import survey

    experiment, scope = experiment_named(name), part.scope()
    records = records_of(Store(store), any_code)
    _print_survey(survey(experiment, scope, records), workers or cores())
    print_power(planned_power(experiment, scope, records, root))


@app.command()
@with_options(part=Part)
def run(
    name: Name,
    store: StoreFile = DEFAULT_STORE,
    workers: Workers = None,
    engine: Annotated[
        str, option("Engine: local (processes on this machine), or a cluster: ray or slurm.")
    ] = "local",
    address: Annotated[
        str | None,
        option("Address of a running Ray cluster, or auto. By default Ray starts one here."),
    ] = None,
    partition: Annotated[
        str | None, of_slurm("Partition of the cluster. By default the cluster's.")
    ] = None,
    minutes: Annotated[
        int | None,
        of_slurm(
            "Minutes that a job may take; a run that needs longer is submitted again and goes on, "
            "three times in all. By default 240.",
            "--time",
            min=2,
        ),
    ] = None,
    memory: Annotated[
        str | None,
        option(
            "Memory that may be used, such as 4GB: by all workers together, or by each job of "
            "Slurm. By default SMIXUP_MEMORY, half of what is free, or the cluster's."
        ),
    ] = None,
    cpus: Annotated[
        int | None,
        of_slurm(
            "CPUs of a job. A run uses one; more buy memory where that goes by CPU. By default 1.",
            min=1,
        ),
    ] = None,
    root: options.Root = None,
    *,
    part: Part,
    any_code: AnyCode = False,
) -> None:
    """Run what the store does not hold yet, then print the table.

    Ctrl-C, a crash or a power cut lose no finished run: repeat the command to go on.
    """
    from smixup.app.cli.sweep_display import SweepDisplay
    from smixup.app.pages.formats import text
    from smixup.app.sweeps.driver import sweep
    from smixup.app.sweeps.store import Store
    from smixup.app.tables.registry import experiment_named

    experiment, kept = experiment_named(name), Store(store)
    scope = part.scope()
    runs = experiment.runs(scope)
    asked = {"partition": partition, "minutes": minutes, "cpus": cpus}
    number = workers or (JOBS if engine == "slurm" else cores())
    chosen = _engine(engine, number, address, kept.workspace, asked, memory)
    if engine != "slurm":
        _share_memory(memory, number)
    with SweepDisplay() as watch:
        final = sweep(runs, kept, chosen, root, watch, (name, scope.to_dict()), any_code)
    typer.echo(text(experiment.render(scope, kept.finished(any_code))))
    if final.failed:
        how = f"smixup sweep status {name} --store {store}"
        typer.echo(f"{len(final.failed)} runs failed: `{how}` says why.", err=True)
        raise typer.Exit(1)


@app.command()
@with_options(part=Part)
def status(
    name: Name, store: StoreFile = DEFAULT_STORE, *, part: Part, any_code: AnyCode = False
) -> None:
    """Tell what is done, what failed and why, and what is missing, of the part that was run
    last.
    """
    from smixup.app.tables.registry import experiment_named
    from smixup.app.tables.survey import survey

    experiment, kept = experiment_named(name), existing(store)
    scope = part.scope(last_scope(kept, name))
    _print_survey(survey(experiment, scope, records_of(kept, any_code)), 1)


@app.command()
@with_options(part=Part)
def export(
    name: Name,
    store: StoreFile = DEFAULT_STORE,
    out: Annotated[
        Path | None,
        option(
            "File to write: .csv (without curves), .jsonl, or "
            "either as .gz. By default JSON Lines are printed."
        ),
    ] = None,
    whole: Annotated[
        bool, option("Write all runs of the experiment, whatever part of it was run last.")
    ] = False,
    *,
    part: Part,
    any_code: AnyCode = False,
) -> None:
    """Write the runs of an experiment, with the grid and the choice made in it, as CSV or JSON
    Lines: those of the part that was run last, or all with --whole.
    """
    import gzip

    from smixup.app.runs.words import counted
    from smixup.app.tables.export import rows, to_csv, to_json_lines
    from smixup.errors import UsageError
    from smixup.files import write_whole

    kinds = [] if out is None else [each for each in out.suffixes[-2:] if each != ".gz"]
    if out is not None and kinds[-1:] not in ([".csv"], [".jsonl"]):
        raise UsageError(f"the name of {out} must end in .csv, .jsonl, .csv.gz or .jsonl.gz.")
    found = read(name, store, part, any_code, whole)
    what, predictions = (found.table, found.records), found.store.predictions()
    if kinds[-1:] == [".csv"]:
        runs = to_csv(*what, predictions)
    else:
        runs = to_json_lines(*what, found.store.curves(), predictions)
    if out is None:
        typer.echo(runs, nl=False)
        return
    zipped = out.suffix == ".gz"
    write_whole(out, gzip.compress(runs.encode(), mtime=0) if zipped else runs, "the runs")
    number = sum(1 for _ in rows(*what))
    all_of_it = found.table.scope == part.scope()
    told = "" if all_of_it else ", of the part that was run last; --whole writes all there are"
    typer.echo(f"{counted(number, 'run')} in {out}{told}.", err=True)


@app.command("import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(help="Store of another machine, or an export.", metavar="FILE"),
    ],
    store: StoreFile = DEFAULT_STORE,
    any_code: AnyCode = False,
) -> None:
    """Put the runs of other stores or exports into the store.

    Only runs of the same code and settings count, unless --any-code is given; nothing that is done
    here is overwritten, and of a file that cannot be read nothing is taken.
    """
    from smixup.app.runs.words import counted
    from smixup.app.sweeps.merging import merge
    from smixup.app.sweeps.store import Store

    merged = merge(Store(store), files, any_code)
    failed = sum(not run.done for run in merged.new.values())
    told = f" ({failed} of them failed)" if failed else ""
    typer.echo(
        f"{counted(len(merged.new), 'run')} imported into {store}{told}, {merged.known} known "
        f"already, {merged.foreign} left out: of other code or other settings than here."
    )
    for each in merged.contradictions:
        _print_contradiction(each)


def _print_contradiction(found: Contradiction) -> None:
    from smixup.app.runs.config import NAMING_FIELDS

    dataset, backbone, method, seed = (found.kept.config[name] for name in NAMING_FIELDS)
    score, here, there = found.score
    typer.echo(
        f"run {found.kept.id} ({dataset}, {backbone}, {method}, seed {seed}) has other scores in "
        f"{found.source}: {score} {there:.6g}, not {here:.6g}; what was there first is kept.",
        err=True,
    )


def _engine(
    name: str,
    workers: int,
    address: str | None,
    workspace: Path,
    asked: Mapping[str, str | float | None],
    memory: str | None,
) -> Engine:
    """Return an engine; what is asked of Slurm is refused for another one."""
    from smixup.app.sweeps.local import LocalEngine
    from smixup.app.sweeps.ray_engine import RayEngine
    from smixup.app.sweeps.slurm_engine import SlurmEngine
    from smixup.errors import UsageError, unknown_name
    from smixup.memory import parse_size

    if name not in ENGINES:
        raise unknown_name("engine", name, ENGINES)
    given: dict[str, Any] = {key: value for key, value in asked.items() if value is not None}
    if name == "slurm":
        size = None if memory is None else parse_size(memory) / 2**30
        return SlurmEngine(workspace / "slurm", workers, memory=size, **given)
    if given:
        options = ", ".join(f"--{'time' if key == 'minutes' else key}" for key in given)
        raise UsageError(f"{options} belongs to --engine slurm, not to {name}.")
    return LocalEngine(workers) if name == "local" else RayEngine(workers, address)


def _share_memory(memory: str | None, workers: int) -> None:
    """Leave every worker its part of the memory, in the environment, where it asks."""
    from smixup.memory import VARIABLE, budget, set_budget

    set_budget(memory)
    os.environ[VARIABLE] = str(budget() // workers)


def _print_survey(found: Survey, workers: int) -> None:
    from smixup.app.runs.words import duration
    from smixup.shown import sentence

    rows = []
    for line in (*found.lines, found.total):
        each = "?" if line.seconds is None else f"{line.seconds:,.1f}"
        numbers = (str(line.runs), str(line.done), str(line.failed), str(line.missing))
        rows.append((line.name, *numbers, each, duration(line.left, workers)))
    print_table(COLUMNS, rows)
    for error, number in found.errors.items():
        typer.echo(f"{number} failed: {sentence(error)}")
    if found.outdated:
        typer.echo(
            f"{found.outdated} runs in the store are of other versions of the code; --any-code "
            "counts them."
        )
