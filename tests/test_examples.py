"""Every example runs as a user would run it, only smaller."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = {
    "pyg_loop": (["--graphs", "40", "--epochs", "1", "--steps", "1"], "test accuracy"),
    "own_dataset": (["--graphs", "40", "--epochs", "1", "--steps", "1"], "test accuracy"),
    "own_matcher": (["--graphs", "30"], "motif mass"),
    "own_backbone": (["--graphs", "40", "--epochs", "1"], "test accuracy"),
}


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_the_example_runs_without_warnings(name: str) -> None:
    arguments, expected = SMALL[name]
    command = [
        sys.executable,
        "-W",
        "error::UserWarning:__main__",
        str(EXAMPLES / f"{name}.py"),
        *arguments,
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
