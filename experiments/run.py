"""Runs of a table: which there are, doing those that are missing, and keeping them as records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path

import smixup
from experiments import records
from experiments.records import Place, Record, record
from experiments.tables import TABLES, Changes, Table
from smixup.app.runs.config import RunConfig, configure
from smixup.app.store import Finished, Store, key_of
from smixup.app.workers import Job, run_jobs
from smixup.errors import UsageError, unknown_name
from smixup.names import CLASSICAL

DEFAULT = "{}"
DEFAULTS = {each.name: each.default for each in fields(RunConfig)}


@dataclass(frozen=True)
class Part:
    """A part of a table; all of it, at the defaults of every method, if nothing is named.

    Attributes:
        columns: their names, or those of their datasets.
        backbones, arms: their names; what arms are compared with always stays.
        seeds: paired runs per cell, the table's own number if None.
        first_seed: others than the table's, such as 100, are for trying things out.
        epochs: other than the table's, for a rehearsal.
        search: the whole grid of every arm.
    """

    columns: Sequence[str] = ()
    backbones: Sequence[str] = ()
    arms: Sequence[str] = ()
    seeds: int | None = None
    first_seed: int = 0
    epochs: int | None = None
    search: bool = False


WHOLE = Part()


def configurations(name: str, part: Part = WHOLE) -> dict[Place, RunConfig]:
    """Return the runs of a table, seed by seed, so that pairs are complete early."""
    table = TABLES[name]
    datasets = {dataset for dataset, _ in table.columns.values()}
    columns = _named("column", {*table.columns, *datasets}, part.columns)
    backbones = _named("backbone", table.backbones, part.backbones)
    first = next(iter(table.arms))
    arms = {*_named("arm", table.arms, part.arms), first}
    seeds = range(part.first_seed, part.first_seed + (part.seeds or table.seeds))
    found = dict[Place, RunConfig]()
    for (column, (dataset, _)), seed in product(table.columns.items(), seeds):
        if column in columns or dataset in columns:
            for backbone, arm in product(table.backbones, table.arms):
                wanted = backbone in backbones and arm in arms
                there = backbone == "gcn" or column not in table.gcn
                if wanted and there and (backbone not in CLASSICAL or arm == first):
                    place = Place(name, column, backbone, arm, DEFAULT, seed)
                    found |= _candidates(table, place, part)
    return found


def _named(kind: str, known: Iterable[str], wanted: Sequence[str]) -> set[str]:
    by_lower = {name.lower(): name for name in known}
    for name in wanted:
        if name.lower() not in by_lower:
            raise unknown_name(kind, name, sorted(by_lower.values()))
    return {by_lower[name.lower()] for name in wanted} or set(by_lower.values())


def _candidates(table: Table, place: Place, part: Part) -> Iterator[tuple[Place, RunConfig]]:
    """Yield the run of a place and, if the grid is searched, its other settings."""
    arm, (dataset, changes) = table.arms[place.arm], table.columns[place.column]
    changes = changes(place.seed) if callable(changes) else changes
    rehearsal = {} if part.epochs is None else {"epochs": part.epochs}
    settings = {**arm.settings, **(arm.gin if place.backbone == "gin" else {})}

    def config(shared: Changes, own: Changes) -> RunConfig:
        fields = {**changes, **rehearsal, **shared, "method_settings": {**settings, **own}}
        return configure(dataset, place.backbone, arm.method, place.seed, **fields)

    default = config({}, {})
    yield place, default
    grid = [dict(zip(arm.grid, values, strict=True)) for values in product(*arm.grid.values())]
    for shared, own in product(table.settings, grid) if part.search else ():
        if (candidate := config(shared, own)) != default:
            setting = json.dumps({**shared, **own}, sort_keys=True)
            yield place._replace(setting=setting), candidate


def missing(
    runs: Mapping[Place, RunConfig], store: Path, root: Path | None
) -> tuple[dict[str, Place], dict[str, RunConfig]]:
    """Return all runs by key, and those that neither the store has nor, by this version, the
    records; a run that stands in several places is one.
    """
    known = records.configurations(smixup.__version__)
    recorded = {place: DEFAULTS | config for place, config in known.items()}  # of newer fields
    places = {key_of(config, root): place for place, config in runs.items()}
    with closing(Store(store)) as kept:
        done = kept.fetch(places)
    left = {key: place for key, place in places.items() if key not in done}
    written = {place: json.loads(json.dumps(runs[place].to_dict())) for place in left.values()}
    return places, {
        key: runs[place]
        for key, place in left.items()
        if place not in recorded or not written[place].items() <= recorded[place].items()
    }


def run(
    runs: Mapping[Place, RunConfig],
    store: Path,
    *,
    root: Path | None = None,
    workers: int = 1,
    cluster: str | None = None,
) -> Iterator[str]:
    """Do what is missing of some runs, and tell of each in a line.

    Every finished run is in the store at once and whole, so that the same call goes on after a
    kill. Fitted matchers are in a folder beside the store.
    """
    places, left = missing(runs, store, root)
    yield f"{len(places) - len(left)} of {len(places)} runs are done."
    jobs = [Job(key, config) for key, config in left.items()]
    folder = store.with_suffix(".workspace")
    outcomes = run_jobs(jobs, workers, cluster=cluster, root=root, matchers=folder)
    with closing(Store(store)) as kept, closing(outcomes):
        for number, outcome in enumerate(outcomes, start=1):
            _, column, backbone, arm, setting, seed = places[outcome.key]
            words = [column, backbone, arm, *([setting] if setting != DEFAULT else [])]
            what = outcome.error
            if outcome.result is not None:
                kept.keep(outcome.key, left[outcome.key], outcome.result, outcome.seconds)
                what = f"{outcome.result.test:.4f}, {outcome.seconds:.0f} s"
            yield f"{number}/{len(left)} {', '.join(words)}, seed {seed}: {what}"


def shard(runs: Mapping[Place, RunConfig], which: str) -> dict[Place, RunConfig]:
    """Return a part of some runs, such as `0/8`; the runs of a column and a seed stay together, so
    that a matcher is fitted once.
    """
    number, _, of = which.partition("/")
    if not (number.isdecimal() and of.isdecimal() and int(number) < int(of)):
        raise UsageError(f"a part is written as 0/8 to 7/8, not as {which}.")
    groups = {place: group for group, place in enumerate({(p.column, p.seed): 0 for p in runs})}
    return {
        place: config
        for place, config in runs.items()
        if groups[place.column, place.seed] % int(of) == int(number)
    }


def finished(name: str, stores: Sequence[Path], root: Path | None) -> dict[Place, Record]:
    """Return the runs of a table that stores have, of any version."""
    found = dict[str, Finished]()
    wanted = configurations(name, Part(search=True)) if stores else {}
    keys = {place: key_of(config, root) for place, config in wanted.items()}
    for store in stores:
        if not store.is_file():
            raise UsageError(f"there is no store {store}.")
        with closing(Store(store)) as kept:
            found |= kept.fetch(keys.values(), any_version=True)
    rows = {place: record(place, found[key]) for place, key in keys.items() if key in found}
    if TABLES[name].by_graph:
        return rows
    return {place: replace(row, predictions=None) for place, row in rows.items()}


def keep(name: str, stores: Sequence[Path], root: Path | None = None) -> tuple[int, int]:
    """Write what stores have of a table into `records.parquet`, and return how many records are
    new, and how many runs were on record before; they are replaced.
    """
    known = {each.place: each for each in records.read()}
    found = finished(name, stores, root)
    records.write((known | found).values())
    before = len(found.keys() & known.keys())
    return len(found) - before, before
