"""Doing paired runs until every method is decided, or enough was run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain, product
from pathlib import Path

from smixup.app.compare.pairs import DECIDED, ENOUGH, OUT_OF_TIME, DataFacts, PairedRuns
from smixup.app.compare.settings import SMIXUP, VANILLA, Arm, CompareSettings
from smixup.app.store import Store, key_of
from smixup.app.workers import Job, Outcome, run_jobs
from smixup.errors import SmixupError, UsageError
from smixup.interrupt import Interrupted

Watch = Callable[[PairedRuns], None]
Places = dict[str, tuple[Arm, int]]
"""The arm and the seed of every run that may be asked for, by its key in the store."""


def run_pairs(
    settings: CompareSettings,
    file: Path,
    *,
    workers: int = 1,
    cluster: str | None = None,
    watch: Watch = lambda pairs: None,
    clock: Callable[[], float] = time.monotonic,
) -> PairedRuns:
    """Run Vanilla and the methods seed by seed; what the store holds is not run again.

    A method is run until it is decided by its score. If S-Mixup helps, its control follows on the
    seeds that S-Mixup has. Nothing is begun that would not fit into the budget, judged by the mean
    of the runs before; the first runs are begun anyway.
    """
    begun, facts = clock(), DataFacts.of(settings)
    settings = settings.fitting(facts.edge_features, facts.trained)
    pairs = PairedRuns(settings, facts, workers, lambda: clock() - begun)
    places, store = _places(pairs), Store(file)
    for key, run in store.fetch(places).items():
        arm, seed = places[key]
        pairs.runs.setdefault(arm.name, {})[seed] = Outcome(key, run.result, seconds=run.seconds)
    watch(pairs)
    try:
        for jobs in (_method_jobs(pairs, places), _control_jobs(pairs, places)):
            first = next(jobs, None)
            if first is None:  # no worker need be started
                continue
            outcomes = run_jobs(
                chain([first], jobs),
                workers,
                cluster=cluster,
                root=settings.root,
                matchers=workspace_of(file),
                started=lambda job: watch(pairs),
            )
            with closing(outcomes):
                for outcome in outcomes:
                    _take(pairs, store, outcome, *places[outcome.key])
                    watch(pairs)
    except (KeyboardInterrupt, Interrupted):  # in a run of this process it is told by that
        raise Interrupted(
            f"interrupted; finished runs are in {file}: repeat the command to go on."
        ) from None
    finally:
        store.close()
    pairs.stopped = pairs.stopped or (ENOUGH if pairs.open_methods() else DECIDED)
    return pairs


def workspace_of(file: Path) -> Path:
    """Return the folder beside a store for fitted matchers and the state of unfinished runs."""
    return file.with_name(f"{file.name}.workspace")


def _places(pairs: PairedRuns) -> Places:
    settings, places = pairs.settings, Places()
    for seed, arm in product(range(settings.seeds), pairs.arms):
        key = key_of(settings.config(arm, seed), settings.root)
        if key in places:
            other = places[key][0].name
            raise UsageError(f"{arm.name} and {other} are the same runs: leave out one of them.")
        places[key] = arm, seed
    return places


def _take(pairs: PairedRuns, store: Store, outcome: Outcome, arm: Arm, seed: int) -> None:
    """Keep a run that was done; a method that fails is run no more."""
    if outcome.result is not None:
        config = pairs.settings.config(arm, seed)
        store.keep(outcome.key, config, outcome.result, outcome.seconds)
        pairs.runs.setdefault(arm.name, {})[seed] = outcome
        return
    failed = pairs.failed
    failed.setdefault(arm.name, outcome.error)
    if VANILLA.name in failed or all(arm.name in failed for arm in pairs.methods):
        name, why = next(iter(failed.items()))
        raise SmixupError(f"{name} cannot be run on {pairs.facts.name}: {why}")


def _method_jobs(pairs: PairedRuns, places: Places) -> Iterator[Job]:
    """Yield what is to be run next, as it depends on what came of the runs before: at every seed
    Vanilla and the open methods; where all are decided, nothing.
    """
    keys = {(arm.name, seed): key for key, (arm, seed) in places.items()}
    for seed in range(pairs.settings.seeds):
        missing = [arm for arm in _open_arms(pairs) if seed not in pairs.done(arm)]
        if missing and not _fits(pairs, missing, pairs.workers):
            return
        for arm in missing:
            if arm in _open_arms(pairs):
                if not _fits(pairs, [arm]):
                    return
                yield Job(keys[arm.name, seed], pairs.settings.config(arm, seed))


def _open_arms(pairs: PairedRuns) -> list[Arm]:
    wanted = pairs.open_methods()
    return [VANILLA, *wanted] if wanted else []


def _control_jobs(pairs: PairedRuns, places: Places) -> Iterator[Job]:
    """Yield the runs of S-Mixup's control, if they are asked for; begun when the methods are done.

    The question has looks and a chance of error of its own. It is put where S-Mixup was found to
    help, so a wrong answer needs both: it is no more likely than if the control were always run.
    """
    if not pairs.open_methods():
        pairs.stopped = ""  # runs that were at work when time was short have decided all
    for key, (arm, seed) in places.items():
        if arm is pairs.control and seed in pairs.open_control():
            like_it = [each for each in pairs.methods if each.name == SMIXUP]
            if not _fits(pairs, [arm] if pairs.done(arm) else like_it):
                return
            yield Job(key, pairs.settings.config(arm, seed))


def _fits(pairs: PairedRuns, arms: Sequence[Arm], workers: int = 1) -> bool:
    """Whether the next runs would be done within the budget, as far as anything is known; if not,
    that is why the comparison stops.
    """
    if pairs.settings.budget is None:
        return True
    left = pairs.settings.budget - pairs.spent
    seconds = sum(pairs.expected(arm) or 0.0 for arm in arms)
    fits = left > 0 and left >= seconds / max(1, min(workers, len(arms)))
    pairs.stopped = pairs.stopped if fits else OUT_OF_TIME
    return fits
