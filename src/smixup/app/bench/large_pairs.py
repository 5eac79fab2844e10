"""Growth with n: one pair of large graphs, matched among the nearest nodes, beside the table of all
cells where that still fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import torch
from torch import Tensor

from smixup.app.bench.machine import (
    in_fresh_process,
    peak_memory,
    reset_peak_memory,
    seconds_and_memory,
)
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate, timed
from smixup.graphs import Graphs, Operator, SparseOperator
from smixup.matching import GraphMatcher, SiameseMatcher
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.learned import LearnedMatcher
from smixup.progress import silent
from smixup.seeding import generator

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
DENSE = 3_000
"""Nodes up to which the table of all cells is made, too."""
DEGREE = 10
DAMAGED = "2 % of edges lost"
COPIES = {"self match": 0.0, DAMAGED: 0.02}
"""Copies of a graph, and the share of their edges that they have lost."""
WARM_UP = 400
MATCHERS: dict[str, type[LearnedMatcher]] = {
    "siamese": SiameseMatcher,
    "graph-matcher": GraphMatcher,
}
TRAINING_SIZES = range(100, 200, 10)
TRAINING_GRAPHS = 60
STEPS = 60


def compare_large(settings: Settings) -> Iterator[Comparison]:
    """Compare seconds for one pair, a random graph of n nodes and 5n edges beside its shuffled and
    damaged copy, and the share of nodes that are found.

    The matchers were fitted on small graphs of this kind. Every size has a process of its own; the
    memory is the most that it held above its start. Where a table of all cells is too large, shares
    are compared with those that it finds at the largest size where it is not.
    """
    for name, kind in MATCHERS.items():
        with TemporaryDirectory(prefix="smixup-large-") as folder:
            fitted_matcher(kind).save(folder)
            yield from _of_matcher(name, Path(folder), settings)


def _of_matcher(name: str, folder: Path, settings: Settings) -> Iterator[Comparison]:
    threads, dense = torch.get_num_threads(), dict[int, Shares]()
    for n in SIZES if settings.size is None else (settings.size,):
        table = n <= DENSE
        found = in_fresh_process(partial(measured, folder, n, settings.repeat, threads, table))
        if table:
            dense[n] = found.dense
        elif DENSE not in dense:
            dense[DENSE] = in_fresh_process(partial(dense_shares, folder, DENSE, threads))
        row = partial(Comparison, "large-pairs", "generated")
        spent = found.seconds, found.dense_seconds
        yield row(f"{name}, {n:,} nodes", "s/pair", *spent, None, found.memory, spent=True)
        size = min(n, DENSE)
        beside = "" if n == size else f" : {size:,}"
        for what, share in found.shares.items():
            case = f"{name}, {n:,} nodes, {what}{beside}"
            yield row(case, "found", share, dense[size][what])


Shares = dict[str, float]
"""Of the nodes of each copy, how many were found."""


@dataclass(frozen=True)
class Measured:
    """What was measured of one size.

    Attributes:
        seconds: of one pair.
        memory: the most that was held above the start, in MB.
        shares: of nodes found.
        dense_seconds, dense: the same of the table of all cells, where it was made.
    """

    seconds: float
    memory: float | None
    shares: Shares
    dense_seconds: float | None
    dense: Shares


def measured(folder: Path, n: int, repeat: int, threads: int, table: bool) -> Measured:
    """Match graphs of n nodes with a saved matcher, and by a table of all cells if asked to."""
    torch.set_num_threads(threads)
    matcher = LearnedMatcher.load(folder)
    PairWork(matcher, WARM_UP)(DAMAGED)  # what is loaded at the first use is loaded
    work = PairWork(matcher, n)
    ours = partial(work, DAMAGED)
    reset_peak_memory()
    before = peak_memory()
    first, peak = seconds_and_memory(ours)
    memory = None if before is None or peak is None else peak - before
    if not table:
        times = [first, *timed(ours, repeat - 1, first)]
        return Measured(median(times), memory, work.shares(), None, {})
    ours_seconds, table_seconds = alternate(ours, partial(work, DAMAGED, by_table), repeat)
    return Measured(ours_seconds, memory, work.shares(), table_seconds, work.shares(by_table))


def dense_shares(folder: Path, n: int, threads: int) -> Shares:
    """Return what the table of all cells finds at a size."""
    torch.set_num_threads(threads)
    return PairWork(LearnedMatcher.load(folder), n).shares(by_table)


Way = Callable[[LearnedMatcher, Graphs, Graphs], Operator]


def by_matcher(matcher: LearnedMatcher, left: Graphs, right: Graphs) -> Operator:
    """Return the assignment of a pair as the matcher gives it."""
    return matcher(left, right)


def by_table(matcher: LearnedMatcher, left: Graphs, right: Graphs) -> Operator:
    """Return the assignment of a pair of any size, from the scores of all cells."""
    return matcher.normalized(*matcher.scores(matcher.prepare(left), matcher.prepare(right)))


class PairWork:
    """The work that both ways do: find the nodes of a random graph in a shuffled copy.

    Args:
        matcher: fitted.
        n: nodes of the graph.
    """

    def __init__(self, matcher: LearnedMatcher, n: int) -> None:
        self.matcher = matcher
        self.graph = random_graph(n, generator(n, "large pairs"))
        random = generator(n, "copies of large pairs")
        self.copies = {
            what: shuffled_copy(self.graph, random, torch.tensor([drop]))
            for what, drop in COPIES.items()
        }
        self._found = dict[tuple[str, Way], float]()

    def __call__(self, what: str, way: Way = by_matcher) -> None:
        """Match the graph and one of its copies."""
        copy, origin = self.copies[what]
        self._found[what, way] = share_found(way(self.matcher, self.graph, copy), origin)

    def shares(self, way: Way = by_matcher) -> Shares:
        """Return for each copy how many of its nodes are found; matches that were made are not made
        again.
        """
        for what in self.copies:
            if (what, way) not in self._found:
                self(what, way)
        return {what: self._found[what, way] for what in self.copies}


def share_found(M: Operator, origin: Tensor) -> float:
    """Return the share of a copy's nodes that are matched with the node they come from."""
    entries = M.to_sparse()
    return float((origin[entries.column] == entries.row).sum()) / len(origin)


def fitted_matcher(kind: type[LearnedMatcher]) -> LearnedMatcher:
    """Return a matcher that has learnt from small random graphs."""
    sizes = (TRAINING_SIZES[place % len(TRAINING_SIZES)] for place in range(TRAINING_GRAPHS))
    random = generator(0, "training of large pairs")
    train = Graphs.cat([random_graph(n, random) for n in sizes]).renumbered()
    return kind(triplets=False, max_steps=STEPS).fit(train, silent)


def random_graph(n: int, random: torch.Generator) -> Graphs:
    """Return a graph of n nodes and 5n edges drawn at random, without features."""
    ends = torch.randint(n, (2, DEGREE * n), generator=random)
    low, high = ends.amin(0), ends.amax(0)
    edges = torch.unique((low * n + high)[low < high])
    kept = edges[torch.randperm(len(edges), generator=random)[: DEGREE * n // 2]]
    one_way = torch.stack([kept // n, kept % n])
    both = torch.cat([one_way, one_way.flip(0)], 1)
    adj = SparseOperator.from_edges(both, torch.ones(both.size(1)), n)
    return Graphs(torch.zeros(n, 0), adj, torch.ones(1, 1), torch.tensor([0, n]))
