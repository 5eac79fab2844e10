"""Label smoothing softens targets and touches nothing else."""

from __future__ import annotations

import pytest
import torch

from smixup.augment.baselines.label_smoothing import LabelSmoothing
from smixup.errors import UsageError
from smixup.graphs import Graphs


def test_targets_by_hand(graphs: Graphs) -> None:
    """Four classes, epsilon 0.2: 0.8 + 0.2 / 4 and 0.2 / 4; a soft target likewise."""
    y = torch.tensor([[0.0, 1, 0, 0], [0.5, 0, 0.5, 0]])
    found = LabelSmoothing(0.2).on_batch(graphs[[0, 4]].replace(y=y)).y
    torch.testing.assert_close(
        found, torch.tensor([[0.05, 0.85, 0.05, 0.05], [0.45, 0.05, 0.45, 0.05]])
    )
    assert y.tolist() == [[0, 1, 0, 0], [0.5, 0, 0.5, 0]], "the targets given stay"


def test_the_loss_is_that_of_torch(graphs: Graphs) -> None:
    logits, label = torch.randn(6, 3), torch.tensor([0, 1, 2, 2, 1, 0])
    one_hot = torch.nn.functional.one_hot(label, 3).float()
    y = LabelSmoothing().on_batch(graphs[:6].replace(y=one_hot)).y
    found = torch.nn.functional.cross_entropy(logits, y)
    torch.testing.assert_close(
        found, torch.nn.functional.cross_entropy(logits, label, label_smoothing=0.1)
    )


def test_graphs_are_left_alone(graphs: Graphs) -> None:
    method, batch = LabelSmoothing(), graphs[[0, 4]]
    assert method.fit_extend(graphs) is graphs
    found = method.on_batch(batch)
    assert (found.x is batch.x, found.adj is batch.adj) == (True, True)


@pytest.mark.parametrize("epsilon", [-0.1, 1.5])
def test_epsilon_is_a_share(epsilon: float) -> None:
    with pytest.raises(UsageError, match="epsilon must be between 0 and 1"):
        LabelSmoothing(epsilon)
