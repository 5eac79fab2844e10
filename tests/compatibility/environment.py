"""A virtual environment of one Python with one set of versions, and what its tests say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .part import EXTRAS, FILES, MARKS, REPORTED, TOOLS

ROOT = Path(__file__).parents[2]
CHOICES = {
    "lowest": "constraints-lowest.txt",
    "pinned": "constraints.txt",
    "newest": None,
}
"""Sets of versions by name: files of constraints, and whatever the index has."""
TAIL = re.compile(r"(\d+) (passed|failed|skipped|error)")
ASK = """
import json, platform, sys
from importlib.metadata import version
names = sys.argv[1:]
found = {name: version(name) for name in names}
if "torch" in found:
    import torch
    found["torch"] = torch.__version__
print(json.dumps({"python": platform.python_version(), **found}))
"""


@dataclass(frozen=True)
class Row:
    """What one environment was, and how its tests ended.

    Attributes:
        versions: of Python and of the packages that matter.
        choice: the set of versions that was asked for.
        source: where the interpreter and its torch are from.
        counts: tests by how they ended.
    """

    versions: dict[str, str]
    choice: str
    source: str
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def right(self) -> bool:
        """Whether tests passed, and none failed."""
        return bool(self.counts.get("passed")) and not (
            self.counts.get("failed") or self.counts.get("error")
        )

    def to_json(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Environment:
    """A folder with a virtual environment.

    Attributes:
        place: the folder; it is made anew.
        python: the interpreter to make it with.
        choice: a name of `CHOICES`.
        torch: a version of torch, in place of the one that the constraints name.
        system: whether to take what the interpreter already has, torch among it.
    """

    place: Path
    python: str
    choice: str
    torch: str | None = None
    system: bool = False

    @property
    def bin(self) -> Path:
        return self.place / "bin" / "python"

    def install(self) -> None:
        """Make the environment, from wheels alone: nothing that a user needs takes a compiler."""
        shutil.rmtree(self.place, ignore_errors=True)
        seen = ["--system-site-packages"] if self.system else []
        _run(self.python, "-m", "venv", *seen, str(self.place))
        self.place.joinpath("constraints.txt").write_text("\n".join(self._constraints()) + "\n")
        extras = ",".join(EXTRAS)
        _run(
            *(str(self.bin), "-m", "pip", "install", "--quiet"),
            *("--only-binary", ":all:"),
            *("--constraint", str(self.place / "constraints.txt")),
            *(f"{ROOT}[{extras}]", *TOOLS),
        )

    def renew(self) -> None:
        """Install smixup as it is now, and nothing else."""
        pip = (str(self.bin), "-m", "pip", "install", "--quiet", "--no-compile")
        _run(*pip, "--no-deps", "--force-reinstall", str(ROOT))

    def _constraints(self) -> list[str]:
        """The chosen constraints, with torch as it was asked for."""
        file = CHOICES[self.choice]
        lines = [] if file is None else (ROOT / file).read_text().splitlines()
        if self.system or self.torch:
            lines = [line for line in lines if not line.startswith("torch==")]
        return [*lines, f"torch=={self.torch}"] if self.torch else lines

    def versions(self) -> dict[str, str]:
        """Return the versions that are installed."""
        return dict(json.loads(_run(str(self.bin), "-c", ASK, *REPORTED)))

    def test(self, files: Sequence[str] = FILES) -> dict[str, int]:
        """Run the part of the suite in it; return how many tests ended how."""
        done = subprocess.run(
            [str(self.bin), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", MARKS, *files],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        self.place.joinpath("tests.log").write_text(done.stdout + done.stderr)
        return counted(done.stdout)


def counted(output: str) -> dict[str, int]:
    """Return how many tests ended how, from the last line of pytest."""
    last = output.strip().splitlines()[-1:] or [""]
    return {how: int(number) for number, how in TAIL.findall(last[0])}


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:6])} ...: {done.stderr.strip()[-2000:]}")
    return done.stdout
