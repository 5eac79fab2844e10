"""A matcher that was fitted and saved before: what it is, and what it must not have seen."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from smixup.app.runs.registry import MATCHERS
from smixup.errors import SmixupError, unknown_name
from smixup.graphs import Graphs, PackedGraphs
from smixup.matching.learned import LearnedMatcher
from smixup.matching.storage import ABOUT, WEIGHTS, load_matcher


def saved_matcher(which: str | Path | None) -> LearnedMatcher | None:
    """Return the matcher that a folder holds; None for a name of the registry."""
    if which is None or which in MATCHERS.entries:
        return None
    if isinstance(which, str) and MATCHERS.folder(which) is None:
        raise unknown_name("matcher or folder", which, MATCHERS)
    return load_matcher(Path(which))


def contents(which: str | None) -> str:
    """Return a text that differs between saved matchers; nothing for a name of the registry."""
    if which is None or saved_matcher(which) is None:
        return ""
    files = (Path(which, name).read_bytes() for name in (ABOUT, WEIGHTS))
    return sha256(b"".join(files)).hexdigest()


def require_fitted_on(which: str | Path | None, dataset: str, train: Graphs | PackedGraphs) -> None:
    """Refuse a saved matcher that was fitted on other graphs: it may have seen held-out ones.

    Args:
        which: its folder; one that is named in the registry was not fitted yet.
        dataset: the name of the dataset.
        train: its training split.
    """
    matcher = saved_matcher(which)
    if matcher is None or matcher.train_fingerprint == train.fingerprint():
        return
    if matcher.dataset not in (None, dataset):
        raise SmixupError(
            f"the matcher in {which} was fitted on {matcher.dataset}, not on {dataset}: fit one "
            f"with `smixup match fit --dataset {dataset}`."
        )
    if matcher.train_fingerprint is None:
        raise SmixupError(
            f"the matcher in {which} does not say which graphs it was fitted on, so nobody can "
            "check that it has not seen held-out ones: fit it again with `smixup match fit`."
        )
    raise SmixupError(
        f"the matcher in {which} was fitted on other graphs than this training split of {dataset}, "
        "and may have seen held-out ones: give the data settings and the seed of its `smixup match "
        "fit`, or fit it again."
    )
