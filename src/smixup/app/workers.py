"""Runs in this process, in several, or on a Ray cluster."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
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


def run_jobs(
    jobs: Iterable[Job],
    workers: int = 1,
    *,
    cluster: str | None = None,
    root: Path | None = None,
    matchers: Path | None = None,
) -> Generator[Outcome, None, None]:
    """Do runs, and yield what came of each as soon as it is there.

    A job whose worker dies is run once more, alone; if its worker dies again, that is its outcome.
    Ctrl-C, SIGTERM and SIGHUP end all workers. Whoever leaves the loop early closes the iterator.

    Args:
        jobs: in the order in which they start; the next one is asked for when a worker is free, so
            that it may depend on the outcomes before.
        workers: processes of one torch thread each; 1 is this process.
        cluster: address of a Ray cluster, or `auto`, whose CPUs are the workers instead.
        root: the data root.
        matchers: a folder for fitted matchers and for the state of unfinished runs.
    """
    do = partial(execute, root=root, folder=matchers)
    with termination_as_interrupt():
        if workers > 1 or cluster:
            with closing(RayCluster(cluster, do) if cluster else Processes(workers, do)) as pool:
                yield from spread(jobs, pool)
            return
        threads = torch.get_num_threads()
        try:
            yield from map(do, jobs)
        finally:
            torch.set_num_threads(threads)


def spread(jobs: Iterable[Job], pool: Pool) -> Iterator[Outcome]:
    """Keep a pool busy, see `run_jobs`."""
    coming, running = iter(jobs), dict[Future[Outcome], Job]()
    while True:
        while len(running) < pool.capacity and (job := next(coming, None)) is not None:
            running[pool.submit(job)] = job
        if not running:
            return
        future = wait(running, return_when=FIRST_COMPLETED).done.pop()
        if not _died(future):
            yield _outcome(running.pop(future), future)
            continue
        interrupted, running = running, {}  # nobody knows which of them ended the worker
        for future, job in interrupted.items():
            yield _outcome(job, pool.submit(job) if _died(future) else future)


def _died(future: Future[Outcome]) -> bool:
    return isinstance(future.exception(), BrokenExecutor)


def _outcome(job: Job, future: Future[Outcome]) -> Outcome:
    """Wait for an outcome; the end of a worker is one, too."""
    if (error := future.exception()) is None:
        return future.result()
    why = "died twice, perhaps for want of memory." if _died(future) else f"failed: {error}"
    return Outcome(job.key, error=f"its worker {why}")


class Processes:
    """Processes on this machine, started as there are jobs for them, and anew when one has died."""

    def __init__(self, number: int, do: Do) -> None:
        self.capacity, self.do = number, do
        self.executor: ProcessPoolExecutor | None = None

    def submit(self, job: Job) -> Future[Outcome]:
        self.executor = self.executor or ProcessPoolExecutor(self.capacity, CONTEXT, _get_ready)
        try:
            with _ctrl_c_held_back():
                return self.executor.submit(self.do, job)
        except BrokenExecutor:
            self.close()
            return self.submit(job)

    def close(self) -> None:
        if self.executor is not None:
            for process in list((self.executor._processes or {}).values()):
                process.kill()  # public from Python 3.14 on: kill_workers
            self.executor.shutdown(cancel_futures=True)
            self.executor = None


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


class RayCluster:
    """One task per CPU of a Ray cluster that is running; Ray itself tries again if one dies."""

    def __init__(self, address: str, do: Do) -> None:
        self.ray: Any = import_optional("ray", "Ray", "cluster")
        self.own, self.tasks, self.do = not self.ray.is_initialized(), list[Any](), do
        if self.own:
            with termination_as_interrupt():  # Ray leaves a handler of SIGTERM that aborts
                _connect(self.ray, address)
        self.task = self.ray.remote(num_cpus=1, max_retries=1)(lambda job: do(job))

    @property
    def capacity(self) -> int:
        return max(int(self.ray.cluster_resources().get("CPU", 0)), 1)

    def submit(self, job: Job) -> Future[Outcome]:
        self.tasks.append(self.task.remote(job))
        future: Future[Outcome] = self.tasks[-1].future()
        return future

    def close(self) -> None:
        for task in self.tasks:
            self.ray.cancel(task, force=True)
        if self.own:
            self.ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    host, colon, port = address.rpartition("://")[2].partition(":")
    try:
        if colon:  # where nobody listens, Ray itself would try for minutes
            socket.create_connection((host, int(port)), timeout=5).close()
        ray.init(address, log_to_driver=False, logging_level="ERROR")
    except (OSError, RuntimeError, ValueError) as error:
        what = str(error).splitlines()[0].rstrip(".")
        raise SmixupError(
            f"no Ray cluster at {address}: {what}. `ray start --head` starts one."
        ) from error


Pool = Processes | RayCluster


def execute(job: Job, root: Path | None = None, folder: Path | None = None) -> Outcome:
    """Do a job in this process, on one thread; an error is an outcome, an interruption is none."""
    begun, result, error = time.perf_counter(), None, ""
    torch.set_num_threads(1)
    try:
        result = _run(job, root, folder)
    except Interrupted:
        raise
    except Exception as failure:
        what = "" if isinstance(failure, SmixupError) else f"unexpected {type(failure).__name__}: "
        error = f"{what}{failure}"
    return Outcome(job.key, result, error, round(time.perf_counter() - begun, 3))


def _run(job: Job, root: Path | None, folder: Path | None) -> RunResult:
    name, options = job.config.dataset, dict(job.config.dataset_options)
    data = key_of(configure(name, root=root, dataset_options=options), root)
    train = partial(train_on, _opened(name, json.dumps(options), root, data), job.config)
    if folder is None:
        return result_of(train())
    folder.mkdir(parents=True, exist_ok=True)
    state, left = folder / f"{job.key}.safetensors", list(folder.glob(f"{job.key}.*"))
    train = partial(train, checkpoint=state, wrap_matcher=partial(shared, folder=folder))
    try:
        trained = train(resume=bool(left))
    except Exception as error:
        if isinstance(error, Interrupted) or not left:
            raise
        for file in left:  # damaged, or of other data
            file.unlink(missing_ok=True)
        trained = train()
    for file in folder.glob(f"{job.key}.*"):
        file.unlink(missing_ok=True)
    return result_of(trained)


@lru_cache(maxsize=1)
def _opened(name: str, options: str, root: Path | None, digest: str) -> AnyDataset:
    """Keep the last dataset for the next run, which mostly has the same."""
    return open_or_load(name, root, **json.loads(options))


def shared(matcher: Matcher, folder: Path) -> Matcher:
    """Let a matcher be fitted by way of a folder, if it has anything to learn: once for the same
    settings, graphs and labels, by any of the processes that share the folder.
    """
    if isinstance(matcher, LearnedMatcher):
        vars(matcher)["fit"] = partial(_fit_once, matcher, folder)
    return matcher


def _fit_once(
    matcher: LearnedMatcher, folder: Path, train: AnyGraphs, report: Report = silent
) -> Matcher:
    graphs = as_graphs(train)
    about = f"{matcher!r}/{graphs.fingerprint()}/{smixup.__version__}"
    place = folder / sha256(about.encode()).hexdigest()[:24]
    with FileLock(f"{place}.lock"):  # who comes while another fits it waits
        try:
            vars(matcher).update(vars(load_matcher(place)))
        except SmixupError:
            type(matcher).fit(matcher, graphs, report)
            with suppress(SmixupError, OSError):  # then the next run fits it again
                save_matcher(matcher, place)
    return matcher
