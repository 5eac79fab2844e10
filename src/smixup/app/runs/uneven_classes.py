"""Accuracy where nearly all graphs are of one class: always saying that class is hard to beat."""

from __future__ import annotations

from smixup.datasets import Dataset
from smixup.datasets.packed_set import PackedDataset
from smixup.tasks import Classes

MOST = 0.9
"""A share of the most frequent class from which on accuracy says little."""


def uneven_classes(dataset: Dataset | PackedDataset, metric: str) -> str:
    """Say that another metric tells more, if this one is accuracy and one class has nearly all
    graphs; empty otherwise.

    Example:
        >>> from smixup import load_dataset
        >>> uneven_classes(load_dataset("MOTIF", num_graphs=30), "accuracy")
        ''
    """
    if metric != "accuracy" or not isinstance(dataset.task, Classes | None):
        return ""
    shares = dataset.graphs.y.double().mean(0)
    share = float(shares.max()) if len(shares) > 1 else 0.0
    if share < MOST:
        return ""
    return (
        f"{share:.0%} of the graphs are of one class, so that who always says it has an accuracy "
        f"of {share:.0%}: --metric rocauc or --metric balanced-accuracy tells more here."
    )
