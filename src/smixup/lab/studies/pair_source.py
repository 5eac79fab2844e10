"""Pairs of test graphs to look at: a dataset, its split at a seed, and a matcher that has not seen
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from smixup.datasets import load_dataset
from smixup.datasets.features import encode_features
from smixup.datasets.motif import CLASSES
from smixup.datasets.sources import MOTIF
from smixup.errors import UsageError, require, unknown_name
from smixup.graphs import Graphs
from smixup.lab.runs.config import configure
from smixup.lab.runs.registry import MATCHERS, make_matcher
from smixup.lab.runs.run import choose_split
from smixup.matching import GraphMatcher, Matcher
from smixup.progress import Report, silent
from smixup.seeding import generator

MANY_TRIES = 50
MAX_NODES = 100


def open_source(
    dataset: str,
    matcher: str,
    seed: int | None,
    root: Path | None,
    options: Mapping[str, Any] | None,
) -> OpenedSource:
    """Load and split a dataset as `smixup train` does, and choose a matcher, not fitted yet unless
    it was saved.
    """
    chosen = chosen_matcher(matcher, seed or 0)
    seed = seed if seed is not None else getattr(chosen, "seed", 0)
    config = configure(dataset, seed=seed, root=root, dataset_options=dict(options or {}))
    loaded = load_dataset(config.dataset, root, **config.dataset_options)
    split = choose_split(loaded, config)
    graphs = encode_features(loaded.graphs, split.train)
    train = graphs[split.train] if matcher in MATCHERS.entries else None
    return OpenedSource(PairSource(config.dataset, graphs, split.test, seed), chosen, train)


@dataclass(frozen=True)
class OpenedSource:
    """Test graphs of a dataset, and a matcher that has not seen them.

    Attributes:
        source: the graphs.
        matcher: to be asked for by `fitted`.
        train: what to fit it on; None for a matcher that was saved.
    """

    source: PairSource
    matcher: Matcher
    train: Graphs | None

    def fitted(self, report: Report = silent) -> Matcher:
        """Return the matcher, ready; to be asked for after everything that may be refused."""
        return self.matcher if self.train is None else self.matcher.fit(self.train, report)


@dataclass(frozen=True)
class PairSource:
    """Graphs to take pairs from.

    Attributes:
        dataset: its name.
        graphs: as a matcher takes them, features encoded; a graph is named by its position here.
        drawn_from: positions of the graphs that pairs are drawn from.
        seed: of the draw.
    """

    dataset: str
    graphs: Graphs
    drawn_from: Tensor
    seed: int = 0

    def choose(self, number: int, first: tuple[int, int] | None = None) -> list[tuple[int, int]]:
        """Return so many different pairs, `first` before all others; fewer if there are not so
        many.
        """
        require(number >= 1, "number of pairs", number, "1 or more")
        chosen = [] if first is None else [self._checked(first)]
        fitting = self.drawn_from[self.graphs.sizes[self.drawn_from] <= MAX_NODES]
        if fitting.numel() < 2 and not chosen:
            raise UsageError(
                f"{self.dataset} has fewer than two test graphs of up to {MAX_NODES} nodes, "
                "and the explorer draws no larger ones."
            )
        found = dict.fromkeys(chosen)
        for pair in drawn(fitting, MANY_TRIES * number, generator(self.seed, "explorer pairs")):
            if len(found) == number:
                break
            found[pair] = None
        return list(found)

    def _checked(self, pair: tuple[int, int]) -> tuple[int, int]:
        for each in pair:
            if not 0 <= each < len(self.graphs):
                raise UsageError(
                    f"{self.dataset} has no graph {each}: its graphs are 0 to "
                    f"{len(self.graphs) - 1}."
                )
            require_drawable(int(self.graphs.sizes[each]), f"graph {each} of {self.dataset}")
        return pair


def drawn(positions: Tensor, tries: int, random: torch.Generator) -> Iterator[tuple[int, int]]:
    """Draw pairs of two different graphs, over and over; the same pair may come again."""
    for _ in range(tries if positions.numel() > 1 else 0):
        left, right = positions[torch.randperm(positions.numel(), generator=random)[:2]].tolist()
        yield left, right


def chosen_matcher(which: str, seed: int) -> Matcher:
    """Return a matcher of the registry, not fitted yet, or read a saved one from a folder."""
    if which in MATCHERS.entries:
        return make_matcher(which, seed, {})
    if Path(which).is_dir():
        return GraphMatcher.load(which)
    raise unknown_name("matcher or folder", which, MATCHERS)


def class_names(dataset: str, number: int) -> Sequence[str]:
    """Return what the classes of a dataset are called; TU datasets only number them."""
    return CLASSES if dataset == MOTIF else [f"class {place}" for place in range(number)]


def feature_word(graphs: Graphs) -> str:
    """Say what a column of the features stands for; nothing if there is but one."""
    if graphs.num_features < 2:
        return ""
    if graphs.degree_encoding is not None:
        return "degree"
    return "feature" if graphs.x.is_floating_point() else "label"


def require_drawable(num_nodes: int, name: str) -> None:
    """Refuse a graph in whose drawing nothing could be seen."""
    if num_nodes > MAX_NODES:
        raise UsageError(
            f"{name} has {num_nodes} nodes, and the explorer draws graphs of up to {MAX_NODES}; "
            "choose a smaller one."
        )
