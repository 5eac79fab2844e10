"""The command runs as a module, too."""

from __future__ import annotations

import subprocess
import sys

import smixup


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "smixup", "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"smixup {smixup.__version__}\n")
