"""Pairs of graphs to look at, chosen or drawn from the test split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.app.runs.opened import Opened
from smixup.datasets.motif import CLASSES
from smixup.datasets.sources import MOTIF
from smixup.errors import UsageError, require
from smixup.graphs import Graphs
from smixup.ranges import RangedFields, Seed
from smixup.seeding import generator

MANY_TRIES = 50
MAX_NODES = 100


@dataclass(frozen=True)
class PairSource(RangedFields):
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
    seed: Seed = 0

    @classmethod
    def of(cls, opened: Opened) -> PairSource:
        """Draw pairs from the test split."""
        return cls(opened.dataset, opened.graphs, opened.split.test, opened.seed)

    def choose(self, number: int, first: tuple[int, int] | None = None) -> list[tuple[int, int]]:
        """Return so many different pairs, `first` before all others; fewer if there are not so
        many.
        """
        require(number >= 1, "number of pairs", number, "1 or more")
        found = {} if first is None else {self._checked(first): None}
        fitting = self.drawn_from[self.graphs.sizes[self.drawn_from] <= MAX_NODES]
        if fitting.numel() < 2 and not found:
            raise UsageError(
                f"{self.dataset} has fewer than two test graphs of up to {MAX_NODES} nodes, "
                "and the explorer draws no larger ones."
            )
        random = generator(self.seed, "explorer pairs")
        for _ in range(MANY_TRIES * number if fitting.numel() > 1 else 0):
            if len(found) == number:
                break
            left, right = fitting[torch.randperm(fitting.numel(), generator=random)[:2]].tolist()
            found[left, right] = None
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
