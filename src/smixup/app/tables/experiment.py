"""What an experiment is: arms in rows, conditions in columns, one table per backbone."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from typing import Annotated, Any

from smixup.app.runs.config import RunConfig, configure
from smixup.app.sweeps.order import fits_first
from smixup.app.tables.arm import Arm
from smixup.app.tables.cell import Candidate, Cell, Published, Records
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope
from smixup.datasets.catalogue import canonical_name
from smixup.errors import UsageError, unknown_name
from smixup.ranges import Range, RangedFields

Changes = Mapping[str, Any]
PAPER_SEEDS = 10


def always(**changes: Any) -> Callable[[int], Changes]:
    """Return the same changes at every seed."""
    return lambda seed: changes


@dataclass(frozen=True)
class Column:
    """A condition.

    Attributes:
        name: above the column.
        dataset: its name.
        changes: fields of `RunConfig` other than the preset's, at a seed.
        backbones: those that have the column, all if empty.
    """

    name: str
    dataset: str
    changes: Callable[[int], Changes] = field(default_factory=always)
    backbones: Sequence[str] = ()

    def stands_under(self, backbone: str) -> bool:
        """Whether the table of a backbone has the column."""
        return not self.backbones or backbone in self.backbones


@dataclass(frozen=True)
class Experiment(RangedFields):
    """A table of the paper, or one in its manner.

    Attributes:
        name: on the command line.
        title: above the table.
        backbones: a table each.
        arms: the rows; the first is what the others are compared with.
        columns: the conditions.
        published: the paper's values by backbone, row and column.
        published_by: whose values they are.
        seeds: paired runs per cell, where nobody asks for more or fewer.
        settings: fields of `RunConfig` to be chosen on validation scores, one mapping per
            candidate; the same for every arm, Vanilla included, so that all have the same budget.
        choose_by_fold: choose for every fold by itself, as nested cross-validation does.
        note: what a reader must know to read the table rightly.
    """

    name: str
    title: str
    backbones: Sequence[str]
    arms: Sequence[Arm]
    columns: Sequence[Column]
    published: Mapping[tuple[str, str, str], Published] = field(default_factory=dict)
    published_by: str = "paper"
    seeds: Annotated[int, Range(1, limit=10_000)] = PAPER_SEEDS
    note: str = ""
    settings: Sequence[Changes] = ({},)
    choose_by_fold: bool = False

    def grid(self, scope: Scope) -> list[Cell]:
        """Return the cells of a scope, each with all of its runs."""
        backbones = _kept("backbone", self.backbones, scope.backbones)
        places = product(self._columns(scope), backbones, self._arms(scope))
        return [
            self._cell(column, backbone, arm, scope)
            for column, backbone, arm in places
            if column.stands_under(backbone)
        ]

    def runs(self, scope: Scope) -> list[RunConfig]:
        """Return all runs of a scope, column by column, in an order in which few wait for another's
        matcher.
        """
        columns = groupby(self.grid(scope), key=lambda cell: cell.column)
        return [
            run
            for _, cells in columns
            for run in fits_first(each for cell in cells for each in cell.configs)
        ]

    def render(self, scope: Scope, records: Records) -> ResultTable:
        """Return the table as far as it was run."""
        cells = [cell.choose(records) for cell in self.grid(scope)]
        reference, by = self.arms[0].name, self.published_by
        return ResultTable(self.name, self.title, self.note, scope, cells, reference, by)

    def _columns(self, scope: Scope) -> list[Column]:
        names = [name for column in self.columns for name in (column.dataset, column.name)]
        for name in scope.datasets:
            self._require_column(name, names)
        kept = _kept("dataset", names, [canonical_name(name) or name for name in scope.datasets])
        return [column for column in self.columns if column.dataset in kept or column.name in kept]

    def _require_column(self, name: str, known: Sequence[str]) -> None:
        """Refuse data that is there, but none of the experiment's, with the way to compare on it; a
        name that nobody knows is refused beside the nearest.
        """
        found = canonical_name(name)
        if found is None or found.lower() in {each.lower() for each in known}:
            return
        own = ", ".join(dict.fromkeys(column.dataset for column in self.columns))
        raise UsageError(
            f"{name} is no dataset of the experiment {self.name}, which has {own}; methods are "
            f"compared on any data by smixup compare {shlex.quote(name)}."
        )

    def _arms(self, scope: Scope) -> list[Arm]:
        names = [name for arm in self.arms for name in (arm.name, arm.method)]
        _kept("method", names, scope.methods)
        reference, *others = self.arms
        wanted = [arm for arm in others if not scope.methods or self._named(arm, scope.methods)]
        return [reference, *wanted]

    def _named(self, arm: Arm, wanted: Sequence[str]) -> bool:
        """Whether a name means the arm: a row's own spelling means that row alone, any other also
        its method.
        """
        rows = {each.name for each in self.arms}
        return any(
            name == arm.name if name in rows else name.lower() in (arm.name.lower(), arm.method)
            for name in wanted
        )

    def _cell(self, column: Column, backbone: str, arm: Arm, scope: Scope) -> Cell:
        seeds = range(scope.first_seed, scope.first_seed + (scope.seeds or self.seeds))
        tried = product(self.settings, arm.choices()) if scope.search else [({}, {})]
        candidates = [
            Candidate(
                {**shared, **own},
                [_config(column, backbone, arm, shared, own, seed, scope) for seed in seeds],
            )
            for shared, own in tried
        ]
        place = (backbone, arm.name, column.name)
        return Cell(*place, candidates, self.published.get(place), self.choose_by_fold)


def _config(
    column: Column, backbone: str, arm: Arm, shared: Changes, own: Changes, seed: int, scope: Scope
) -> RunConfig:
    changes = {**column.changes(seed), **arm.changes, **shared}
    if scope.epochs is not None:
        changes["epochs"] = scope.epochs
    changes["method_settings"] = {**arm.settings_under(backbone), **own}
    return configure(column.dataset, backbone, arm.method, seed, **changes)


def _kept(kind: str, known: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """Return the known names that are wanted, in any case, each once and in their own order; all if
    none is named.
    """
    by_lower = {name.lower(): name for name in known}
    for name in wanted:
        if name.lower() not in by_lower:
            raise unknown_name(f"{kind} of this experiment", name, by_lower.values())
    chosen = {name.lower() for name in wanted} or by_lower.keys()
    return [name for lower, name in by_lower.items() if lower in chosen]
