"""Is the assignment an alignment? Matchers side by side on pairs that none of them has seen
(Sec. 5.1): `python -m experiments.matchers --help`.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from experiments.show import markdown
from smixup.app.explorer import published_matcher
from smixup.app.runs.data import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, MATCHERS, make_matcher
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.content import bits, scrambled
from smixup.matching import GraphMatcher, Matcher
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
    matchers = {name: named_matcher(name, seed) for name in names}
    opened = open_dataset(dataset, seed, options=options)
    rows = dict[str, Row]()
    for name, matcher in matchers.items():
        start = time.perf_counter()
        matcher.fit(opened.train, silent)
        fitted = time.perf_counter()
        quality = alignment_quality(matcher, opened.held_out, pairs)
        seconds = {"fit": fitted - start, "evaluation": time.perf_counter() - fitted}
        rows[name] = quality | {f"seconds of {what}": value for what, value in seconds.items()}
    return rows


def alignment_quality(matcher: Matcher, graphs: Graphs, pairs: int, seed: int = 0) -> Row:
    """Measure a matcher on pairs drawn from `graphs`, the same for every matcher at one seed; None
    is what a dataset or a matcher does not have.

    - `self_match`: share of nodes of a shuffled copy whose largest entry falls on a node that 1-WL
      cannot tell from the right one;
    - `motif_mass`: share of the mass of G2's motif that falls on G1's motif, pairs of one class;
    - `triplet_accuracy`: share of triplets whose graph representations are in the right order.
    """
    random, lesson = generator(seed, "matcher evaluation"), triplets_of(graphs)
    if lesson is None:
        places = tuple(torch.randint(len(graphs), (3, pairs), generator=random))
    else:
        places = lesson.draw(pairs, random)
    left, right, other = (graphs[place] for place in places)
    M = matcher(left, right)
    copy, origin = shuffled_copy(left, random)
    accuracy = None
    if lesson is not None and isinstance(matcher, GraphMatcher) and matcher.network is not None:
        beside = [matcher.pairs(left, graphs) for graphs in (right, other)]
        with torch.no_grad():
            near, far = map(matcher.network.distances, beside)
        accuracy = float((near < far).float().mean())
    return {
        "self_match": self_match(matcher(left, copy), stable_colours(left), origin),
        "motif_mass": motif_mass(M, left, right),
        "triplet_accuracy": accuracy,
    }


def self_match(M: SparseOperator, colours: Tensor, origin: Tensor) -> float:
    """Return the share of columns whose largest entry lies on a node of the right colour.

    Args:
        M: assignments from copies to originals.
        colours: of the nodes of the originals, `[n]`.
        origin: the node of the originals that each node of the copies is, `[n]`.
    """
    entries = M.T
    row, n = entries.row, entries.num_columns
    top = entries.weight.new_full((len(origin),), -torch.inf)
    top = top.scatter_reduce(0, row, entries.weight, "amax")
    column = torch.where(entries.weight == top[row], entries.column, n)
    largest = torch.full_like(origin, n).scatter_reduce(0, row, column, "amin")
    known = torch.cat([colours, colours.new_tensor([-1])])  # nobody's, for a column of zeros
    return float((known[largest] == colours[origin]).float().mean())


def motif_mass(M: SparseOperator, left: Graphs, right: Graphs) -> float | None:
    """Return which share of the motif of G2 lands on the motif of G1."""
    if left.motif is None or right.motif is None:
        return None
    landed = M @ right.motif.float().unsqueeze(1)
    return float(landed[left.motif].sum() / right.motif.sum())


def stable_colours(graphs: Graphs) -> Tensor:
    """Return a number per node `[n]`, equal for two nodes if 1-WL cannot tell them apart."""
    colour = torch.zeros_like(graphs.batch)
    if graphs.num_features:
        colour = torch.unique(graphs.x, dim=0, return_inverse=True)[1]
    adj, key, number = graphs.adj, scrambled(colour), 0
    weight = scrambled(bits(adj.weight))
    while (count := key.unique().numel()) > number:
        seen = scrambled(key[adj.column] + weight)
        key, number = scrambled(key.index_add(0, adj.row, seen)), count
    colours: Tensor = torch.unique(key, return_inverse=True)[1]
    return colours


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
