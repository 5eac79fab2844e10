"""Is the assignment an alignment? Matchers side by side on pairs that none of them has seen
(Sec. 5.1): `python -m experiments.matchers --help`.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from experiments.show import markdown
from smixup.app.explorer import published_matcher
from smixup.app.runs.data import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, MATCHERS, make_matcher
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import GraphMatcher, Matcher
from smixup.matching.controls import motif_kept
from smixup.matching.lessons import shuffled_copy, triplets_of
from smixup.progress import silent
from smixup.seeding import generator

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
    opened, rows = open_dataset(dataset, seed, options=options), dict[str, Row]()
    for name in names:
        start = time.perf_counter()
        matcher = named_matcher(name, seed).fit(opened.train, silent)
        rows[name] = {"seconds to fit": time.perf_counter() - start}
        rows[name] |= alignment_quality(matcher, opened.held_out, pairs)
    return rows


@torch.no_grad()
def alignment_quality(matcher: Matcher, graphs: Graphs, pairs: int, seed: int = 0) -> Row:
    """Measure a matcher on pairs drawn from `graphs`, the same for every matcher at one seed; None
    is what a dataset or a matcher does not have.

    - copy kept: share of the edges of a graph on which those of a shuffled copy of it land;
    - motif kept: the same of the edges of its motif, from another graph of its class;
    - triplets: share of those whose graph representations are in the right order.
    """
    random, lesson = generator(seed, "matcher evaluation"), triplets_of(graphs)
    if lesson is None:
        places = tuple(torch.randint(len(graphs), (3, pairs), generator=random))
    else:
        places = lesson.draw(pairs, random)
    left, right, other = (graphs[place] for place in places)
    copy = shuffled_copy(left, random)[0]
    row: Row = {"copy kept": edges_kept(matcher(left, copy), left, copy)}
    row |= {"motif kept": None, "triplets": None}
    if left.motif is not None:
        row["motif kept"] = float(motif_kept(matcher(left, right), left, right).mean())
    if lesson is not None and isinstance(matcher, GraphMatcher) and matcher.network is not None:
        near, far = (matcher.network.distances(matcher.pairs(left, g)) for g in (right, other))
        row["triplets"] = float((near < far).float().mean())
    return row


def edges_kept(M: SparseOperator, left: Graphs, right: Graphs) -> float:
    """Return `sum of min(M A2 M^T, A1) / sum of A1`."""
    carried = (M @ right.adj @ M.T).values_at(left.adj)
    return float(torch.minimum(carried, left.adj.weight).sum() / left.adj.weight.sum())


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
