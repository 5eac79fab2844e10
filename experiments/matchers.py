"""Is the assignment an alignment? Matchers side by side on pairs that none of them has seen
(Sec. 5.1): `python -m experiments.matchers --help`.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from smixup.app.runs.data import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, MATCHERS, make_matcher
from smixup.errors import unknown_name
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Matcher
from smixup.matching.quality import evaluate_matcher
from smixup.progress import silent
from smixup.seeding import generator

Row = dict[str, float | None]
PAPER = "paper (cosine, temperature 1)"
USUAL = (DEFAULT_MATCHER, "uniform", "random-order", PAPER)
TIMED_PAIRS, ROUNDS = 128, 3


def paper_matcher(seed: int, steps: int = 200) -> GraphMatcher:
    """Return the paper's matcher at the width of ours, done in a minute.

    It sees degrees: where all nodes look alike, as on MOTIF, it would not learn to tell classes
    apart in that time, and losing to it would mean nothing.
    """
    return GraphMatcher.as_published(
        hidden_channels=GraphMatcher.hidden_channels,
        batch_size=32,
        max_steps=steps,
        patience=steps,
        degree=True,
        seed=seed,
    )


def paper_settings() -> dict[str, Any]:
    """Return the same as settings of a method."""
    settings = paper_matcher(0).settings
    return {f"matcher.{name}": value for name, value in settings.items() if name != "seed"}


def named_matcher(name: str, seed: int) -> Matcher:
    """Return a matcher of the registry with default settings, or the paper's."""
    if name == PAPER:
        return paper_matcher(seed)
    if name not in MATCHERS.entries:
        raise unknown_name("matcher", name, {*MATCHERS.entries, PAPER})
    return make_matcher(name, seed, {})


def measured(
    dataset: str,
    names: Sequence[str] = USUAL,
    seed: int = 0,
    pairs: int = 500,
    options: Mapping[str, Any] | None = None,
    root: Path | None = None,
) -> dict[str, Row]:
    """Fit matchers on the training split, and measure them on held-out pairs; a line for each."""
    matchers = {name: named_matcher(name, seed) for name in names}
    opened = open_dataset(dataset, seed, root=root, options=options)
    rows = dict[str, Row]()
    for name, matcher in matchers.items():
        started = time.perf_counter()
        matcher.fit(opened.train, silent)
        times = {"fit_seconds": time.perf_counter() - started}
        times["ms_per_pair"] = milliseconds_per_pair(matcher, opened.held_out)
        rows[name] = vars(evaluate_matcher(matcher, opened.held_out, pairs)) | times
    return rows


def milliseconds_per_pair(matcher: Matcher, graphs: Graphs) -> float:
    """Return the time to assign a pair: the fastest of a few rounds over the same pairs."""
    random = generator(0, "timed pairs")
    left, right = torch.randint(len(graphs), (2, TIMED_PAIRS), generator=random)
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        matcher(graphs[left], graphs[right])
        rounds.append(time.perf_counter() - started)
    return 1000 * min(rounds) / TIMED_PAIRS


def text_table(rows: Mapping[str, Row], columns: Sequence[str]) -> str:
    """Return rows of numbers with their titles; a dash for what a row does not have."""
    lines = [["", *columns]]
    for title, row in rows.items():
        numbers = (row.get(column) for column in columns)
        lines.append([title, *("-" if n is None else f"{float(n):.3g}" for n in numbers)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the quality of matchers."""
    parser = ArgumentParser(prog="python -m experiments.matchers", description=__doc__)
    parser.add_argument("matcher", nargs="*", default=USUAL, help=f"of {', '.join(MATCHERS)}")
    parser.add_argument("--data", default="MOTIF")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=500)
    chosen = parser.parse_args(arguments)
    rows = measured(chosen.data, chosen.matcher, chosen.seed, chosen.pairs)
    print(text_table(rows, [*next(iter(rows.values()))]))


if __name__ == "__main__":
    main()
