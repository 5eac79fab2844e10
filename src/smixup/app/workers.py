"""Runs in this process, in several, or on a Ray cluster."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from itertools import islice
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock

import smixup
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.data import AnyDataset
from smixup.app.runs.run import RunResult, result_of, train_on
from smixup.app.store import key_of
from smixup.datasets.catalogue import open_or_load
from smixup.errors import Interrupted, SmixupError, import_optional, plainly
from smixup.graphs import AnyGraphs, as_graphs
from smixup.matching import LearnedMatcher, Matcher
from smixup.matching.storage import load_matcher, save_matcher
from smixup.progress import Report, silent, termination_as_interrupt

CONTEXT = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Job:
    """A run to do, under its name in the store."""

    key: str
    config: RunConfig


@dataclass(frozen=True)
class Outcome:
    """A result, or why there is none; seconds include reading data and fitting a matcher."""

    key: str
    result: RunResult | None = None
    error: str = ""
    seconds: float = 0.0


Do = Callable[[Job], Outcome]
Submit = Callable[[Do, Job], Future[Outcome]]


def run_jobs(
    jobs: Iterable[Job],
    workers: int = 1,
    *,
    cluster: str | None = None,
    root: Path | None = None,
    matchers: Path | None = None,
) -> Generator[Outcome, None, None]:
    """Do runs, and yield what came of each as soon as it is there.

    Ctrl-C, SIGTERM and SIGHUP end all workers. Whoever leaves the loop early closes the iterator.

    Args:
        jobs: in the order in which they start; the next one is asked for when a worker is free, so
            that it may depend on the outcomes before.
        workers: processes of one torch thread each; 1 is this process.
        cluster: address of a Ray cluster, or `auto`, whose CPUs are the workers instead.
        root: the data root.
        matchers: a folder for fitted matchers, so that each is fitted once.
    """
    do = partial(execute, root=root, matchers=matchers)
    with termination_as_interrupt():
        if workers > 1 or cluster:
            with ray_cluster(cluster) if cluster else processes(workers) as pool:
                yield from spread(do, jobs, *pool)
            return
        threads = torch.get_num_threads()
        try:
            yield from map(do, jobs)
        finally:
            torch.set_num_threads(threads)


def spread(do: Do, jobs: Iterable[Job], submit: Submit, capacity: int) -> Iterator[Outcome]:
    """Keep a pool of workers busy, see `run_jobs`."""
    coming, running = iter(jobs), set[Future[Outcome]]()
    while True:
        running |= {submit(do, job) for job in islice(coming, capacity - len(running))}
        if not running:
            return
        future = wait(running, return_when=FIRST_COMPLETED).done.pop()
        running.remove(future)
        try:
            outcome = future.result()
        except BrokenExecutor as error:
            raise SmixupError(
                "a worker has died, perhaps for want of memory: `--workers 1` needs less."
            ) from error
        yield outcome


@contextmanager
def processes(number: int) -> Iterator[tuple[Submit, int]]:
    """Give processes on this machine, which start as there are jobs for them."""
    executor = ProcessPoolExecutor(number, CONTEXT, _get_ready)

    def submit(do: Do, job: Job) -> Future[Outcome]:
        with _ctrl_c_held_back():
            return executor.submit(do, job)

    try:
        yield submit, number
    finally:
        for process in list((executor._processes or {}).values()):
            process.kill()  # public from Python 3.14 on: kill_workers
        executor.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Let processes that start here be deaf to Ctrl-C: who started them ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    ensure_running()  # started along with the first worker, it would let Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _get_ready() -> None:
    """Let a worker end with its driver."""
    driver: Any = multiprocessing.parent_process()
    threading.Thread(target=lambda: (driver.join(), os._exit(1)), daemon=True).start()
    warnings.formatwarning = plainly


@contextmanager
def ray_cluster(address: str) -> Iterator[tuple[Submit, int]]:
    """Give the CPUs of a Ray cluster that is running; Ray itself tries again if a worker dies."""
    ray: Any = import_optional("ray", "Ray", "cluster")
    own, tasks = not ray.is_initialized(), list[Any]()
    if own:
        try:
            with termination_as_interrupt():  # Ray leaves a handler of SIGTERM that aborts
                ray.init(address, log_to_driver=False, logging_level="ERROR")
        except (OSError, RuntimeError, ValueError) as error:
            what = str(error).splitlines()[0].rstrip(".")
            raise SmixupError(
                f"no Ray cluster at {address}: {what}. `ray start --head` starts one."
            ) from error
    task = ray.remote(num_cpus=1, max_retries=1)(lambda do, job: do(job))

    def submit(do: Do, job: Job) -> Future[Outcome]:
        tasks.append(task.remote(do, job))
        future: Future[Outcome] = tasks[-1].future()
        return future

    try:
        yield submit, max(int(ray.cluster_resources().get("CPU", 0)), 1)
    finally:
        for each in tasks:
            ray.cancel(each, force=True)
        if own:
            ray.shutdown()


def execute(job: Job, root: Path | None = None, matchers: Path | None = None) -> Outcome:
    """Do a job in this process, on one thread; an error is an outcome, an interruption is none."""
    begun, result, error = time.perf_counter(), None, ""
    torch.set_num_threads(1)
    try:
        name, options = job.config.dataset, dict(job.config.dataset_options)
        data = key_of(configure(name, root=root, dataset_options=options), root)
        dataset = _opened(name, json.dumps(options), root, data)
        result = result_of(train_on(dataset, job.config, wrap_matcher=partial(shared, matchers)))
    except Interrupted:
        raise
    except Exception as failure:
        what = "" if isinstance(failure, SmixupError) else f"unexpected {type(failure).__name__}: "
        error = f"{what}{failure}"
    return Outcome(job.key, result, error, round(time.perf_counter() - begun, 3))


@lru_cache(maxsize=1)
def _opened(name: str, options: str, root: Path | None, digest: str) -> AnyDataset:
    """Keep the last dataset for the next run, which mostly has the same."""
    return open_or_load(name, root, **json.loads(options))


def shared(folder: Path | None, matcher: Matcher) -> Matcher:
    """Let a matcher be fitted by way of a folder, if it has anything to learn: once for the same
    settings, graphs and labels, by any of the processes that share the folder.
    """
    if folder is not None and isinstance(matcher, LearnedMatcher):
        vars(matcher)["fit"] = partial(_fit_once, matcher, folder)
    return matcher


def _fit_once(
    matcher: LearnedMatcher, folder: Path, train: AnyGraphs, report: Report = silent
) -> Matcher:
    graphs = as_graphs(train)
    about = f"{matcher!r}/{graphs.fingerprint()}/{smixup.__version__}"
    place = folder / sha256(about.encode()).hexdigest()[:24]
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{place}.lock"):  # who comes while another fits it waits
        try:
            vars(matcher).update(vars(load_matcher(place)))
        except SmixupError:
            type(matcher).fit(matcher, graphs, report)
            with suppress(SmixupError, OSError):  # then the next run fits it again
                save_matcher(matcher, place)
    return matcher
