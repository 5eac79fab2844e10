"""Label fidelity by hand: a judge that reads the mean feature."""

from __future__ import annotations

from math import exp

import pytest
import torch
from torch import Tensor, nn

from smixup.analysis.label_fidelity import label_fidelity, total_variation
from smixup.analysis.mixes import Mixes
from smixup.analysis.parents import Parents, tagged
from smixup.graphs import Graphs, MeanReadout, SparseOperator


class MeanJudge(nn.Module):
    """Logits `[0, h]` of the mean feature h."""

    def __init__(self) -> None:
        super().__init__()
        self.head = nn.Linear(1, 2)
        self.head.weight.data = torch.tensor([[0.0], [1.0]])
        self.head.bias.data.zero_()

    def embed(self, batch: Graphs) -> Tensor:
        return MeanReadout(batch.ptr) @ batch.x


def points(*values: float) -> Graphs:
    """Graphs of one node."""
    n = len(values)
    adj = SparseOperator.from_edges(torch.zeros(2, 0, dtype=torch.long), torch.zeros(0), n)
    return Graphs(torch.tensor(values).unsqueeze(1), adj, torch.ones(n, 1), torch.arange(n + 1))


def second(h: float) -> float:
    """The judge's probability of the second class."""
    return 1 / (1 + exp(-h))


def test_by_hand() -> None:
    """Two classes: the total variation is the difference of the second's probabilities."""
    parents = Parents(
        torch.tensor([[0.75, 0.25, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]]), torch.tensor([0, 0, 1])
    )
    mixes = Mixes(tagged(points(2.0, -3.0, 1.0)), points(0.5, 9.0, 9.0), parents=parents)
    found = label_fidelity(mixes, MeanJudge())  # type: ignore[arg-type]
    promised = 0.75 * second(2) + 0.25 * second(-3)
    assert found is not None
    assert found.pairs == 1, "the second pair is of one class, the third mix has one parent"
    assert found.mix == pytest.approx(abs(second(0.5) - promised))
    assert found.null == pytest.approx(abs(second(2) - promised))
    assert found.floor == pytest.approx(abs(second(0.75 * 2 - 0.25 * 3) - promised), abs=1e-6)


def test_mixed_representations_are_their_own_floor() -> None:
    parents = Parents(torch.tensor([[0.5, 0.5]]), torch.tensor([0]))
    mixes = Mixes(tagged(points(2.0, -3.0)), h=torch.tensor([[-0.5]]), parents=parents)
    found = label_fidelity(mixes, MeanJudge())  # type: ignore[arg-type]
    assert found is not None
    assert found.mix == pytest.approx(found.floor)


def test_nothing_to_measure() -> None:
    originals, judge = tagged(points(2.0, 1.0)), MeanJudge()
    alike = Parents(torch.tensor([[0.5, 0.5]]), torch.tensor([0]))
    assert label_fidelity(Mixes(originals, points(1.0), parents=alike), judge) is None  # type: ignore[arg-type]
    assert label_fidelity(Mixes(originals, points(1.0)), judge) is None  # type: ignore[arg-type]


def test_total_variation() -> None:
    p, q = torch.tensor([[0.2, 0.3, 0.5]]), torch.tensor([[0.5, 0.5, 0.0]])
    torch.testing.assert_close(total_variation(p, q), torch.tensor([0.5]))
