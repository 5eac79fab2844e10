"""`python -m benchmarks`: smixup and an ordinary way to do the same work, timed in turns, as what
else the machine does troubles both alike.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from statistics import median, quantiles
from time import perf_counter
from warnings import simplefilter

from benchmarks.rows import ROWS, Work
from benchmarks.setup import Setup

LONG = 90.0  # seconds after which nothing is timed once more


def turns(ours: Work, reference: Work, repeat: int) -> list[tuple[float, float]]:
    """Run the two in turns, once to warm up and then `repeat` times, or twice if that takes long;
    return the seconds of every round.
    """
    ours(), reference()
    rounds: list[tuple[float, float]] = []
    while len(rounds) < 2 or (len(rounds) < repeat and sum(map(sum, rounds)) < LONG):
        rounds.append((seconds(ours), seconds(reference)))
    return rounds


def seconds(work: Work) -> float:
    """Time one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def summary(rounds: Sequence[tuple[float, float]]) -> str:
    """Write our seconds, and the ratio of the reference's to them with its quartiles."""
    ratios = [reference / ours for ours, reference in rounds]
    low, middle, high = quantiles(ratios, n=4, method="inclusive")
    return f"{median(ours for ours, _ in rounds):.4g} s, {middle:.2f}x [{low:.2f}, {high:.2f}]"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the rows that the arguments name, or all."""
    parser = ArgumentParser(
        prog="python -m benchmarks",
        description="Seconds depend on the machine; compare ratios (reference over ours, median "
        "and quartiles of rounds).",
    )
    parser.add_argument("row", nargs="*", choices=[*ROWS], help="all by default")
    parser.add_argument("--repeat", type=int, default=7, help="rounds on the clock, 2 or more")
    parser.add_argument("--quick", action="store_true", help="tiny inputs, to try the rows")
    chosen = parser.parse_args(arguments)
    simplefilter("ignore", UserWarning)
    setup = Setup(chosen.quick)
    for name in chosen.row or ROWS:
        for case, ours, reference in ROWS[name](setup):
            rounds = turns(ours, reference, chosen.repeat)
            print(f"{name:12}{case:40}{summary(rounds)}", flush=True)


if __name__ == "__main__":
    main()
