"""`python -m tests.fuzz --minutes 10 --seed 0`: all readers in turn, and a tally of each."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from .harness import REFUSED, RIGHT, Fuzzer, Tally
from .subjects import SUBJECTS

SLICE = 10.0
"""Seconds that a reader has before the next one is taken."""


def main() -> int:
    """Fuzz for some minutes, print a table, and end with 1 if anything was found."""
    given = _arguments()
    work = Path(tempfile.mkdtemp(prefix="fuzz-", dir=given.work))
    os.chdir(work)  # what a pickle might do, it does here
    try:
        fuzzers = _fuzzers(given, work)
        end = time.monotonic() + 60 * given.minutes
        while time.monotonic() < end:
            for fuzzer in fuzzers:
                fuzzer.run(min(SLICE, max(end - time.monotonic(), 0)))
                if given.tally:
                    given.tally.write_text(_as_json(fuzzers))
    except KeyboardInterrupt:
        pass
    finally:
        os.chdir(given.findings.parent)
        shutil.rmtree(work, ignore_errors=True)
    _print(fuzzers)
    return int(any(each.tally.findings for each in fuzzers))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long")
    parser.add_argument("--seed", type=int, default=0, help="other seeds, other inputs")
    parser.add_argument("--reader", action="append", help="only this one; may be repeated")
    parser.add_argument(
        "--work", type=Path, help="where to put files meanwhile; a disk in memory is fast"
    )
    parser.add_argument(
        "--findings", type=Path, default=Path("fuzz-findings"), help="where to keep them"
    )
    parser.add_argument("--tally", type=Path, help="a JSON file that always has the counts so far")
    given = parser.parse_args()
    given.findings = given.findings.absolute()
    given.tally = given.tally and given.tally.absolute()
    return given


def _fuzzers(given: argparse.Namespace, work: Path) -> list[Fuzzer]:
    known = {each.name: each for each in SUBJECTS}
    names = given.reader or list(known)
    if odd := [name for name in names if name not in known]:
        sys.exit(f"no reader '{odd[0]}'; there are {', '.join(known)}.")
    found = []
    for place, name in enumerate(names):
        folder = work / str(place)
        folder.mkdir()
        found.append(Fuzzer(known[name](folder), given.seed, given.findings))
    return found


def _as_json(fuzzers: list[Fuzzer]) -> str:
    return json.dumps(
        {
            each.subject.name: {"counts": each.tally.counts, "findings": each.tally.findings}
            for each in fuzzers
        },
        indent=1,
    )


def _print(fuzzers: list[Fuzzer]) -> None:
    whole = Tally()
    print(
        f"{'reader':<16} {'inputs':>9} {'refused':>9} {'right':>9} {'findings':>9} {'slowest':>9}"
    )
    for name, tally in [*((each.subject.name, each.tally) for each in fuzzers), ("all", whole)]:
        numbers = (tally.inputs, tally.counts[REFUSED], tally.counts[RIGHT], tally.findings.total())
        print(f"{name:<16}", *(f"{number:>9,}" for number in numbers), f"{tally.slowest:>7.2f} s")
        if tally is whole:
            break
        whole.counts += tally.counts
        whole.findings += tally.findings
        whole.slowest = max(whole.slowest, tally.slowest)
    for kind, count in whole.findings.most_common():
        print(f"  {count:>7,}  {kind}")


if __name__ == "__main__":
    sys.exit(main())
