"""An installation of the wheel that sees nothing of the source, and what a user does first."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

DROP_IN = """
import torch
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, global_mean_pool

from smixup import GraphMatcher, SMixup, load_dataset, to_pyg

graphs = to_pyg(load_dataset("MOTIF", num_graphs=30).graphs).to_data_list()
model = GCN(graphs[0].num_features, hidden_channels=8, num_layers=2, out_channels=3, norm="batch")
mix = SMixup(matcher=GraphMatcher(max_steps=20)).fit(graphs)
with mix.training(model):
    for batch in DataLoader(graphs, 10, shuffle=True):
        batch = mix(batch)
        h = global_mean_pool(model(batch.x, batch.edge_index, batch.edge_weight), batch.batch)
        torch.nn.functional.cross_entropy(h, batch.y).backward()
print(len(batch.y), "graphs in the last batch")
"""
COMMANDS = (
    ("smixup", "--version"),
    ("python", "-m", "smixup", "--version"),
    ("smixup", "doctor"),
    ("python", "-W", "error::UserWarning", "drop_in.py"),
    ("smixup", "train", "MOTIF", "--epochs", "2", "--data", "num_graphs=60"),
)


class Outside:
    """A virtual environment with the wheel alone; what it needs is taken from this interpreter's.

    Attributes:
        place: an empty folder, in which commands run, too.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.bin = place / "venv" / "bin"

    def install(self, wheel: Path) -> None:
        """Make the environment, and install the wheel in it."""
        venv = self.place / "venv"
        _run(sys.executable, "-m", "venv", "--without-pip", str(venv))
        # A line of a .pth file adds a folder, without that folder's own .pth files: an editable
        # smixup beside the dependencies is not seen.
        packages = next(venv.glob("lib/python*/site-packages"))
        packages.joinpath("needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
        pip = (sys.executable, "-m", "pip", "--python", str(self.bin / "python"))
        _run(*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel))
        self.place.joinpath("drop_in.py").write_text(DROP_IN)

    def where(self) -> Path:
        """Return where this environment finds smixup."""
        found = self.run("python", "-c", "import smixup; print(smixup.__file__)")
        return Path(found.strip())

    def run(self, *command: str) -> str:
        """Run a command of the environment, away from the source; return what it printed."""
        hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
        env = {name: value for name, value in os.environ.items() if name not in hidden}
        env |= {"SMIXUP_ROOT": str(self.place / "data"), "OMP_NUM_THREADS": "1"}
        return _run(str(self.bin / command[0]), *command[1:], cwd=self.place, env=env)


def _run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout
