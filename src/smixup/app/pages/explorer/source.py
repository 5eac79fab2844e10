"""The explorer's page of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from smixup.app.explain import Explained, explain_prediction
from smixup.app.pages.explorer.page import ExplorerPage
from smixup.app.pages.explorer.pairs import ExplorerPair
from smixup.app.pages.explorer.ways import ALIGNED, PAPER, RANDOM, UNIFORM, WayKind
from smixup.app.runs.build import make_matcher
from smixup.app.runs.opened import Opened, open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER
from smixup.app.studies import match_quality
from smixup.app.studies.look import FULL, QUICK, QUICK_STEPS, described, require_fit, with_fit
from smixup.app.studies.match_quality import comparable_published
from smixup.app.studies.mixed_pair import TRANSPORT
from smixup.app.studies.pair_source import PairSource, class_names, feature_word
from smixup.augment.transport import TRANSPORTS, Transport
from smixup.errors import SmixupError
from smixup.matching import Matcher
from smixup.models import Model, load_model
from smixup.models.new_data import NewData
from smixup.progress import Progress, Report, silent
from smixup.tasks import Classes

ABOUT = {
    RANDOM: "nodes matched in random order",
    UNIFORM: "every node of G2 spread evenly over all nodes of G1",
    PAPER: "the paper's matcher: cosine, temperature 1, taught by triplets alone",
}


def explore_dataset(
    dataset: str,
    matcher: str = DEFAULT_MATCHER,
    number: int = 12,
    first: tuple[int, int] | None = None,
    seed: int | None = None,
    root: Path | None = None,
    options: Mapping[str, Any] | None = None,
    report: Report = silent,
    transport: str | Transport = TRANSPORT,
    fit: str = FULL,
    model: Path | None = None,
    paper: bool = True,
    fitted: Mapping[str, Matcher] | None = None,
) -> ExplorerPage:
    """Load and split a dataset as `smixup train` does, fit or read a matcher, and return a page of
    test pairs.

    Args:
        dataset: a name in any case.
        matcher: a name of the registry, fitted on the training split, or a folder that
            `smixup match fit` wrote.
        number: of pairs.
        first: positions in the dataset of the pair to open with.
        seed: see `open_dataset`.
        root: the data root.
        options: parameters of the dataset.
        report: told of every step.
        transport: the way from M to G2', see `augment/transport.py`.
        fit: of a matcher that learns, `quick` or `full`; see `studies/look.py`.
        model: the folder of a kept model, whose predictions are explained on the page.
        paper: whether the paper's matcher is fitted, too, for the switch; as quickly or fully.
        fitted: matchers by name (`studies/match_quality.py`) that were fitted on this split before;
            they are not fitted again.
    """
    carry = TRANSPORTS.of(transport)
    require_fit(fit)
    kept = None if model is None else load_model(model)
    opened = with_fit(open_dataset(dataset, seed, matcher, root, options), matcher, fit)
    source = PairSource.of(opened)
    pairs = source.choose(number, first)
    known = fitted or {}
    opened = replace(opened, chosen=known.get(matcher, opened.chosen))
    others = _others(opened, matcher, fit, paper, known, report)
    explain = None
    if kept is not None:
        explain = _explainer(kept, kept.open(dataset, root, **(options or {})), len(source.graphs))
    name, own = described(matcher, fit), opened.matcher(report)
    page = page_of(source, pairs, own, name, carry, explain, others, report)
    if first is not None:
        page = replace(page, first=0)
    if kept is None or not isinstance(kept.task, Classes):
        return page
    return replace(page, class_names=[str(each) for each in kept.task.names])


def _explainer(model: Model, data: NewData, number: int) -> Callable[[int], Explained]:
    """Return what explains a prediction by the position of its graph."""
    if len(data.graphs) != number:
        raise SmixupError(
            f"the model reads {len(data.graphs)} graphs where the explorer has {number}: train it "
            "on this dataset, with the same --data."
        )
    return partial(explain_prediction, model, data)


def _others(
    opened: Opened,
    matcher: str,
    fit: str,
    paper: bool,
    known: Mapping[str, Matcher],
    report: Report,
) -> dict[str, Matcher]:
    """Return what the matcher is compared with: those of `CONTROLS` that it is not itself, and the
    paper's cosine.
    """
    others = controls(opened.seed, matcher)
    if paper and match_quality.PUBLISHED in known:
        others[PAPER] = known[match_quality.PUBLISHED]
    elif paper:
        cosine = comparable_published(opened.seed)
        if fit == QUICK:
            cosine = replace(cosine, max_steps=QUICK_STEPS)
        others[PAPER] = cosine.fit(opened.train, report)
    return others


def controls(seed: int, besides: str = "") -> dict[str, Matcher]:
    """Return the matchers of the switch that learn nothing, but for the one that is shown
    anyway.
    """
    found = {RANDOM: match_quality.RANDOM, UNIFORM: match_quality.UNIFORM}
    return {name: make_matcher(own, seed, {}) for name, own in found.items() if own != besides}


def page_of(
    source: PairSource,
    pairs: Sequence[tuple[int, int]],
    matcher: Matcher,
    matcher_name: str,
    transport: str | Transport = TRANSPORT,
    explain: Callable[[int], Explained] | None = None,
    others: Mapping[str, Matcher] | None = None,
    report: Report = silent,
    measured: bool = True,
) -> ExplorerPage:
    """Match the pairs and return their page.

    Args:
        source: of the graphs.
        pairs: positions of their graphs.
        matcher: whose alignments the page opens with.
        matcher_name: what it is called.
        transport: the way from M to G2'.
        explain: see `ExplorerPair.of`.
        others: fitted matchers to switch to, by a name of `ways.METHODS`; by default random order
            and uniform, which need no fit.
        report: told of every pair.
        measured: see `ExplorerPair.of`.
    """
    others = controls(source.seed) if others is None else others
    found = []
    for place, (left, right) in enumerate(pairs):
        report(Progress("pairs measured", place, len(pairs), unit="pairs"))
        graphs = source.graphs[[left]], source.graphs[[right]]
        found.append(
            ExplorerPair.of(matcher, *graphs, transport, explain, others, measured, source.dataset)
        )
    report(Progress("pairs measured", len(pairs), len(pairs), unit="pairs"))
    kinds = " and ".join(dict.fromkeys(pair.ways[0].kind for pair in found))
    return ExplorerPage(
        title=f"Mixed pairs of {Path(source.dataset).name}",
        subtitle=(
            f"Graphs mixed along {kinds} alignments. Transport: {TRANSPORTS.of(transport)}. "
            f"Matcher: {matcher_name}. Seed {source.seed}."
        ),
        class_names=class_names(source.dataset, source.graphs.num_classes),
        feature=feature_word(source.graphs),
        pairs=found,
        ways=[WayKind.named(ALIGNED, matcher_name)]
        + [WayKind.named(name, ABOUT[name]) for name in others],
        first=first_of_one_class(found),
    )


def first_of_one_class(pairs: Sequence[ExplorerPair]) -> int:
    """Return the place of the first pair of one class, where one can see whether the motif is
    kept; 0 if there is none.
    """
    alike = (place for place, pair in enumerate(pairs) if pair.left.y == pair.right.y)
    return next(alike, 0)
