"""Try a sample of mutants on the tests of their modules.

python -m tests.mutation --sample 120         # of all targets
python -m tests.mutation --only ragged        # all mutants of one module

A mutant is killed if a test fails or does not end. The score is the share that is killed; mutants
that mean the same as what they change are in docs/reliability.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from .trial import Trial, say

GRAPHS = ("graphs", "sparse", "operator", "blocks", "padding", "ragged", "targets")
TARGETS = (
    *(f"graphs/{name}" for name in GRAPHS),
    *("augment/mixing", "augment/transport"),
    *("matching/assignment", "matching/normalization", "matching/rounding"),
    "app/store",
)
TESTS = Path(__file__).parents[1]


def main() -> int:
    """Try mutants, print the score, and end with 1 if it is below the one that was asked for."""
    options = argparse.ArgumentParser(
        prog="python -m tests.mutation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--sample", type=int, default=sys.maxsize, help="how many; all of them")
    options.add_argument("--only", default="", help="targets whose name holds this")
    options.add_argument("--seed", type=int, default=0, help="of the sample")
    options.add_argument("--least", type=float, default=0.8, help="the score that is asked for")
    chosen = options.parse_args()
    targets = [name for name in TARGETS if chosen.only in name]
    trial = Trial(targets, chosen.sample, chosen.seed)
    fast = ["-m", "not slow and not ray and not browser and not data"]
    quiet = ["-q", "-s", "-p", "no:cacheprovider", "--no-header", "--no-summary"]
    code = pytest.main([*map(mirrored, targets), *quiet, *fast], plugins=[trial])
    tried = len(trial.killed) + len(trial.survived)
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) or not tried:
        say("the tests could not be collected: run them by themselves.")
        return 2
    score = len(trial.killed) / tried
    say(f"{len(trial.killed)} of {tried} killed ({score:.0%}), of {trial.known} mutants")
    return int(score < chosen.least)


def mirrored(target: str) -> str:
    """Return the file of tests of a module."""
    folder, _, name = target.rpartition("/")
    return str(TESTS / folder / f"test_{name}.py")


if __name__ == "__main__":
    sys.exit(main())
