"""Which lesson targets allow: what a matcher can learn from them about graphs that are alike."""

from __future__ import annotations

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching.near_far import NearAndFar
from smixup.matching.triplet import Triplets, TripletSampler
from smixup.warning import warn_user


def triplets_of(graphs: Graphs, seed: int = 0) -> Triplets | None:
    """Return the triplets that targets tell: graphs of one class and of two; of labels and values,
    near and far ones. None where they tell nothing: one class alone, values that are all the same,
    nothing known.

    Args:
        graphs: with targets.
        seed: of the graphs that are compared, where these are many.
    """
    if not graphs.has_classes:
        return NearAndFar.of(graphs.y, seed)
    labels = graphs.labels
    return TripletSampler.of(labels) if labels.unique().numel() > 1 else None


def require_lesson(train: Graphs, seed: int, correspondences: bool, matcher: str) -> None:
    """Say aloud that there are no triplets, which the settings ask for; refuse if nothing else is
    to be learnt.

    Args:
        train: the training graphs, with targets.
        seed: see `triplets_of`.
        correspondences: whether shuffled copies are taught, too.
        matcher: the name of its class, for the warning.
    """
    if train.has_classes or triplets_of(train, seed) is not None:
        return
    if not correspondences:
        raise no_lesson(train)
    warn_user(
        f"{_nothing_told(train)}, so that the matcher learns from shuffled copies alone; "
        f"{matcher}(triplets=False) asks for just that."
    )


def no_lesson(train: Graphs) -> SmixupError:
    """Return the refusal of targets that tell no triplets, where nothing else is taught."""
    return SmixupError(f"{_nothing_told(train)}; teach correspondences instead.")


def _nothing_told(train: Graphs) -> str:
    if train.has_classes:
        return "triplets need graphs of two classes at least"
    if not bool((~train.y.isnan()).any()):
        return "triplets need targets, and these are not known of any graph"
    return "triplets need targets that differ, and these are all the same, or known of too few"
