"""The explorer's page of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from smixup.augment.transport import TRANSPORTS, Transport
from smixup.errors import SmixupError
from smixup.lab.pages.explorer.page import ExplorerPage
from smixup.lab.pages.explorer.pairs import ExplorerPair
from smixup.lab.runs.opened import open_dataset
from smixup.lab.runs.registry import DEFAULT_MATCHER
from smixup.lab.studies.explained import Explained, explain_prediction
from smixup.lab.studies.look import FULL, described, require_fit, with_fit
from smixup.lab.studies.mixed_pair import TRANSPORT
from smixup.lab.studies.pair_source import PairSource, class_names, feature_word
from smixup.matching import Matcher
from smixup.models import Model, load_model
from smixup.models.new_data import NewData
from smixup.progress import Report, silent
from smixup.tasks import Classes


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
    """
    carry = TRANSPORTS.of(transport)
    require_fit(fit)
    kept = None if model is None else load_model(model)
    opened = with_fit(open_dataset(dataset, seed, matcher, root, options), matcher, fit)
    source = PairSource.of(opened)
    pairs = source.choose(number, first)
    explain = None
    if kept is not None:
        explain = _explainer(kept, kept.open(dataset, root, **(options or {})), len(source.graphs))
    name = described(matcher, fit)
    page = page_of(source, pairs, opened.matcher(report), name, carry, explain)
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


def page_of(
    source: PairSource,
    pairs: Sequence[tuple[int, int]],
    matcher: Matcher,
    matcher_name: str,
    transport: str | Transport = TRANSPORT,
    explain: Callable[[int], Explained] | None = None,
) -> ExplorerPage:
    """Match the pairs, given as positions, and return their page; see `ExplorerPair.of`."""
    found = [
        ExplorerPair.of(matcher, source.graphs[[left]], source.graphs[[right]], transport, explain)
        for left, right in pairs
    ]
    kinds = " and ".join(dict.fromkeys(pair.kind for pair in found))
    return ExplorerPage(
        title=f"Mixed pairs of {Path(source.dataset).name}",
        subtitle=(
            f"Graphs mixed along {kinds} alignments. Transport: {TRANSPORTS.of(transport)}. "
            f"Matcher: {matcher_name}. Seed {source.seed}."
        ),
        class_names=class_names(source.dataset, source.graphs.num_classes),
        feature=feature_word(source.graphs),
        pairs=found,
    )
