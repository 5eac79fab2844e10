"""A matcher fitted on the training split of a dataset, and saved for other commands."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from smixup.app.runs.build import make_matcher
from smixup.app.runs.opened import open_dataset
from smixup.app.runs.presets import published_matcher
from smixup.app.runs.registry import DEFAULT_MATCHER
from smixup.datasets.catalogue import canonical_name
from smixup.errors import UsageError
from smixup.interrupt import termination_as_interrupt
from smixup.matching import LearnedMatcher
from smixup.matching.storage import require_place
from smixup.progress import Report, silent
from smixup.training import Interrupted


def fit_matcher(
    dataset: str,
    out: Path,
    seed: int = 0,
    root: Path | None = None,
    settings: Mapping[str, object] | None = None,
    paper: bool = False,
    checkpoint: Path | None = None,
    report: Report = silent,
    dataset_options: Mapping[str, Any] | None = None,
    name: str = DEFAULT_MATCHER,
) -> LearnedMatcher:
    """Fit a matcher that learns on the training split of a dataset and save it.

    Args:
        dataset: a name in any case.
        out: the folder to save to.
        seed: of split and matcher.
        root: the data root.
        settings: fields of the matcher.
        paper: start from the paper's settings for the dataset (Table 9) instead of the defaults.
        checkpoint: a file for the state of training, to go on after an interruption.
        report: told of every step.
        dataset_options: parameters of the dataset.
        name: of the matcher in the registry.
    """
    require_place(out)
    published = published_matcher(canonical_name(dataset, root) or dataset) if paper else {}
    matcher = make_matcher(name, seed, published | dict(settings or {}))
    if not isinstance(matcher, LearnedMatcher) or matcher.fitted:
        raise UsageError(
            f"matcher {name} has nothing to fit: it aligns as it is, wherever a matcher is named."
        )
    opened = open_dataset(dataset, matcher.seed, root=root, options=dataset_options)
    try:
        with termination_as_interrupt():
            matcher.fit(opened.train, report, checkpoint)
    except KeyboardInterrupt:
        raise _interrupted(checkpoint) from None
    matcher.dataset = opened.dataset
    matcher.save(out)
    return matcher


def _interrupted(checkpoint: Path | None) -> Interrupted:
    if checkpoint is None:
        return Interrupted("interrupted; nothing was kept, because no checkpoint file was named.")
    if not checkpoint.exists():
        return Interrupted("interrupted before there was anything to keep.")
    return Interrupted(f"interrupted; {checkpoint} keeps the state: repeat the command to go on.")
