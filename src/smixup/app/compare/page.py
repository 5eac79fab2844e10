"""The page of a comparison: the verdict, what it rests on, what it costs, and what to type."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from pathlib import Path

from matplotlib.figure import Figure

from smixup.analysis.matcher_quality import evaluate_matcher
from smixup.app.compare.evidence import ERROR, LOOKS, POINTS, Verdict
from smixup.app.compare.pairs import PairedRuns
from smixup.app.compare.running import workspace_of
from smixup.app.compare.settings import CONTROL, FOLDS, IDENTITY, SEEDS, SMIXUP, VANILLA
from smixup.app.compare.verdicts import HEADER, Comparison, Row
from smixup.app.pages.explanation import model_values
from smixup.app.pages.page import render
from smixup.app.pictures.method_look import named_in, title_of
from smixup.app.pictures.paired_dots import DotRow, draw_dots
from smixup.app.runs.config import train_command
from smixup.app.runs.data import open_run
from smixup.app.runs.registry import make_method
from smixup.app.runs.run import versions
from smixup.app.runs.words import capital, counted, decimal
from smixup.app.workers import SharedMatcher, SharedMatchers
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching import Matcher, RandomOrder, Uniform

MEANINGS = {
    VANILLA.name: "is training without augmentation",
    SMIXUP: "adds mixes of two training graphs, whose nodes a learned matcher has aligned",
    IDENTITY: (
        "adds mixes of two training graphs, node by node: each node, such as a region of the "
        "brain, is mixed with the same node of the other graph"
    ),
    CONTROL: "adds mixes of two training graphs whose nodes are aligned at random",
}
"""What methods do, for who reads no more than the page."""
NETWORKS = {
    "gcn": "graph convolutional network",
    "gin": "graph isomorphism network",
    "gcn-edge": "graph convolutional network that reads features of edges",
    "gine": "graph isomorphism network that reads features of edges",
}
SHOWN = (
    *("backbone", "num_layers", "hidden_channels", "batch_norm", "epochs", "batch_size"),
    *("learning_rate", "selection", "split", "num_folds"),
)
PAIRS, MOST_GRAPHS = 200, 5000
"""Pairs on which a matcher is tried, and graphs up to which they are read for it."""


def compare_page(found: Comparison, file: Path, folder: Path | str | None = None) -> str:
    """Return the page.

    Args:
        found: the comparison.
        file: of its runs; the matchers beside it are measured.
        folder: where the recommended model is kept, if it was trained.
    """
    facts, root = found.pairs.facts, found.pairs.settings.root
    names = [VANILLA.name, *(each.name for each in found.verdicts)]
    names += [CONTROL] if found.alignment and CONTROL not in names else []
    subtitle = (
        f"{facts.name}, {facts.graphs} graphs. {network(found.pairs.settings.classifier)} "
        f"{counted(found.paired, 'paired run')} so far; {found.why}. {found.rest}"
    )
    return render(
        "compare/compare.html",
        title=named_in(found.headline),
        subtitle=subtitle.rstrip(),
        sentences=[capital(named_in(each)) for each in found.sentences()],
        found=found,
        model=found.model and model_values(found.model, str(folder), root),
        pictures={name: _picture(found, name) for name in ("score", "log_loss")},
        bar=_bar(found),
        header=HEADER,
        rows=list(_named_rows(found)),
        meanings=" ".join(
            capital(f"{title_of(name)} {MEANINGS[name]}.") for name in names if name in MEANINGS
        ),
        quality=alignment_quality(found.pairs, file),
        tried=PAIRS,
        looks=LOOKS,
        error=round(100 * ERROR),
        by_graph=any(each.score and each.score.by_graph for each in found.verdicts),
        control=capital(title_of(CONTROL))
        if any(arm.name == CONTROL for arm in found.pairs.arms)
        else "",
        again=_command(found.pairs),
        first_runs=_first_runs(found.pairs),
        shown=_settings(found),
    )


def network(backbone: str) -> str:
    """Say which network was trained.

    >>> network("gin")
    'The classifier that was trained is a GIN, a graph isomorphism network.'
    """
    name = f"The classifier that was trained is a {backbone.upper()}"
    return f"{name}, a {NETWORKS[backbone]}." if backbone in NETWORKS else f"{name}."


def _bar(found: Comparison) -> str:
    """Say what diamond and bar show, or why there is no bar."""
    if not any(each.score and math.isfinite(each.score.low) for each in found.verdicts):
        first = f"bounds come with the first look, after {LOOKS[0]} paired runs"
        return f"The diamond is the mean. There is no bar yet: {first}."
    return (
        "The diamond is the mean and the bar shows the bounds, both at the look that gave the "
        "verdict, or at the last look if none did."
    )


def _named_rows(found: Comparison) -> Iterator[Row]:
    """Yield the rows of the table, each with the method's name, so that it can stand alone."""
    last = ""
    for name, *others in found.rows():
        last = title_of(name) if name else last
        yield last, *others


def _picture(found: Comparison, outcome: str) -> dict[str, Figure]:
    """Draw the differences of the score or of the log loss, if it was measured."""
    verdicts: dict[str, Verdict | None] = {
        each.name: getattr(each, outcome) for each in found.verdicts
    }
    known = {name: verdict for name, verdict in verdicts.items() if verdict}
    if not known:
        return {}
    measure = next(iter(known.values())).measure
    scale, unit = (POINTS, ", points") if measure.points else (1.0, "")
    rows = []
    for name, each in known.items():
        dots, bounds = list(scale * each.differences), (scale * each.low, scale * each.high)
        rows.append(DotRow(name, dots, scale * each.mean, *bounds))
    title = f"difference of {measure.name}{unit}"
    figure = draw_dots(rows, title, scale * measure.margin, measure.higher_is_better)
    return {f"{title} of every paired run": figure}


def alignment_quality(pairs: PairedRuns, file: Path) -> list[Row]:
    """Measure the matcher of the first run, and controls, on held-out graphs of its split; no row
    where no method learns a matcher, its runs have left none behind, or graphs are too many.
    """
    folder = workspace_of(file)
    if pairs.facts.graphs > MOST_GRAPHS or not folder.is_dir():
        return []
    wrap = SharedMatchers(folder).wrap
    for arm in pairs.methods:
        config = pairs.settings.config(arm, 0)
        method = make_method(config.method, config.seed, config.method_settings, wrap)
        matcher = getattr(method, "matcher", None)
        if 0 not in pairs.done(arm) or not isinstance(matcher, SharedMatcher):
            continue
        opened = open_run(config, pairs.settings.root)
        learned = matcher.fit(opened.train).matcher
        matchers = {"learned": learned, "random alignment": RandomOrder(), "uniform": Uniform()}
        try:
            return [(name, *_quality(each, opened.held_out)) for name, each in matchers.items()]
        except SmixupError:  # too few graphs of a class for pairs of it
            return []
    return []


def _quality(matcher: Matcher, graphs: Graphs) -> Iterator[str]:
    quality = evaluate_matcher(matcher, graphs, PAIRS)
    for value in (quality.self_match, quality.perplexity, quality.triplet_accuracy):
        yield decimal(value, 2, "")


def _settings(found: Comparison) -> list[Row]:
    config = found.pairs.settings.config(VANILLA, 0).to_dict()
    rows = {name: config[name] for name in SHOWN} | versions()
    seconds = "seconds of this call", f"{found.seconds:.0f}"
    return [*((name, str(value)) for name, value in rows.items()), seconds]


def _first_runs(pairs: PairedRuns) -> str:
    begun = [arm for arm in pairs.arms if 0 in pairs.done(arm)]
    return "\n".join(train_command(pairs.settings.config(arm, 0)) for arm in begun)


def _command(pairs: PairedRuns) -> str:
    settings = pairs.settings
    words = ["smixup", "compare", settings.dataset, "--backbone", settings.classifier]
    names = [arm.name for arm in pairs.methods]
    if names != [SMIXUP]:
        words += [word for name in names for word in ("--method", name)]
    usual = {"seeds": SEEDS, "num_folds": FOLDS, "split": "fold", "margin": None}
    usual |= {"loss_margin": None, "root": None}
    options = {name: getattr(settings, name) for name in usual}
    changed = {name: value for name, value in options.items() if value != usual[name]}
    for name, value in {**changed, **settings.changes}.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    for name, value in settings.dataset_options.items():
        words += ["--data", f"{name}={value}"]
    return shlex.join(words if settings.control else [*words, "--no-control"])
