"""Jobs are done once, in any number of processes, whoever dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch

from smixup.app import workers
from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.store import Store, key_of
from smixup.app.workers import Job, Outcome, run_jobs, shared, spread
from smixup.errors import Interrupted, SmixupError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Matcher, Uniform

TINY = {"epochs": 2, "num_layers": 1, "hidden_channels": 4, "dataset_options": {"num_graphs": 40}}
MATCHER = {"matcher.num_layers": 1, "matcher.hidden_channels": 4, "matcher.max_steps": 2}


def job(seed: int = 0, method: str = "vanilla", **changes: Any) -> Job:
    settings = MATCHER if method == "s-mixup" else {}
    config = configure("MOTIF", "gin", method, seed, method_settings=settings, **(TINY | changes))
    return Job(key_of(config), config)


def nowhere() -> Job:
    return Job("x", configure("./nowhere", epochs=1))


def numbers(result: RunResult | None) -> str:
    assert result is not None
    return repr(
        {name: each for name, each in vars(result).items() if name not in ("seconds", "versions")}
    )


def at_once(do: workers.Do, job: Job) -> Future[Outcome]:
    future = Future[Outcome]()
    future.set_result(do(job))
    return future


def test_the_next_job_is_asked_for_when_a_worker_is_free() -> None:
    """So that it may depend on the outcomes before."""
    known, asked = list[str](), list[int]()

    def jobs() -> Iterator[Job]:
        for seed in range(5):
            asked.append(len(known))
            yield job(seed)

    for outcome in spread(lambda job: Outcome(job.key), jobs(), at_once, 2):
        known.append(outcome.key)
    assert asked == [0, 0, 1, 2, 3]
    assert len(known) == 5


def test_a_worker_that_dies_is_told_of() -> None:
    def dead(do: workers.Do, job: Job) -> Future[Outcome]:
        future = Future[Outcome]()
        future.set_exception(BrokenProcessPool())
        return future

    with pytest.raises(SmixupError, match=r"a worker has died.*--workers 1"):
        list(spread(Mock(), [job()], dead, 2))


def test_in_this_process(tmp_path: Path) -> None:
    torch.set_num_threads(2)
    jobs = [job(), nowhere(), job(2)]
    with closing(run_jobs(jobs, root=tmp_path)) as outcomes:
        first, failed = (next(outcomes) for _ in range(2))
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)
    assert first.key == jobs[0].key and first.result is not None
    assert first.result.versions["threads"] == 1
    assert failed.result is None and failed.error.startswith("unknown dataset './nowhere'")
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        for _ in run_jobs([job(), job(1)]):
            os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == before


def test_an_error_is_an_outcome_and_an_interruption_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "train_on", Mock(side_effect=ZeroDivisionError("by zero")))
    (outcome,) = run_jobs([job()])
    assert outcome.error == "unexpected ZeroDivisionError: by zero"
    monkeypatch.setattr(workers, "train_on", Mock(side_effect=Interrupted("stop")))
    with pytest.raises(Interrupted):
        list(run_jobs([job()]))


def test_a_matcher_is_fitted_once_for_equal_graphs(graphs: Graphs, tmp_path: Path) -> None:
    def fitted(data: Graphs = graphs, **changes: Any) -> Matcher:
        matcher = GraphMatcher(num_layers=1, hidden_channels=4, max_steps=2, **changes)
        return shared(tmp_path, matcher).fit(data)

    first, again, pair = fitted(), fitted(), (graphs[[0]], graphs[[3]])
    assert first.fitted and again.fitted
    assert torch.equal(first(*pair).to_dense(), again(*pair).to_dense())
    assert len(list(tmp_path.glob("*/matcher.json"))) == 1
    fitted(seed=1)
    fitted(graphs.replace(y=graphs.y.flip(1)))
    weights = list(tmp_path.glob("*/matcher.safetensors"))
    assert len(weights) == 3, "settings and labels count"
    for file in weights:
        file.write_bytes(b"half a file")
    fitted()
    assert sum(len(file.read_bytes()) > 100 for file in weights) == 1, "it is made whole"
    uniform = Uniform()
    assert shared(tmp_path, uniform) is uniform


@pytest.mark.nightly
def test_several_processes_give_the_same_numbers(tmp_path: Path) -> None:
    jobs = [job(0, "s-mixup"), job(1), job(2, "s-mixup"), nowhere()]
    here = {each.key: each for each in run_jobs(jobs, root=tmp_path)}
    there = {each.key: each for each in run_jobs(jobs, 2, root=tmp_path, matchers=tmp_path / "m")}
    assert here["x"].error == there["x"].error
    for each in jobs[:3]:
        assert numbers(here[each.key].result) == numbers(there[each.key].result)
    assert len(list((tmp_path / "m").glob("*/matcher.json"))) == 2


SCRIPT = """
import multiprocessing, os, signal, sys, time
from pathlib import Path
from smixup.app import workers
from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult
from smixup.app.store import Store, key_of
from smixup.app.workers import Job, Outcome, run_jobs

folder, number = Path(sys.argv[1]), 30
RESULT = RunResult("accuracy", test=.5, validation=.5, best_epoch=1, epochs=1, seconds=.01,
                   test_loss=1., calibration_error=.1, versions={})

def short(job, **options):
    with (folder / "executed").open("a") as log:
        log.write(f"{os.getpid()} {job.key}\\n")
    time.sleep(0.02)
    return Outcome(job.key, RESULT)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    workers.execute = short
    workers.CONTEXT = multiprocessing.get_context("forkserver")
    multiprocessing.set_forkserver_preload(["smixup.app.workers"])
    store = Store(folder / "runs.db")
    configs = {key_of(each): each for each in (configure("MOTIF", seed=k) for k in range(number))}
    done = store.fetch(configs)
    jobs = [Job(key, each) for key, each in configs.items() if key not in done]
    try:
        for outcome in run_jobs(jobs, 2):
            assert not outcome.error, outcome
            store.keep(outcome.key, configs[outcome.key], outcome.result, outcome.seconds)
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_killed_at_any_moment_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    """Drivers die by SIGKILL and Ctrl-C; the same call goes on."""
    script, log = tmp_path / "driver.py", tmp_path / "executed"
    script.write_text(SCRIPT)
    command, done = [sys.executable, str(script), str(tmp_path)], dict[str, Any]()
    for end in (signal.SIGKILL, signal.SIGINT, signal.SIGKILL, None):
        before = log.read_text().count("\n") if log.exists() else 0
        driver = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        while end and driver.poll() is None:
            if log.exists() and log.read_text().count("\n") > before + 3:
                # Ctrl-C reaches all processes of a terminal
                (os.killpg if end == signal.SIGINT else os.kill)(driver.pid, end)
                break
            time.sleep(0.01)
        _, errors = driver.communicate()
        assert driver.returncode == {signal.SIGKILL: -9, signal.SIGINT: 130, None: 0}[end], errors
        assert end == signal.SIGKILL or errors == "", "quietly"
        runs = log.read_text().splitlines()
        again = {line.split()[1] for line in runs[before:]}
        assert not again & done.keys(), "what was kept is not done again"
        done = Store(tmp_path / "runs.db").fetch()
        alive = {int(line.split()[0]) for line in runs}
        while alive:  # workers end with their driver
            alive = {pid for pid in alive if Path(f"/proc/{pid}").exists()}
    assert len(done) == 30


RAY = """
import json, sys
import ray
from smixup.app.runs.config import RunConfig
from smixup.app.workers import Job, run_jobs

if __name__ == "__main__":
    ray.init(num_cpus=2, _node_ip_address="127.0.0.1", include_dashboard=False)
    jobs = [Job(key, RunConfig(**each)) for key, each in json.loads(sys.argv[1]).items()]
    for outcome in run_jobs(jobs, cluster="auto"):
        print(json.dumps([outcome.key, outcome.error, outcome.result and outcome.result.curves]))
    ray.shutdown()
"""


@pytest.mark.nightly
@pytest.mark.ray
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra cluster")
def test_ray_gives_the_same_numbers(tmp_path: Path) -> None:
    jobs = [job(0, "s-mixup"), job(1), nowhere()]
    script = tmp_path / "by_ray.py"
    script.write_text(RAY)
    configs = json.dumps({each.key: each.config.to_dict() for each in jobs})
    command = [sys.executable, str(script), configs]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    there = {key: (error, curves) for key, error, curves in lines}
    for outcome in run_jobs(jobs):
        curves = outcome.result and outcome.result.curves
        assert there[outcome.key] == (outcome.error, curves)
