"""Which lesson targets allow: what a matcher can learn from them about graphs that are alike."""

from __future__ import annotations

from smixup.graphs import Graphs
from smixup.matching.near_far import NearAndFar
from smixup.matching.triplet import Triplets, TripletSampler


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
