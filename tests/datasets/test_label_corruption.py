"""Exactly the asked share of labels flips, always to another class."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from smixup.datasets.label_corruption import corrupt_labels
from smixup.errors import UsageError
from smixup.graphs import Graphs, SparseOperator


def labelled(n: int, num_classes: int) -> Graphs:
    labels = torch.arange(n) % num_classes
    nothing = torch.zeros(2, 0, dtype=torch.long)
    adj = SparseOperator.from_edges(nothing, torch.zeros(0), n)
    return Graphs(
        torch.zeros(n, 1),
        adj,
        torch.nn.functional.one_hot(labels, num_classes).float(),
        torch.arange(n + 1),
    )


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(2, 6), st.floats(0, 1), st.integers(0, 100))
def test_the_exact_number_flips(n: int, num_classes: int, ratio: float, seed: int) -> None:
    clean = labelled(n, num_classes)
    noisy = corrupt_labels(clean, ratio, seed)
    assert int((clean.labels != noisy.labels).sum()) == round(ratio * n)
    assert (noisy.y.sum(1) == 1).all()
    assert torch.equal(clean.labels, torch.arange(n) % num_classes), "the input is untouched"


@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.6])
def test_the_new_class_is_uniform_over_the_others(ratio: float) -> None:
    clean = labelled(6000, 3)
    noisy = corrupt_labels(clean, ratio, seed=0)
    step = (noisy.labels - clean.labels) % 3
    share = (step == 1).sum() / (step > 0).sum()
    assert abs(share - 0.5) < 0.05


def test_the_seed_decides(make_graphs: Callable[..., Graphs], device: torch.device) -> None:
    graphs = make_graphs([2] * 40, num_classes=4)
    first, other = (corrupt_labels(graphs, 0.5, seed).labels.tolist() for seed in (0, 1))
    assert first == corrupt_labels(graphs.to(device), 0.5, 0).labels.tolist()
    assert first != other


def test_wrong_values() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        corrupt_labels(labelled(4, 2), 1.2, 0)
    with pytest.raises(UsageError, match="no other class"):
        corrupt_labels(labelled(4, 1), 0.5, 0)
