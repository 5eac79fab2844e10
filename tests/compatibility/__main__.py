"""`python -m tests.compatibility --python python3.12 --choice newest`: one row of the matrix.

A virtual environment is made and filled with wheels alone, a part of the test suite is run in it,
and the row is added to tests/compatibility/rows.jsonl. `--table` writes the rows into
docs/compatibility.md.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from .environment import CHOICES, Environment, Row
from .table import ROWS, write_page


def main() -> int:
    """Make a row, print it, and end with 1 if a test failed."""
    given = _arguments()
    if given.table:
        write_page()
        return 0
    with tempfile.TemporaryDirectory() as folder:
        place = given.place or Path(folder) / "venv"
        environment = Environment(place, given.python, given.choice, given.torch, given.system)
        environment.renew() if environment.bin.exists() else environment.install()
        row = Row(environment.versions(), given.choice, given.source, environment.test())
        print(row.to_json(), flush=True)
        if not row.right:
            print(place.joinpath("tests.log").read_text())
            return 1
    with given.rows.open("a", encoding="utf-8") as file:
        file.write(row.to_json() + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.compatibility", description=__doc__)
    parser.add_argument("--python", default="python3", help="the interpreter")
    parser.add_argument("--choice", choices=CHOICES, default="newest", help="which versions")
    parser.add_argument("--torch", help="a version of torch other than the one of the choice")
    parser.add_argument(
        "--system", action="store_true", help="take torch from the interpreter's own packages"
    )
    parser.add_argument("--source", default="PyPI", help="where torch is from, for the table")
    parser.add_argument("--place", type=Path, help="a folder that keeps the environment")
    parser.add_argument("--rows", type=Path, default=ROWS, help="the file that takes the row")
    parser.add_argument("--table", action="store_true", help="write the page from the rows")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
