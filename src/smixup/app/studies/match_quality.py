"""Is the assignment an alignment? Matchers side by side on pairs that none of them has seen (Sec.
5.1).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, asdict, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import torch

from smixup.app.runs.build import make_matcher
from smixup.app.runs.opened import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER, MATCHERS
from smixup.app.studies.look import FULL, fit_settings, learns, require_fit
from smixup.choice import Choice
from smixup.errors import require, unknown_name
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Matcher
from smixup.matching.quality import Quality, evaluate_matcher
from smixup.progress import Progress, Report, silent
from smixup.seeding import generator

TIMED_PAIRS = 128
REPEATS = 3
OURS, SAVED, PUBLISHED = DEFAULT_MATCHER, "saved matcher", "paper (cosine, temperature 1)"
UNIFORM, RANDOM = CONTROLS = ("uniform", "random-order")
PAPERS_BATCH, PAPERS_STEPS = 32, 200


@dataclass(frozen=True)
class MatcherQuality:
    """One matcher.

    Attributes:
        matcher: its name.
        quality: what was measured on held-out pairs.
        fit_seconds: how long it learnt; None for one that was read from disk.
        milliseconds_per_pair: to assign, at 128 pairs a time.
        settings: its fields.
        fit: `quick` or `full`; None for one that was read from disk or does not learn.
    """

    matcher: str
    quality: Quality
    fit_seconds: float | None
    milliseconds_per_pair: float
    settings: dict[str, Any]
    fit: str | None = None


@dataclass(frozen=True)
class MatchReport:
    """Several matchers on the same held-out pairs.

    Attributes:
        dataset: whose held-out graphs the pairs are from.
        seed: of the split, unless a saved matcher brought its own, and of the matchers.
        motif_chance: the motif mass of a uniform assignment; None without motif.
        pairs: how many.
        threads: with which the times were taken.
        rows: one per matcher.
    """

    dataset: str
    seed: int
    motif_chance: float | None
    pairs: int
    threads: int
    rows: list[MatcherQuality]

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        shared = {name: value for name, value in vars(self).items() if name != "rows"}
        return shared | {"matchers": [_flat(row) for row in self.rows]}


def _flat(row: MatcherQuality) -> dict[str, Any]:
    measured = {
        name: value
        for name, value in asdict(row.quality).items()
        if name not in ("motif_chance", "pairs")
    }
    own = {name: value for name, value in vars(row).items() if name not in ("matcher", "quality")}
    return {"matcher": row.matcher} | measured | own


def match_quality(
    dataset: str,
    seed: int | None = None,
    root: Path | None = None,
    num_pairs: int = 500,
    saved: Path | None = None,
    paper: bool = True,
    report: Report = silent,
    dataset_options: Mapping[str, Any] | None = None,
    matchers: Sequence[str] = (),
    fit: str = FULL,
) -> MatchReport:
    """Measure the default matcher, or a saved one, beside the controls; or any matchers beside each
    other.

    Args:
        dataset: a name in any case.
        seed: see `open_dataset`.
        root: the data root.
        num_pairs: drawn from validation and test split together.
        saved: the folder of a saved matcher, in place of one with default settings.
        paper: whether the paper's cosine at temperature 1 is fitted and measured too, see
            `comparable_published`.
        report: told of every step.
        dataset_options: parameters of the dataset.
        matchers: names in the registry; if there are any, they take the place of default matcher,
            controls and paper.
        fit: of matchers that learn, but for the paper's: `quick` or `full`, see `studies/look.py`.
    """
    require_fit(fit)
    require(num_pairs >= 1, "number of pairs", num_pairs, "1 or more")
    for name in matchers:  # a saved one would bring another split
        if name not in MATCHERS.entries:
            raise unknown_name("matcher", name, MATCHERS)
    opened = open_dataset(dataset, seed, saved, root, dataset_options)
    own, rows = opened.chosen, []
    if own is not None:
        title = SAVED if matchers else name_of(own)
        rows.append(measure(title, own, None, opened.held_out, num_pairs))
    others = named(matchers, opened.seed, fit) or competitors(opened.seed, own is None, paper, fit)
    total = len(rows) + len(others)
    for title, matcher in others.items():
        report(Progress("measured", len(rows), total, unit="matchers"))
        started = time.perf_counter()
        matcher.fit(opened.train, report)
        seconds = time.perf_counter() - started
        row = measure(title, matcher, seconds, opened.held_out, num_pairs)
        rows.append(replace(row, fit=fit_of(title, fit)))
    report(Progress("measured", total, total, unit="matchers"))
    chance, threads = rows[0].quality.motif_chance, torch.get_num_threads()
    return MatchReport(opened.dataset, opened.seed, chance, num_pairs, threads, rows)


def competitors(seed: int, ours: bool, paper: bool, fit: str = FULL) -> dict[str, Matcher]:
    """Return the matchers to fit, by title."""
    matchers = named([OURS] * ours + list(CONTROLS), seed, fit)
    return matchers | ({PUBLISHED: comparable_published(seed)} if paper else {})


def named(names: Iterable[str], seed: int, fit: str = FULL) -> dict[str, Matcher]:
    """Return matchers with default settings, but for a quick fit, by name, each once."""
    return {name: make_matcher(name, seed, fit_settings(name, fit)) for name in names}


def fit_of(title: str, fit: str) -> str | None:
    """Return how a matcher was fitted; the paper's always fully, and those that do not learn not
    at all.
    """
    return FULL if title == PUBLISHED else fit if learns(title) else None


def name_of(matcher: Matcher) -> str:
    """Return the name of a matcher in the registry."""
    kind = type(matcher)
    entries = kind, f"{kind.__module__}:{kind.__qualname__}"
    return next(name for name, entry in MATCHERS.entries.items() if entry in entries)


def comparable_published(seed: int, steps: int = PAPERS_STEPS) -> GraphMatcher:
    """Return the paper's matcher at the width of ours, with a layer more and longer training:
    comparable, and done in a minute.

    It does not stop early, as the paper's does not, and it sees degrees: where all nodes look
    alike, as on MOTIF, it would not learn to tell classes apart in that time, and losing to it
    would mean nothing.
    """
    return GraphMatcher.as_published(
        hidden_channels=GraphMatcher.hidden_channels,
        batch_size=PAPERS_BATCH,
        max_steps=steps,
        patience=steps,
        degree=True,
        seed=seed,
    )


def measure(
    title: str, matcher: Matcher, seconds: float | None, graphs: Graphs, num_pairs: int
) -> MatcherQuality:
    """Measure a fitted matcher on pairs drawn from `graphs`."""
    quality = evaluate_matcher(matcher, graphs, num_pairs)
    settings = settings_of(matcher)
    return MatcherQuality(title, quality, seconds, milliseconds_per_pair(matcher, graphs), settings)


def settings_of(matcher: Matcher) -> dict[str, Any]:
    """Return what its constructor takes, ready for JSON; nothing for a matcher that is no
    dataclass.
    """
    parts: tuple[Field[Any], ...] = fields(matcher) if is_dataclass(matcher) else ()
    own = {each.name: getattr(matcher, each.name) for each in parts if each.init}
    return {name: str(value) if isinstance(value, Choice) else value for name, value in own.items()}


def milliseconds_per_pair(matcher: Matcher, graphs: Graphs) -> float:
    """Return the time to assign a pair: the fastest of a few rounds over the same pairs."""
    left, right = torch.randint(
        len(graphs), (2, TIMED_PAIRS), generator=generator(0, "timed pairs")
    )
    rounds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        matcher(graphs[left], graphs[right])
        rounds.append(time.perf_counter() - started)
    return 1000 * min(rounds) / TIMED_PAIRS
