"""The one process that writes: it asks what is missing, has it computed, and keeps every run as
soon as it is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from smixup.app.runs.config import RunConfig
from smixup.app.sweeps.engine import Engine, outcomes
from smixup.app.sweeps.identity import run_id
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.record import Record
from smixup.app.sweeps.store import Store, Writer
from smixup.app.sweeps.time_left import RunKind, TimeEstimate
from smixup.datasets.fingerprint import data_fingerprint
from smixup.interrupt import Interrupted, termination_as_interrupt


@dataclass
class SweepStatus:
    """Where a sweep stands.

    Attributes:
        total: runs in all.
        done: those with scores, from before and from now.
        running: jobs now at work, by identity.
        failed: outcomes without scores.
        seconds_left: as far as runs of the same kind tell; None while nothing is known.
        watch: told of every change.
    """

    total: int
    done: int = 0
    running: dict[str, Job] = field(default_factory=dict)
    failed: list[Outcome] = field(default_factory=list)
    seconds_left: float | None = None
    watch: Callable[[SweepStatus], None] = lambda status: None

    def start(self, job: Job) -> None:
        """Note that a job is at work, perhaps once more."""
        self.running[job.id] = job
        self.watch(self)

    def end(self, outcome: Outcome) -> None:
        """Note what came of a job."""
        self.running.pop(outcome.id)
        if outcome.error is None:
            self.done += 1
        else:
            self.failed.append(outcome)
        self.watch(self)


def unique(configs: Sequence[RunConfig]) -> dict[str, RunConfig]:
    """Return configurations by identity, each once."""
    return {run_id(config): config for config in configs}


def missing(runs: Mapping[str, RunConfig], records: Mapping[str, Record]) -> dict[str, RunConfig]:
    """Return the configurations, by identity, without a finished run; those that failed before are
    among them.
    """
    return {id: each for id, each in runs.items() if id not in records or not records[id].done}


def sweep(
    configs: Sequence[RunConfig],
    store: Store,
    engine: Engine,
    root: Path | None = None,
    watch: Callable[[SweepStatus], None] = lambda status: None,
    part: tuple[str, Mapping[str, Any]] | None = None,
    any_code: bool = False,
) -> SweepStatus:
    """Do every run that the store does not hold yet.

    Runs on other data than is under the root now do not count as done; they stay in the store.
    Ctrl-C, SIGTERM and SIGHUP end it in order, SIGKILL at once; in each case the store keeps every
    run that was done, and the next call goes on from there.

    Args:
        configs: the runs.
        store: where they are kept.
        engine: does them.
        root: the data root.
        watch: told of every change.
        part: the experiment and the scope that the runs are, for the store to remember.
        any_code: count runs of other versions of the code as done.
    """
    with store.writing() as writer, termination_as_interrupt():
        if part is not None:
            writer.remember(*part)
        names = {config.dataset for config in configs}
        writer.use({name: data_fingerprint(name, root) for name in names})
        records, runs = store.finished(any_code), unique(configs)
        left = missing(runs, records)
        jobs = [Job(id, config.to_dict(), root, store.workspace) for id, config in left.items()]
        total = len(runs)
        status = SweepStatus(total, total - len(jobs), watch=watch)
        try:
            _drive(jobs, writer, engine, status, TimeEstimate(records))
        except KeyboardInterrupt:
            raise Interrupted(
                f"interrupted; {status.done} of {total} runs are in {store.path}: repeat the "
                "command to go on."
            ) from None
    return status


def _drive(
    jobs: Sequence[Job], writer: Writer, engine: Engine, status: SweepStatus, times: TimeEstimate
) -> None:
    if not jobs:
        return
    by_id, left = {job.id: job for job in jobs}, Counter(RunKind.of(job.config) for job in jobs)
    with engine:
        status.seconds_left = times.left(left, engine.capacity())
        for outcome in outcomes(engine, jobs, status.start):
            job = by_id[outcome.id]
            kind = RunKind.of(job.config)
            writer.keep(job, outcome)
            left[kind] -= 1
            if outcome.result is not None:
                times.add(kind, outcome.seconds, outcome.result.seconds)
            status.seconds_left = times.left(left, engine.capacity())
            status.end(outcome)
