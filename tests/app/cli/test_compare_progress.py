"""What is said while a comparison goes on."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from app.compare.pretended import BETTER, Pretended, asked

from smixup.app.cli.compare_progress import Watch
from smixup.app.compare import running
from smixup.app.compare.running import run_pairs
from smixup.progress import Progress


def watched(store: Path, pretended: Pretended, **changes: object) -> list[Progress]:
    """Run pairs that nobody computes, and return the progress that is told."""
    told = list[Progress]()
    with patch.object(running, "run_jobs", pretended):
        settings = asked(**changes)  # type: ignore[arg-type]
        clock = lambda: pretended.now  # noqa: E731
        run_pairs(settings, store, workers=2, watch=Watch(told.append), clock=clock)
    return told


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "is about 3 min 00 s away."),
        ({"budget": 250.0}, "is about 3 min 00 s away."),
        ({"budget": 100.0}, "needs a --budget of about 3 min 40 s, or fewer --epochs."),
        ({"seeds": 5}, "needs more than --seeds 5."),
    ],
)
def test_when_the_first_verdict_will_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, float], words: str
) -> None:
    """Vanilla takes 10 s, the method 30 s, and two are run at once."""
    watched(tmp_path / "runs.db", Pretended(seconds={"vanilla": 9.5, "s-mixup": 29.5}), **changes)
    begins = "A paired run takes about 20 s: the first verdict, after 10, "
    assert capsys.readouterr().err == f"{begins}{words}\n"


def test_methods_first_then_the_control(tmp_path: Path) -> None:
    lines = watched(tmp_path / "runs.db", Pretended(BETTER), control=True)
    told = [(line.stage, line.done) for line in lines]
    assert told[:10] == [("paired runs", done) for done in range(10)]
    controls = [done for stage, done in told if stage == "runs of random-alignment"]
    assert sorted(set(controls)) == list(range(10))
