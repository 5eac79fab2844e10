"""`python -m tests.package dist`: the wheel and the source archive in a folder are checked, and the
wheel is installed and tried outside of the source. `make package` builds both first.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
IN_SDIST = (
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md"),
    *("Makefile", "constraints.txt", "tests/conftest.py", "docs/conf.py", "house.toml"),
)
FOREIGN = re.compile(r"__pycache__|\.pyc$|\.coverage|^(\.git|\.venv|dist|runs|site)/")
LARGEST = {".whl": 2_000_000, ".gz": 20_000_000}
"""Bytes of the archives; more would be data that slipped in."""
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
    ("smixup", "doctor"),
    ("python", "-W", "error::UserWarning", "drop_in.py"),
    ("smixup", "train", "MOTIF", "--epochs", "2", "--data", "num_graphs=60"),
)


def faults(archive: Path) -> list[str]:
    """Return what is wrong with an archive, a sentence each."""
    source = [path for path in (ROOT / "src" / "smixup").rglob("*") if path.is_file()]
    wanted = {path.relative_to(ROOT / "src").as_posix() for path in source if path.suffix != ".pyc"}
    if archive.suffix == ".whl":
        names = set(zipfile.ZipFile(archive).namelist())
        outside = [name for name in names if not name.startswith(("smixup/", "smixup-"))]
        found = [f"{name} is outside of the package" for name in outside]
    else:
        with tarfile.open(archive) as sdist:
            names = {member.name.partition("/")[2] for member in sdist if member.isfile()}
        wanted, found = {*IN_SDIST, *(f"src/{name}" for name in wanted)}, []
    found += [f"{name} is missing" for name in wanted - names]
    found += [f"{name} is foreign" for name in names if FOREIGN.search(name)]
    if archive.stat().st_size > LARGEST[archive.suffix]:
        found.append(f"{archive.name} is too large")
    return sorted(found)


def run(*command: str, **settings: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, **settings)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return str(done.stdout)


def try_outside(wheel: Path, place: Path) -> None:
    """Install the wheel alone, with its dependencies from here, and do what a user does first."""
    venv = place / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", str(venv))
    # A line of a .pth file adds a folder, without that folder's own .pth files: an editable smixup
    # beside the dependencies is not seen.
    packages = next(venv.glob("lib/python*/site-packages"))
    packages.joinpath("needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = str(venv / "bin" / "python")
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    (place / "drop_in.py").write_text(DROP_IN)
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env |= {"SMIXUP_ROOT": str(place / "data"), "OMP_NUM_THREADS": "1"}
    where = run(python, "-c", "import smixup; print(smixup.__file__)", cwd=place, env=env).strip()
    if not Path(where).is_relative_to(place):
        raise SystemExit(f"smixup was found in {where}, not in the installed wheel")
    for command in COMMANDS:
        printed = run(str(venv / "bin" / command[0]), *command[1:], cwd=place, env=env)
        print("$", *command, "\n   ", printed.strip().splitlines()[-1], flush=True)


def main(folder: Path) -> None:
    """Check all, and end with what is wrong."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    if told := faults(wheel) + faults(sdist):
        raise SystemExit("\n".join(told))
    with tempfile.TemporaryDirectory() as place:
        try_outside(wheel, Path(place).resolve())


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
