"""Doing paired runs, one after the other, until every method is decided, or enough was run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import product

from smixup.app.studies.compare_settings import SMIXUP, VANILLA, CompareSettings
from smixup.app.studies.paired_runs import (
    DECIDED,
    ENOUGH,
    OUT_OF_TIME,
    DataFacts,
    KeptRun,
    PairedRuns,
)
from smixup.app.sweeps.engine import Engine, outcomes
from smixup.app.sweeps.identity import run_id
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.tables.arm import Arm
from smixup.datasets.fingerprint import data_fingerprint
from smixup.errors import SmixupError, UsageError
from smixup.interrupt import Interrupted, termination_as_interrupt

Watch = Callable[[PairedRuns], None]


def run_pairs(
    settings: CompareSettings,
    store: Store,
    engine: Engine,
    workers: int = 1,
    watch: Watch = lambda pairs: None,
    clock: Callable[[], float] = time.monotonic,
) -> PairedRuns:
    """Run Vanilla and the methods seed by seed; what the store holds is not run again.

    A method is run until it is decided by its score. If S-Mixup helps, its control follows on the
    seeds that S-Mixup has. Nothing is begun that would not fit into the budget, judged by the mean
    of the runs before; the first runs are begun anyway.

    Args:
        settings: what to compare.
        store: keeps every run as soon as it is done.
        engine: does the runs.
        workers: how many it does at once.
        watch: told of every change.
        clock: seconds.
    """
    begun = clock()
    facts = DataFacts.of(settings)
    settings = settings.with_backbone(facts.edge_features).with_epochs(facts.train_graphs)
    found = PairedRuns(settings, facts, workers=workers)
    places = _places(found)
    with store.writing() as writer:
        name = settings.config(VANILLA, 0).dataset
        writer.use({name: data_fingerprint(name, settings.root)})
    _remember(found, store, places)
    watch(found)

    def left() -> float | None:
        found.spent = clock() - begun
        return None if settings.budget is None else settings.budget - found.spent

    def started(job: Job) -> None:
        found.running += 1
        watch(found)

    with store.writing() as writer, termination_as_interrupt():
        try:
            for jobs in (_jobs(found, store, workers, left), _control_jobs(found, store, left)):
                first = next(jobs, None)
                with engine if first is not None else nullcontext():
                    for outcome in outcomes(engine, _with(first, jobs), started):
                        arm, seed = places[outcome.id]
                        job = Job(outcome.id, settings.config(arm, seed).to_dict())
                        writer.keep(job, outcome)
                        found.running -= 1
                        _take(found, arm, seed, outcome)
                        left()
                        watch(found)
        except (KeyboardInterrupt, Interrupted):  # in a run of this process it is told by that
            raise Interrupted(
                f"interrupted; finished runs are in {store.path}: repeat the command to go on."
            ) from None
    if not (found.stopped or found.open_methods()):
        found.stopped = DECIDED
    found.stopped = found.stopped or ENOUGH
    return found


def _with(first: Job | None, others: Iterator[Job]) -> Iterator[Job]:
    if first is not None:
        yield first
        yield from others


def _places(found: PairedRuns) -> dict[str, tuple[Arm, int]]:
    """Return which run has which identity."""
    places: dict[str, tuple[Arm, int]] = {}
    for seed, arm in product(range(found.settings.seeds), found.arms):
        id = run_id(found.settings.config(arm, seed))
        if id in places:
            other, name = places[id][0].name, arm.name
            raise UsageError(f"{name} and {other} are the same runs: leave out one of them.")
        places[id] = arm, seed
    return places


def _remember(found: PairedRuns, store: Store, places: Mapping[str, tuple[Arm, int]]) -> None:
    """Take what the store has of these runs, with curves and predictions."""
    known = {id: each for id, each in store.records().items() if id in places}
    curves, predictions = (store.curves(), store.predictions()) if known else ({}, {})
    for id, record in known.items():
        arm, seed = places[id]
        if record.result is not None:
            drawn, said = curves.get(id, {}), predictions.get(id, b"")
            result = replace(record.result, curves=drawn, predictions=said)
            found.runs.setdefault(arm.name, {})[seed] = KeptRun(result, record.seconds)


def _take(found: PairedRuns, arm: Arm, seed: int, outcome: Outcome) -> None:
    if outcome.result is not None:
        kept = KeptRun(outcome.result, outcome.seconds)
        found.runs.setdefault(arm.name, {})[seed] = kept
        return
    reason = str(outcome.error)
    found.failed.setdefault(arm.name, reason)
    methods = {arm.name for arm in found.methods}
    if VANILLA.name in found.failed or methods <= found.failed.keys():
        name, why = next(iter(found.failed.items()))
        raise SmixupError(f"{name} cannot be run on {found.facts.name}: {why}")


def _jobs(
    found: PairedRuns, store: Store, workers: int, left: Callable[[], float | None]
) -> Iterator[Job]:
    """Yield what is to be run next, as it depends on what came of the runs before."""
    settings = found.settings
    for seed in range(settings.seeds):
        missing = _missing(found, seed)
        if not missing:
            continue
        if not _fits(found, missing, workers, left()):
            found.stopped = OUT_OF_TIME
            return
        for arm in missing:
            wanted = found.open_methods()
            if not wanted:
                break
            if arm is not VANILLA and arm not in wanted:
                continue
            if not _fits(found, [arm], 1, left()):
                found.stopped = OUT_OF_TIME
                return
            yield Job.of(settings.config(arm, seed), settings.root, store.workspace)


def _control_jobs(
    found: PairedRuns, store: Store, left: Callable[[], float | None]
) -> Iterator[Job]:
    """Yield the runs of S-Mixup's control, if they are asked for; begun when the methods are done.

    The question has looks and a chance of error of its own. It is put where S-Mixup was found to
    help, so a wrong answer needs both: it is no more likely than if the control were always run.
    """
    if not found.open_methods():
        found.stopped = ""  # runs that were at work when time was short have decided all
    given, like_it = set[int](), [arm for arm in found.methods if arm.name == SMIXUP]
    while control := found.control:
        seed = next((each for each in found.open_control() if each not in given), None)
        if seed is None:
            return
        if not _fits(found, like_it if found.expected(control) is None else [control], 1, left()):
            found.stopped = OUT_OF_TIME
            return
        given.add(seed)
        config = found.settings.config(control, seed)
        yield Job.of(config, found.settings.root, store.workspace)


def _missing(found: PairedRuns, seed: int) -> list[Arm]:
    """Return Vanilla and the open methods at a seed, without those that are done; a method that is
    done everywhere asks for no Vanilla.
    """
    wanted = found.open_methods()
    arms = [VANILLA, *wanted] if wanted else []
    return [arm for arm in arms if seed not in found.runs.get(arm.name, {})]


def _fits(found: PairedRuns, arms: Sequence[Arm], workers: int, left: float | None) -> bool:
    if left is None:
        return True
    known = [found.expected(arm) for arm in arms]
    seconds = sum(each for each in known if each is not None)
    return left >= seconds / max(1, min(workers, len(arms))) and left > 0
