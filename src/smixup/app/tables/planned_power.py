"""What difference the paired runs of an experiment could see, told before they are run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import fmean, variance

from smixup.app.evidence.estimate import FEWEST
from smixup.app.evidence.power import Plan, detectable, trainings_needed
from smixup.app.runs.config import FEW, NESTED, RunConfig
from smixup.app.runs.graph_sizes import graph_count
from smixup.app.tables.cell import FilledCell, Records
from smixup.app.tables.comparison import detectable_difference
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.protocol import split_of
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope

POINT = 0.01
SCORE = "test"
LIMIT = 2.8  # standard errors that many pairs find with that chance; few pairs need more
UNLIMITED = 10**9  # graphs, where every seed draws new ones
OFFICIAL = "official split"
NOT_KNOWN = "graphs not counted"
NONE_LEFT = "no graphs left to test"
NO_POINTS = "an error, not a share"


@dataclass(frozen=True)
class Seen:
    """How far apart paired runs of a column were.

    Attributes:
        deviation: the standard deviation of differences to the reference between splits, as a
            share, pooled over methods and backbones.
        pairs: how many pairs of runs tell.
    """

    deviation: float
    pairs: int


@dataclass(frozen=True)
class PlannedPower:
    """One column of an experiment.

    Attributes:
        column: its name.
        runs: paired runs planned for every method.
        plan: which graphs they test; None if that cannot be told.
        why: the reason, then.
        seen: the noise that was observed; None if the one of `power.NOISE` is assumed.
    """

    column: str
    runs: int
    plan: Plan | None
    why: str = ""
    seen: Seen | None = None

    @property
    def detectable(self) -> float | None:
        """The difference, as a share, that is found with a chance of 80 %; infinite if the runs
        find none, None if that cannot be told.
        """
        if self.plan is None:
            return None
        if self.seen is None:
            return detectable(self.plan)
        return detectable_difference(self.seen.deviation, self.plan.splits)

    def runs_needed(self, difference: float = POINT) -> int | None:
        """Return how many runs of each method find a difference; None if no number does."""
        if self.plan is None:
            return None
        if self.seen is None:
            return trainings_needed(self.plan, difference)
        deviation = self.seen.deviation
        fewest = max(FEWEST, int((LIMIT * deviation / difference) ** 2))
        splits = next(n for n in count(fewest) if detectable_difference(deviation, n) <= difference)
        step = max(self.plan.folds, 1)
        return math.ceil(splits / step) * step * self.plan.initialisations


def planned_power(
    experiment: Experiment, scope: Scope, records: Records, root: Path | None = None
) -> list[PlannedPower]:
    """Return what every column of a scope could see.

    Where the store has runs of the reference and of another row on three splits at least, their
    differences tell the noise; it is assumed otherwise.

    Args:
        experiment: what is planned.
        scope: the part of it.
        records: what was run, by identity.
        root: the data root, where graphs are counted.
    """
    table = experiment.render(scope, records)
    columns: dict[str, list[FilledCell]] = {}
    for cell in table.cells:
        columns.setdefault(cell.column, []).append(cell)
    return [_of_column(name, cells, table, root) for name, cells in columns.items()]


def plan_of(configs: Sequence[RunConfig], root: Path | None = None) -> Plan | str:
    """Return which graphs the runs of one method test, or why that cannot be told."""
    first = configs[0]
    if first.split == "official":
        return OFFICIAL
    graphs = graph_count(first.dataset, root, first.dataset_options)
    if graphs is None:
        return NOT_KNOWN
    tested = _tested(first, graphs)
    if tested <= 0:
        return NONE_LEFT
    drawn_anew = len({str(config.dataset_options) for config in configs}) > 1
    shares = Counter(_split(config) for config in configs)
    return Plan(
        graphs=UNLIMITED if drawn_anew else graphs,
        splits=len(shares),
        tested=tested,
        initialisations=max(len(configs) // len(shares), 1),
        folds=0 if drawn_anew else _whole_folds(configs),
    )


def _of_column(
    name: str, cells: Sequence[FilledCell], table: ResultTable, root: Path | None
) -> PlannedPower:
    configs = cells[0].chosen.configs
    plan = plan_of(configs, root)
    if isinstance(plan, str):
        return PlannedPower(name, len(configs), None, plan)
    if not all(cell.score(SCORE).percent for cell in cells):
        return PlannedPower(name, len(configs), None, NO_POINTS)
    return PlannedPower(name, len(configs), plan, seen=_seen(cells, table))


def _tested(config: RunConfig, graphs: int) -> float:
    """Return how many graphs a split leaves to test; folds differ by one."""
    if config.split == FEW:
        trained = config.train_graphs or 0
        return graphs - trained - (config.validation_graphs or trained)
    if config.split in ("fold", NESTED):
        return graphs / config.num_folds
    return max(graphs // 10, 1)  # as `random_split` does


def _split(config: RunConfig) -> tuple[object, ...]:
    """Return what tells test sets apart; other graphs are others."""
    return split_of(vars(config)), str(config.dataset_options)


def _whole_folds(configs: Sequence[RunConfig]) -> int:
    """Return the number of folds if the runs test all of them, in every shuffle; 0 otherwise."""
    first = configs[0]
    if first.split not in ("fold", NESTED):
        return 0
    tested: dict[int, set[int]] = {}
    for config in configs:
        tested.setdefault(config.seed_of_split, set()).add(config.fold)
    whole = all(len(folds) == first.num_folds for folds in tested.values())
    return first.num_folds if whole else 0


def _seen(cells: Sequence[FilledCell], table: ResultTable) -> Seen | None:
    """Pool what the rows of a column show, each by its number of splits less one."""
    squares, freedom, pairs = 0.0, 0, 0
    for cell in cells:
        if cell.row == table.reference:
            continue
        reference = table.cell(cell.backbone, table.reference, cell.column)
        means, number = _differences(cell, reference)
        if len(means) >= FEWEST:
            squares += variance(means) * (len(means) - 1)
            freedom += len(means) - 1
            pairs += number
    if squares == 0:  # nothing was run, or nothing learnt
        return None
    return Seen(math.sqrt(squares / freedom), pairs)


def _differences(cell: FilledCell, reference: FilledCell) -> tuple[list[float], int]:
    """Return the difference of two cells on every split, initialisations averaged, and how many
    pairs of runs there are.
    """
    ours, theirs = _shares(cell), _shares(reference)
    by_split: dict[object, list[float]] = {}
    for config in cell.chosen.configs:
        if config.seed in ours and config.seed in theirs:
            found = ours[config.seed] - theirs[config.seed]
            by_split.setdefault(_split(config), []).append(found)
    return [fmean(each) for each in by_split.values()], sum(map(len, by_split.values()))


def _shares(cell: FilledCell) -> Mapping[int, float]:
    scale = cell.score(SCORE).scale
    return {seed: score / scale for seed, score in cell.scores(SCORE).items()}
