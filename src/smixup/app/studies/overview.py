"""The pair of Fig. 1: two test graphs, matched and mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from smixup.app.runs.opened import open_dataset
from smixup.app.runs.registry import DEFAULT_MATCHER
from smixup.app.studies.look import FULL, require_fit, with_fit
from smixup.app.studies.mixed_pair import LAM, TRANSPORT, MixedPair
from smixup.app.studies.pair_source import PairSource, class_names
from smixup.augment.adaptive import distortion
from smixup.augment.transport import TRANSPORTS, Transport
from smixup.graphs import Graphs
from smixup.matching import Matcher
from smixup.progress import Report, silent

CANDIDATES = 20


def overview(
    dataset: str = "MOTIF",
    matcher: str = DEFAULT_MATCHER,
    pair: tuple[int, int] | None = None,
    seed: int | None = None,
    lam: float = LAM,
    root: Path | None = None,
    options: Mapping[str, Any] | None = None,
    report: Report = silent,
    transport: str | Transport = TRANSPORT,
    fit: str = FULL,
) -> tuple[MixedPair, Sequence[str]]:
    """Split a dataset, fit or read a matcher, and mix one pair; also return the classes' names.

    Args:
        dataset: a name in any case.
        matcher: a name of the registry, fitted on the training split, or a folder that
            `smixup match fit` wrote.
        pair: positions of G1 and G2 in the dataset; otherwise the pair of two classes, of twenty
            pairs drawn from the test split, that loses least when G2 is carried onto G1.
        seed: see `open_dataset`.
        lam: the ratio of the mix.
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
    candidates = source.choose(1, pair) if pair else source.choose(CANDIDATES)
    fitted = opened.matcher(report)
    left, right = candidates[0] if pair else best_carried(candidates, opened.graphs, fitted)
    mixed = MixedPair.of(fitted, opened.graphs[[left]], opened.graphs[[right]], lam, carry)
    return mixed, class_names(opened.dataset, opened.graphs.num_classes)


def best_carried(
    pairs: Sequence[tuple[int, int]], graphs: Graphs, matcher: Matcher
) -> tuple[int, int]:
    """Return the pair whose G2' is nearest to G2, among those of two classes if there are any."""
    different = [pair for pair in pairs if graphs.labels[pair[0]] != graphs.labels[pair[1]]]
    candidates = different or list(pairs)
    left, right = (graphs[list(side)] for side in zip(*candidates, strict=True))
    return candidates[int(distortion(matcher(left, right), left, right).argmin())]
