"""What a user may choose about a benchmark, and the data it runs on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from smixup.datasets import Dataset, load_dataset
from smixup.datasets.features import encode_features
from smixup.errors import SmixupError, UsageError
from smixup.ranges import Count, RangedFields, Steps

FALLBACK = "MOTIF"


@dataclass(frozen=True)
class Settings(RangedFields):
    """The choices common to all benchmarks.

    Attributes:
        datasets: names of the datasets to run on.
        repeat: how often each side is timed.
        root: the data root.
        size: graphs, pairs or triplets in a batch of the matching benchmarks; the paper's if None.
        note: takes what the user should know beside the figures.
    """

    datasets: tuple[str, ...]
    repeat: Steps
    root: Path | None
    size: Count | None
    note: Callable[[str], None]

    def loaded(self) -> Iterator[Dataset]:
        """Yield each dataset once, with features for a classifier; where one is not to be had, a
        note and MOTIF.
        """
        seen = set()
        for name in self.datasets:
            dataset = self._found(name)
            if dataset.name not in seen:
                every = torch.arange(len(dataset.graphs))
                yield replace(dataset, graphs=encode_features(dataset.graphs, every))
            seen.add(dataset.name)

    def _found(self, name: str) -> Dataset:
        try:
            return load_dataset(name, self.root)
        except UsageError:
            raise
        except SmixupError as reason:
            self.note(f"{FALLBACK} stands in for {name}: {reason}")
            return load_dataset(FALLBACK, self.root)
