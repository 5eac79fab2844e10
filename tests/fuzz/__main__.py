"""Fuzz all readers in turn, and print a tally of each.

python -m tests.fuzz --minutes 10 --seed 0
python -m tests.fuzz --inputs 1000000 --seed 1 --tally tally.json    # goes on where it was
python -m tests.fuzz --again --seed 1 --tally tally.json             # what was found, once more
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from .harness import Fuzzer
from .subjects import SUBJECTS
from .tallies import peak, read_tallies, told, write_tallies

SLICE = 5.0
"""Seconds that a reader has before the next one is taken."""


def main() -> int:
    """Fuzz for some time, print a table, and end with 1 if anything was found."""
    given = _arguments()
    work = Path(tempfile.mkdtemp(prefix="fuzz-", dir=given.work))
    os.chdir(work)  # what a pickle might do, it does here
    fuzzers = _fuzzers(given, work)
    try:
        if given.again:
            for fuzzer in fuzzers:
                fuzzer.again()
            _keep(given, fuzzers)
        else:
            _go_on(given, fuzzers)
    except KeyboardInterrupt:
        pass
    finally:
        os.chdir(given.findings.parent)
        shutil.rmtree(work, ignore_errors=True)
    print(told({each.subject.name: each.tally for each in fuzzers}))
    print(f"at most {peak():,.0f} MB of memory")
    return int(any(each.tally.findings for each in fuzzers))


def _go_on(given: argparse.Namespace, fuzzers: list[Fuzzer]) -> None:
    """Give every reader its slice in turn until the time is over, or there were inputs enough."""
    end = time.monotonic() + 60 * given.minutes
    while True:
        for fuzzer in fuzzers:
            lacking = given.inputs - sum(each.tally.inputs for each in fuzzers)
            left = end - time.monotonic()
            if lacking <= 0 or left <= 0:
                return
            fuzzer.run(min(SLICE, left), lacking)
            _keep(given, fuzzers)


def _keep(given: argparse.Namespace, fuzzers: list[Fuzzer]) -> None:
    if given.tally:
        now = {each.subject.name: each.tally for each in fuzzers}
        write_tallies(given.tally, given.seed, read_tallies(given.tally, given.seed) | now)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, help="how long; 10 if nothing else is said")
    parser.add_argument("--inputs", type=int, help="how many, with those of the tally")
    parser.add_argument("--seed", type=int, default=0, help="other seeds, other inputs")
    parser.add_argument("--reader", action="append", help="only this one; may be repeated")
    parser.add_argument(
        "--work", type=Path, help="where to put files meanwhile; a disk in memory is fast"
    )
    parser.add_argument(
        "--findings", type=Path, default=Path("fuzz-findings"), help="where to keep them"
    )
    parser.add_argument("--tally", type=Path, help="a file of the counts so far, to go on from")
    parser.add_argument("--again", action="store_true", help="only what the tally has as found")
    given = parser.parse_args()
    if given.minutes is None:
        given.minutes = 10.0 if given.inputs is None else float("inf")
    given.inputs = sys.maxsize if given.inputs is None else given.inputs
    given.findings = given.findings.absolute()
    given.tally = given.tally and given.tally.absolute()
    return given


def _fuzzers(given: argparse.Namespace, work: Path) -> list[Fuzzer]:
    known = {each.name: each for each in SUBJECTS}
    names = given.reader or list(known)
    if odd := [name for name in names if name not in known]:
        sys.exit(f"no reader '{odd[0]}'; there are {', '.join(known)}.")
    kept = read_tallies(given.tally, given.seed) if given.tally else {}
    found = []
    for place, name in enumerate(names):
        folder = work / str(place)
        folder.mkdir()
        fuzzer = Fuzzer(known[name](folder), given.seed, given.findings)
        fuzzer.tally = kept.get(name, fuzzer.tally)
        found.append(fuzzer)
    return found


if __name__ == "__main__":
    sys.exit(main())
