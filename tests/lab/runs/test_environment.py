"""Versions are those of the packages that ran."""

from __future__ import annotations

import torch

import smixup
from smixup.lab.runs.environment import installed, versions


def test_versions() -> None:
    found = versions()
    assert (found["smixup"], found["torch"]) == (smixup.__version__, torch.__version__)
    assert found["threads"] == torch.get_num_threads()
    assert all(found.values())
    assert installed("no-such-package") is None
