"""`python -m benchmarks`: run rows, print a table, keep it as JSON."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from warnings import simplefilter

import torch

from benchmarks.rows import ROWS
from benchmarks.setup import Setup
from benchmarks.timing import Timing, turns


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the rows that the arguments name, or all."""
    parser = ArgumentParser(
        prog="python -m benchmarks",
        description="Time smixup in turns with an ordinary way to do the same. Seconds depend on "
        "the machine; compare ratios (reference over ours, median and quartiles of rounds).",
    )
    parser.add_argument("row", nargs="*", help=f"any of {', '.join(ROWS)}; all by default")
    parser.add_argument("--data", default="MOTIF", help="dataset of the rows that train")
    parser.add_argument("--repeat", type=int, default=7, help="rounds on the clock, 2 or more")
    parser.add_argument("--quick", action="store_true", help="tiny inputs, to try the rows")
    parser.add_argument("--json", type=Path, help="file to keep the timings in")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.row) - set(ROWS):
        parser.error(f"there is no row {', '.join(sorted(unknown))}; rows are {', '.join(ROWS)}")
    simplefilter("ignore", UserWarning)
    versions = {name: version(name) for name in ("smixup", "torch", "torch_geometric")}
    versions["threads"] = str(torch.get_num_threads())
    print(versions)
    setup, timings = Setup(chosen.data, chosen.repeat, chosen.quick), []
    for name in chosen.row or ROWS:
        for case, ours, reference in ROWS[name](setup):
            timing = Timing.of(name, case, turns(ours, reference, chosen.repeat))
            timings.append(asdict(timing))
            ratio = f"{timing.ratio:>7.2f}x [{timing.low:.2f}, {timing.high:.2f}]"
            print(f"{name:12}{case:40}{timing.seconds:>10.4g} s {ratio}", flush=True)
    if chosen.json is not None:
        kept = {"versions": versions, "timings": timings}
        chosen.json.write_text(json.dumps(kept, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
