"""A training split that can teach nothing."""

from __future__ import annotations

from smixup.graphs import Graphs, PackedGraphs
from smixup.warning import warn_user


def warn_of_one_class(train: Graphs | PackedGraphs) -> None:
    """Say so if all training graphs are of one class: a model that always names it is right in
    training, and perhaps in every test.
    """
    if not train.has_classes or not len(train):
        return
    labels = train.labels
    if bool((labels == labels[0]).all()):
        warn_user(
            f"there is one class among the training graphs, number {int(labels[0])}: they teach "
            "nothing, and a score says nothing about the model."
        )
