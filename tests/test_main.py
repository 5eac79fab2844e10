"""The command runs where the laboratory is installed, and says what is missing where it is not."""

from __future__ import annotations

import subprocess
import sys

import pytest

import smixup

BLOCKED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocker())
"""
LAB = {"filelock", "lightning_fabric", "matplotlib", "rich", "torchmetrics", "typer"}


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True)


def without(names: set[str], code: str) -> subprocess.CompletedProcess[str]:
    """Run code where some packages are not installed."""
    return python("-c", BLOCKED.format(names=names) + code)


def test_the_module_is_the_command() -> None:
    done = python("-m", "smixup", "--version")
    assert (done.returncode, done.stdout) == (0, f"smixup {smixup.__version__}\n")


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_the_laboratory_one_sentence_says_how_to_install_it(package: str) -> None:
    done = without({package}, "from smixup.__main__ import main; main()")
    words = f"the command line needs {package}, which is missing: pip install 'smixup[lab]'."
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"smixup: {words}\n")


def test_a_broken_laboratory_is_no_missing_package() -> None:
    broken = "sys.modules['smixup.app.cli.main'] = None\n"
    done = without(set(), f"{broken}from smixup.__main__ import main; main()")
    assert "Traceback" in done.stderr
    assert "pip install" not in done.stderr


@pytest.mark.slow
def test_matching_and_mixing_need_no_laboratory() -> None:
    code = """
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from smixup import GraphMatcher, SMixup
ring = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]])
edges = torch.cat([ring, ring.flip(0)], 1)
train = [Data(x=torch.randn(4, 3), edge_index=edges, y=torch.tensor([i % 2])) for i in range(8)]
matcher = GraphMatcher(num_layers=1, hidden_channels=8, max_steps=2, batch_size=4).fit(train)
for batch in DataLoader(train, 4):
    assert SMixup(matcher)(batch).y.size(1) == 2
"""
    done = without(LAB, code)
    assert done.returncode == 0, done.stderr
