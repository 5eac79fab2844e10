"""Folders of saved matchers: accepted is what computes as the one that was saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from smixup.datasets.motif import motif_dataset
from smixup.matching import GraphMatcher
from smixup.matching.learned import LearnedMatcher

from ..harness import Malformed, Subject
from ..mutators import Files


class Matchers(Subject):
    name = "matcher folders"

    def good(self) -> Sequence[Files]:
        self.graphs = motif_dataset(num_graphs=12).graphs
        small = {"num_layers": 1, "hidden_channels": 4, "batch_size": 4, "max_steps": 2}
        matcher = GraphMatcher(**small, evaluate_every=1, random_walk=2)  # type: ignore[arg-type]
        matcher.fit(self.graphs)
        folder = self.work / "matcher"
        matcher.save(folder)
        self.first = {each.name: each.read_bytes() for each in folder.iterdir()}
        self.expected = self.read(folder)
        return [self.first]

    def read(self, folder: Path) -> Any:
        matcher = LearnedMatcher.load(folder)
        pair = matcher(self.graphs[[0]], self.graphs[[1]])
        return pair.to_dense().tolist(), matcher.num_classes, matcher.fit_scores

    def plain(self, files: Files) -> Any:
        return self.expected


_ = Malformed
