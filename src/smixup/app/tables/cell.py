"""One cell of a table: the runs behind it, the choice among them, and the numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from statistics import fmean
from typing import Any

from smixup.app.runs.config import RunConfig
from smixup.app.sweeps.identity import run_id
from smixup.app.sweeps.record import Record
from smixup.app.tables.comparison import Difference, Summary
from smixup.app.tables.score import Score, score_of

Records = Mapping[str, Record]
UNKNOWN_METRIC = "accuracy"
"""Of a cell without runs."""


@dataclass(frozen=True)
class Candidate:
    """One setting of a method's grid.

    Attributes:
        settings: the fields that are searched.
        configs: one run per seed.
    """

    settings: Mapping[str, Any]
    configs: Sequence[RunConfig]

    @cached_property
    def ids(self) -> dict[int, str]:
        """The identities of its runs by seed."""
        return {config.seed: run_id(config) for config in self.configs}

    def of_fold(self, fold: int) -> Candidate:
        """Return the candidate with the runs that test one fold."""
        return Candidate(self.settings, [each for each in self.configs if each.fold == fold])

    def finished(self, records: Records) -> dict[int, Record]:
        """Return its finished runs by seed."""
        found = {seed: records.get(id) for seed, id in self.ids.items()}
        return {seed: run for seed, run in found.items() if run is not None and run.done}

    def merit(self, records: Records) -> float:
        """Return the mean validation score over its finished runs, of an error the negative: the
        higher, the better.
        """
        runs = self.finished(records)
        scores = scores_by_seed(runs, "validation").values()
        sign = -1 if score_of("validation", metric_of(runs)).lower_is_better else 1
        return sign * fmean(scores) if scores else -math.inf


@dataclass(frozen=True)
class Published:
    """What the paper reports for a cell, in percent."""

    mean: float
    deviation: float | None = None


@dataclass(frozen=True)
class Cell:
    """A place in a table.

    Attributes:
        backbone, row, column: where it stands.
        candidates: the grid.
        published: the paper's value.
        by_fold: choose for every fold by itself.
    """

    backbone: str
    row: str
    column: str
    candidates: Sequence[Candidate]
    published: Published | None = None
    by_fold: bool = False

    @property
    def configs(self) -> list[RunConfig]:
        """All runs behind the cell."""
        return [config for candidate in self.candidates for config in candidate.configs]

    def choose(self, records: Records) -> FilledCell:
        """Choose the candidate with the best mean validation score, over all runs or fold by fold;
        the test split has no say.

        Only candidates with the most finished seeds take part, so that none wins by a few easy
        splits.
        """
        chosen = self._chosen(records)
        finished = [len(each.finished(records)) for each in self.candidates]
        tried = (records.get(id) for each in self.candidates for id in each.ids.values())
        return FilledCell(
            **vars(self),
            chosen=chosen,
            runs=chosen.finished(records),
            complete=min(finished) == len(chosen.configs),
            failed=sum(record is not None and not record.done for record in tried),
        )

    def _chosen(self, records: Records) -> Candidate:
        """Return the best candidate, or the best of every fold as one."""
        if not self.by_fold or len(self.candidates) == 1:
            return _best(self.candidates, records)
        folds = sorted({config.fold for config in self.configs})
        best = {
            fold: _best([each.of_fold(fold) for each in self.candidates], records) for fold in folds
        }
        settings = {f"fold {fold}": _words(each.settings) for fold, each in best.items()}
        configs = [config for each in best.values() for config in each.configs]
        return Candidate(settings, sorted(configs, key=lambda config: config.seed))


def _best(candidates: Sequence[Candidate], records: Records) -> Candidate:
    finished = [len(each.finished(records)) for each in candidates]
    eligible = compress(candidates, (number == max(finished) for number in finished))
    return max(eligible, key=lambda each: each.merit(records))


def _words(settings: Mapping[str, Any]) -> str:
    return " and ".join(f"{name} {value}" for name, value in settings.items()) or "defaults"


@dataclass(frozen=True, kw_only=True)
class FilledCell(Cell):
    """A cell with the runs that it shows.

    Attributes:
        chosen: the candidate that was chosen.
        runs: its finished runs by seed.
        complete: whether the whole grid was run at all seeds.
        failed: how many runs of the grid failed.
    """

    chosen: Candidate
    runs: Mapping[int, Record]
    complete: bool
    failed: int

    def score(self, name: str) -> Score:
        """Return how a score of these runs is shown."""
        return score_of(name, metric_of(self.runs))

    def scores(self, name: str) -> dict[int, float]:
        """Return one score per seed, a share in percent."""
        scale = self.score(name).scale
        return {seed: scale * score for seed, score in scores_by_seed(self.runs, name).items()}

    def summary(self, name: str) -> Summary | None:
        """Return mean and deviation, None if nothing was run."""
        scores = list(self.scores(name).values())
        return Summary.of(scores) if scores else None

    def difference(self, reference: FilledCell, name: str) -> Difference | None:
        """Compare with another cell on the seeds that both have, None if there is none."""
        ours, theirs = self.scores(name), reference.scores(name)
        pairs = [(ours[seed], theirs[seed]) for seed in sorted(ours.keys() & theirs.keys())]
        return Difference.between(*zip(*pairs, strict=True)) if pairs else None


def metric_of(runs: Mapping[int, Record]) -> str:
    """Return the metric by which runs of one dataset were scored."""
    results = (record.result for record in runs.values())
    return next((result.metric for result in results if result is not None), UNKNOWN_METRIC)


def scores_by_seed(runs: Mapping[int, Record], name: str) -> dict[int, float]:
    """Return one field of the results of finished runs, where it is a number."""
    found = {seed: getattr(record.result, name) for seed, record in runs.items()}
    return {seed: score for seed, score in found.items() if not math.isnan(score)}
