"""Fitting a matcher once for all runs that share a training split and the matcher's settings."""

from __future__ import annotations

from collections.abc import MutableMapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Self

from smixup.graphs import GraphBatch, Operator
from smixup.matching import Matcher
from smixup.matching.base import Graphs, as_graph_set
from smixup.progress import Report, silent

Cache = MutableMapping[tuple[str, str], Matcher]


@dataclass
class SharedMatcher(Matcher):
    """Fits as the matcher inside does, unless one with the same settings was fitted on the same graphs before.

    The training graphs themselves, labels included, are the key: nothing leaks from one split to another.

    Attributes:
        matcher: not fitted yet; its `repr` tells its settings.
        cache: fitted matchers, kept by whoever makes the runs.
    """

    matcher: Matcher
    cache: Cache

    def fit(self, train: Graphs, report: Report = silent) -> Self:
        graphs = as_graph_set(train)
        key = (repr(self.matcher), graphs.fingerprint())
        if key not in self.cache:
            self.cache[key] = deepcopy(self.matcher).fit(graphs, report)
        self.matcher = self.cache[key]
        self.num_classes = self.matcher.num_classes
        return self

    def __call__(self, left: GraphBatch, right: GraphBatch) -> Operator:
        return self.matcher(left, right)
