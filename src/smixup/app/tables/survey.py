"""What of an experiment is done, what failed, what is missing, and how long that will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from smixup.app.runs.config import RunConfig
from smixup.app.runs.words import counted
from smixup.app.sweeps.driver import unique
from smixup.app.sweeps.record import Record
from smixup.app.sweeps.time_left import RunKind, TimeEstimate
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.scope import Scope


@dataclass(frozen=True)
class Line:
    """The runs of one method on one dataset.

    Attributes:
        name: dataset, backbone and method.
        seconds: per run, as far as finished runs of their kind tell; None if nothing is known.
        left: seconds that one worker needs for what is missing; None if nothing is known.
    """

    name: str
    runs: int
    done: int
    failed: int
    seconds: float | None
    left: float | None

    @property
    def missing(self) -> int:
        """Runs without scores that did not fail."""
        return self.runs - self.done - self.failed


@dataclass(frozen=True)
class Survey:
    """An experiment as it stands.

    Attributes:
        lines: one per dataset, backbone and method.
        errors: why runs failed, and how many did for that reason.
        outdated: runs in the store with a configuration of the experiment, but of other code.
    """

    lines: Sequence[Line]
    errors: Mapping[str, int]
    outdated: int

    @property
    def total(self) -> Line:
        """All lines together."""
        runs, done, failed = (
            sum(getattr(line, name) for line in self.lines) for name in ("runs", "done", "failed")
        )
        known = [line.left for line in self.lines if line.left is not None]
        left = sum(known) if len(known) == len(self.lines) else None
        return Line("all", runs, done, failed, None, left)


def survey(experiment: Experiment, scope: Scope, records: Mapping[str, Record]) -> Survey:
    """Compare an experiment with a store."""
    runs, groups = unique(experiment.runs(scope)), dict[str, dict[str, RunConfig]]()
    for id, config in runs.items():
        groups.setdefault(_name(config), {})[id] = config
    times = TimeEstimate(records)
    lines = [_line(name, configs, records, times) for name, configs in groups.items()]
    failed = [records[id] for id in runs if id in records and not records[id].done]
    outdated = sum(id not in runs and record.current_id() in runs for id, record in records.items())
    return Survey(lines, Counter(record.error or "" for record in failed), outdated)


def _name(config: RunConfig) -> str:
    """Return dataset, backbone and method, and how many teachers there are, if any."""
    taught = [counted(config.teachers, "teacher")] if config.teachers else []
    return ", ".join([config.dataset, config.backbone, config.method, *taught])


def _line(
    name: str, configs: Mapping[str, RunConfig], records: Mapping[str, Record], times: TimeEstimate
) -> Line:
    states = {id: records[id].done if id in records else None for id in configs}
    expected = {id: times.expected(RunKind.of(vars(config))) for id, config in configs.items()}
    known = [seconds for seconds in expected.values() if seconds is not None]
    undone = [expected[id] for id, done in states.items() if not done]
    left = None if None in undone else sum(seconds for seconds in undone if seconds is not None)
    counts = Counter(states.values())
    mean = fmean(known) if known else None
    return Line(name, len(configs), counts[True], counts[False], mean, left)
