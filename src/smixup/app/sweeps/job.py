"""One run as a worker sees it: what to compute, and what came of it. Both are plain data that any
process can read.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from smixup.app.runs.config import RunConfig
from smixup.app.runs.run import RunResult
from smixup.app.sweeps.identity import matcher_version, run_id
from smixup.app.sweeps.kept_open import run
from smixup.app.sweeps.matcher_cache import MatcherCache
from smixup.datasets.fingerprint import data_fingerprint
from smixup.errors import SmixupError
from smixup.files import require_writable
from smixup.training import Interrupted


@dataclass(frozen=True)
class Job:
    """A run to do.

    Attributes:
        id: its identity in the store.
        config: the fields of a `RunConfig`.
        root: the data root.
        workspace: a folder for fitted matchers and for the state of unfinished runs; None keeps
            neither.
    """

    id: str
    config: Mapping[str, Any]
    root: Path | None = None
    workspace: Path | None = None

    @classmethod
    def of(cls, config: RunConfig, root: Path | None = None, workspace: Path | None = None) -> Job:
        """Make the job of a configuration."""
        return cls(run_id(config), config.to_dict(), root, workspace)


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Attributes:
        id: of the job.
        result: None if the run failed.
        error: why it failed, in one line.
        seconds: from start to end, loading and fitting included.
        host: the machine's name.
        data: fingerprint of the data that was read.
    """

    id: str
    result: RunResult | None = None
    error: str | None = None
    seconds: float = 0.0
    host: str = ""
    data: str = ""


def warm_up() -> None:
    """Import what every run imports late, so that no run is charged for it."""
    import_module("torchmetrics.functional.classification")


def execute(job: Job) -> Outcome:
    """Do a job in this process, on one thread; an error is an outcome too, but for being told to
    stop.
    """
    started = time.perf_counter()
    result, error = None, None
    try:
        result = _run(job)
    except Interrupted:
        raise
    except SmixupError as failure:
        error = str(failure)
    except Exception as failure:
        error = f"unexpected {type(failure).__name__}: {failure}"
    seconds = round(time.perf_counter() - started, 3)
    data = data_fingerprint(str(job.config["dataset"]), job.root)
    return Outcome(job.id, result, error, seconds, socket.gethostname(), data)


def _run(job: Job) -> RunResult:
    import torch

    torch.set_num_threads(1)
    config = RunConfig(**job.config)
    if job.workspace is None:
        return run(config, job.root)
    matchers = MatcherCache(job.workspace / "matchers", matcher_version(config))
    unfinished = job.workspace / "unfinished" / f"{job.id}.safetensors"
    start = partial(run, config, job.root, wrap_matcher=matchers.wrap)
    try:
        require_writable(unfinished, "the state of the run")
    except SmixupError:  # a run needs no workspace, it only goes on faster with one
        return start()
    # its own state, or that of what came before
    kept = list(unfinished.parent.glob(f"{job.id}.*"))
    result = _resumed(start, unfinished) if kept else start(checkpoint=unfinished, resume=False)
    _remove(unfinished)
    return result


def _resumed(start: Callable[..., RunResult], unfinished: Path) -> RunResult:
    """Go on from what was kept of a run; if that is damaged, or of other data, begin again."""
    try:
        return start(checkpoint=unfinished, resume=True)
    except Interrupted:
        raise
    except Exception:  # whatever else is wrong is wrong the second time, too
        for file in unfinished.parent.glob(f"{unfinished.stem}.*"):
            _remove(file)
        return start(checkpoint=unfinished, resume=False)


def _remove(file: Path) -> None:
    with suppress(OSError):  # the result counts
        file.unlink(missing_ok=True)
