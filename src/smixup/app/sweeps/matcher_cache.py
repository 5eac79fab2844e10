"""Fitted matchers on disk, each fitted once for all runs with its settings and training split."""

from __future__ import annotations

import shutil
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from filelock import FileLock
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import AnyGraphs, Graphs, Operator, as_graphs
from smixup.matching import LearnedMatcher, Matcher
from smixup.matching.storage import ABOUT, load_matcher, save_matcher
from smixup.progress import Report, silent
from smixup.warning import warn_user


@dataclass(frozen=True)
class MatcherCache:
    """A folder of fitted matchers, for all processes that run at the same time or later.

    The training graphs themselves, labels included, are part of the key: nothing leaks from one
    split to another.

    Attributes:
        path: the folder; made when needed, may be deleted when nobody fits.
        version: of the code that fits; another version fits anew.
    """

    path: Path
    version: str = ""

    def wrap(self, matcher: Matcher) -> Matcher:
        """Return a matcher that is fitted by way of this cache; one that has nothing to learn is
        returned as it is.
        """
        return CachedMatcher(matcher, self) if isinstance(matcher, LearnedMatcher) else matcher

    def fitted(
        self, matcher: LearnedMatcher, graphs: Graphs, report: Report = silent
    ) -> LearnedMatcher:
        """Return the matcher fitted on the graphs; a process that comes while another fits it waits
        for that one.
        """
        key = sha256(f"{matcher!r}/{graphs.fingerprint()}/{self.version}".encode()).hexdigest()[:24]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path / f"{key}.lock").acquire()
        except OSError:  # nothing can be kept there
            return deepcopy(matcher).fit(graphs, report)
        with lock:
            try:
                return load_matcher(self.path / key)
            except SmixupError:
                found = deepcopy(matcher).fit(graphs, report)
                self._keep(found, self.path / key)
                return found

    def _keep(self, matcher: LearnedMatcher, folder: Path) -> None:
        """Write a matcher in the place of what could not be read; if that fails, the next run fits
        it again.
        """
        try:
            if folder.exists() and not any(each.name == ABOUT for each in folder.iterdir()):
                shutil.rmtree(folder, ignore_errors=True)
            save_matcher(matcher, folder)
        except (SmixupError, OSError) as error:
            warn_user(f"the matcher is not kept: {error}")


@dataclass
class CachedMatcher(Matcher):
    """Fits as the matcher inside does, unless one with the same settings was fitted on the same
    graphs before.

    Attributes:
        matcher: not fitted yet; its `repr` tells its settings.
        cache: where fitted matchers are kept.
    """

    matcher: LearnedMatcher
    cache: MatcherCache

    @property
    def fitted(self) -> bool:
        return self.matcher.fitted

    def fit(self, train: AnyGraphs, report: Report = silent) -> Self:
        self.matcher = self.cache.fitted(self.matcher, as_graphs(train), report)
        self.num_classes = self.matcher.num_classes
        return self

    def __call__(self, left: Graphs, right: Graphs) -> Operator:
        return self.matcher(left, right)

    def prepare(self, graphs: Graphs) -> Graphs:
        return self.matcher.prepare(graphs)

    def assign(self, prepared: Graphs, left: Tensor, right: Tensor) -> Operator:
        return self.matcher.assign(prepared, left, right)
