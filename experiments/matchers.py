"""Is the assignment an alignment? Matchers side by side on pairs that none of them has seen
(Sec. 5.1): `python -m experiments.matchers --help`.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.show import markdown
from smixup.app.explorer import published_matcher
from smixup.app.runs.data import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, MATCHERS, make_matcher
from smixup.matching import Matcher
from smixup.matching.quality import evaluate_matcher
from smixup.progress import silent

Row = dict[str, float | None]
PAPER, STEPS = "paper (cosine, temperature 1)", 200
USUAL = (DEFAULT_MATCHER, "uniform", "random-order", PAPER)


def paper_settings() -> dict[str, Any]:
    """Return the paper's matcher as settings of a method."""
    settings = published_matcher(0, STEPS).settings
    return {f"matcher.{name}": value for name, value in settings.items() if name != "seed"}


def named_matcher(name: str, seed: int) -> Matcher:
    """Return a matcher of the registry with default settings, or the paper's."""
    return published_matcher(seed, STEPS) if name == PAPER else make_matcher(name, seed, {})


def measured(
    dataset: str,
    names: Sequence[str] = USUAL,
    seed: int = 0,
    pairs: int = 500,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Row]:
    """Fit matchers on the training split, and measure them on held-out pairs; a line for each."""
    matchers = {name: named_matcher(name, seed) for name in names}
    opened = open_dataset(dataset, seed, options=options)
    rows = dict[str, Row]()
    for name, matcher in matchers.items():
        start = time.perf_counter()
        matcher.fit(opened.train, silent)
        fitted = time.perf_counter()
        quality = vars(evaluate_matcher(matcher, opened.held_out, pairs))
        seconds = {"fit": fitted - start, "evaluation": time.perf_counter() - fitted}
        rows[name] = quality | {f"seconds of {what}": value for what, value in seconds.items()}
    return rows


def table(rows: Mapping[str, Row], columns: Sequence[str]) -> str:
    """Return rows of numbers with their titles; a dash for what a row does not have."""
    written = ([row.get(column) for column in columns] for row in rows.values())
    cells = (["-" if n is None else f"{float(n):.3g}" for n in numbers] for numbers in written)
    return markdown(["", *columns], [[title, *c] for title, c in zip(rows, cells, strict=True)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the quality of matchers."""
    parser = ArgumentParser(prog="python -m experiments.matchers", description=__doc__)
    parser.add_argument("matcher", nargs="*", default=USUAL, help=f"of {', '.join(MATCHERS)}")
    parser.add_argument("--data", default="MOTIF")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=500)
    chosen = parser.parse_args(arguments)
    rows = measured(chosen.data, chosen.matcher, chosen.seed, chosen.pairs)
    print(table(rows, [*next(iter(rows.values()))]))


if __name__ == "__main__":
    main()
