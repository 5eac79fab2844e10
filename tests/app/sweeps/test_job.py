"""A job is a run with its bookkeeping; an error is an outcome."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from smixup.app.runs.config import configure
from smixup.app.runs.run import RunResult, run
from smixup.app.sweeps import job as module
from smixup.app.sweeps.job import Job, execute
from smixup.checkpoint import CheckpointFile
from smixup.progress import Progress
from smixup.training import Interrupted

SMALL = {"epochs": 2, "dataset_options": {"num_graphs": 40}}


def test_the_result_is_that_of_the_run(tmp_path: Path) -> None:
    config = configure("MOTIF", "gin", "drop-edge", 3, **SMALL)
    outcome = execute(Job.of(config, workspace=tmp_path))
    expected = run(config)
    assert outcome.error is None
    assert outcome.result is not None
    assert outcome.result.curves == expected.curves
    assert outcome.result.test == expected.test
    assert outcome.seconds >= outcome.result.seconds
    assert not list((tmp_path / "unfinished").glob("*"))


def test_matchers_are_fitted_once_per_split(tmp_path: Path) -> None:
    settings = {"matcher.max_steps": 1, "matcher.hidden_channels": 4, "matcher.num_layers": 1}
    for backbone, alpha, seed in (("gin", 0.2, 0), ("gcn", 1.0, 0), ("gin", 0.2, 1)):
        changes = {"method_settings": settings | {"alpha": alpha}, **SMALL}
        config = configure("MOTIF", backbone, "s-mixup", seed, **changes)
        cached = execute(Job.of(config, workspace=tmp_path))
        assert cached.result is not None, cached.error
        assert cached.result.curves == run(config).curves, (
            "a matcher from the cache is the matcher itself"
        )
    assert len(list((tmp_path / "matchers").glob("*/matcher.json"))) == 2


@pytest.mark.parametrize(
    ("dataset", "words"),
    [("NOSUCH", "NOSUCH"), ("MOTIF", "unexpected ZeroDivisionError: division by zero")],
)
def test_an_error_is_an_outcome(
    dataset: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if dataset == "MOTIF":
        monkeypatch.setattr(module, "run", lambda *args, **options: 1 / 0)
    outcome = execute(Job.of(configure(dataset, **SMALL), root=tmp_path, workspace=tmp_path))
    assert outcome.result is None
    assert outcome.error is not None
    assert words in outcome.error


def test_an_unfinished_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept of a run that was stopped is used: the epochs before are not repeated."""
    config = configure("MOTIF", "gin", "vanilla", **SMALL)
    job = Job.of(config, workspace=tmp_path)
    seen: dict[str, object] = {}

    def pretended(*arguments: object, **options: object) -> object:
        seen.update(options)
        return type("Result", (), {})()

    file = tmp_path / "unfinished" / f"{job.id}.safetensors"
    file.parent.mkdir()
    file.write_bytes(b"kept")
    monkeypatch.setattr(module, "run", pretended)
    execute(job)
    assert seen["checkpoint"] == file
    assert seen["resume"] is True
    assert not file.exists()


def test_a_run_that_was_stopped_among_its_teachers_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One epoch of the teacher is kept; three are left, of which the run trains its own two."""
    config = configure("MOTIF", "gin", "vanilla", teachers=1, **SMALL)
    job = Job.of(config, workspace=tmp_path)
    file = tmp_path / "unfinished" / f"{job.id}.safetensors"

    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        run(config, report=stop, checkpoint=file)
    assert [path.name for path in file.parent.iterdir()] == [f"{job.id}.teacher-0.safetensors"]
    seen: list[str] = []

    def watched(*args: Any, **options: Any) -> RunResult:
        return run(*args, **options, report=lambda progress: seen.append(progress.stage))

    monkeypatch.setattr(module, "run", watched)
    outcome = execute(job)
    assert outcome.result is not None, outcome.error
    assert outcome.result.curves == run(config).curves
    assert len(seen) <= 4
    assert not list(file.parent.glob("*"))


def state_of(job: Job, workspace: Path, name: str = "") -> Path:
    file = workspace / "unfinished" / f"{job.id}{name}.safetensors"
    file.parent.mkdir(exist_ok=True)
    return file


@pytest.mark.parametrize("content", [b"", b"noise" * 50, None])
def test_a_damaged_state_is_dropped_and_the_run_begins_again(
    content: bytes | None, tmp_path: Path
) -> None:
    """A rename that the disk had not heard of leaves such a file after a power cut."""
    config = configure("MOTIF", "gin", "vanilla", teachers=1, **SMALL)
    job = Job.of(config, workspace=tmp_path)
    for name in ("", ".teacher-0"):
        file = state_of(job, tmp_path, name)
        if content is None:
            CheckpointFile(file, "of another run").write({}, {"curves": {}})
        else:
            file.write_bytes(content)
    outcome = execute(job)
    assert outcome.error is None
    assert outcome.result is not None
    assert outcome.result.curves == run(config).curves
    assert not list(file.parent.glob("*"))


@pytest.mark.filterwarnings("ignore:the matcher is not kept")
def test_a_workspace_that_fails_loses_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"matcher.max_steps": 1, "matcher.hidden_channels": 4, "matcher.num_layers": 1}
    config = configure("MOTIF", "gin", "s-mixup", method_settings=settings, **SMALL)
    expected = run(config).curves
    (tmp_path / "file").touch()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    for workspace in (tmp_path / "file", tmp_path / "full"):
        outcome = execute(Job.of(config, workspace=workspace))
        assert outcome.result is not None, outcome.error
        assert outcome.result.curves == expected
        monkeypatch.setattr("os.fsync", full)  # the second disk is full from the beginning


def test_what_is_wrong_with_a_run_is_said_though_it_goes_on(tmp_path: Path) -> None:
    job = Job.of(configure("NOSUCH", **SMALL), root=tmp_path, workspace=tmp_path)
    state_of(job, tmp_path).write_bytes(b"")
    assert "NOSUCH" in str(execute(job).error)


def test_workers_use_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", threads.append)
    execute(Job.of(configure("MOTIF", **SMALL)))
    assert threads == [1]
