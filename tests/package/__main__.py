"""`python -m tests.package dist`: the wheel and the source archive in a folder are checked, and the
wheel is installed and tried outside of the source. `make package` builds both first.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from .contents import faults_of_sdist, faults_of_wheel, names_in
from .outside import COMMANDS, Outside


def main() -> int:
    """Check all, and end with the first thing that is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.package", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder with both archives")
    folder = parser.parse_args().folder.resolve()
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel, sdist], check=True)
    faults = faults_of_wheel(names_in(wheel), wheel.stat().st_size)
    faults += faults_of_sdist(names_in(sdist), sdist.stat().st_size)
    if faults:
        raise SystemExit("\n".join(faults))
    with tempfile.TemporaryDirectory() as place:
        _try(Outside(Path(place).resolve()), wheel)
    return 0


def _try(outside: Outside, wheel: Path) -> None:
    outside.install(wheel)
    if not outside.where().is_relative_to(outside.place):
        raise SystemExit(f"smixup was found in {outside.where()}, not in the installed wheel")
    for command in COMMANDS:
        printed = outside.run(*command).strip().splitlines()
        print("$", *command)
        print("   ", printed[-1] if printed else "", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
