"""The explorer's page of a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from smixup.augment.transport import TRANSPORTS, Transport
from smixup.lab.pages.explorer.page import ExplorerPage
from smixup.lab.pages.explorer.pairs import ExplorerPair
from smixup.lab.runs.opened import open_dataset
from smixup.lab.runs.registry import DEFAULT_MATCHER
from smixup.lab.studies.look import FULL, described, require_fit, with_fit
from smixup.lab.studies.mixed_pair import TRANSPORT
from smixup.lab.studies.pair_source import PairSource, class_names, feature_word
from smixup.matching import Matcher
from smixup.progress import Report, silent


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
    """
    carry = TRANSPORTS.of(transport)
    require_fit(fit)
    opened = with_fit(open_dataset(dataset, seed, matcher, root, options), matcher, fit)
    source = PairSource.of(opened)
    pairs = source.choose(number, first)
    return page_of(source, pairs, opened.matcher(report), described(matcher, fit), carry)


def page_of(
    source: PairSource,
    pairs: Sequence[tuple[int, int]],
    matcher: Matcher,
    matcher_name: str,
    transport: str | Transport = TRANSPORT,
) -> ExplorerPage:
    """Match the pairs, given as positions, and return their page."""
    found = [
        ExplorerPair.of(matcher, source.graphs[[left]], source.graphs[[right]], transport)
        for left, right in pairs
    ]
    kinds = " and ".join(dict.fromkeys(pair.kind for pair in found))
    return ExplorerPage(
        title=f"Mixed pairs of {source.dataset}",
        subtitle=(
            f"Graphs mixed along {kinds} alignments. Transport: {TRANSPORTS.of(transport)}. "
            f"Matcher: {matcher_name}. Seed {source.seed}."
        ),
        class_names=class_names(source.dataset, source.graphs.num_classes),
        feature=feature_word(source.graphs),
        pairs=found,
    )
