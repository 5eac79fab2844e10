"""Methods that a compiled model calls as they are, and a compiler that nobody loads at import."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch import Tensor

from smixup.augment.not_compiled import not_compiled


class Doubling:
    def __init__(self) -> None:
        not_compiled(Doubling, "double")
        self.compiling: list[bool] = []

    def double(self, x: Tensor) -> Tensor:
        self.compiling.append(torch.compiler.is_compiling())
        return 2 * x


def test_a_compiled_function_calls_the_method_as_it_is() -> None:
    doubling = Doubling()
    compiled = torch.compile(lambda x: doubling.double(x + 1), backend="eager")
    for size in range(1, 4):
        assert compiled(torch.zeros(size)).tolist() == [2.0] * size
    assert doubling.compiling == [False] * 3


def test_a_second_object_changes_nothing() -> None:
    Doubling()
    first = Doubling.double
    Doubling()
    assert Doubling.double is first


@pytest.mark.slow
def test_importing_does_not_load_the_compiler() -> None:
    code = """
import sys
import smixup, smixup.app.runs.run, smixup.app.compare, smixup.models
smixup.SMixup
sys.exit("torch._dynamo" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
