"""From scores to M by the way that a matcher was given."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from smixup.errors import UsageError
from smixup.graphs import BlockOperator, Graphs, Operator, SparseOperator
from smixup.matching.consensus import OneToOne
from smixup.matching.normalization import Normalization, Sinkhorn
from smixup.matching.normalized import NormalizedMatcher
from smixup.matching.pairs import Pairs


@dataclass
class ByPlace(NormalizedMatcher):
    """Nodes of the same place score high."""

    def __call__(self, left: Graphs, right: Graphs) -> Operator:
        pairs = Pairs.of(left, right)
        return self.normalized(pairs, (scores(mask) for mask in pairs.masks()))


def scores(mask: Tensor) -> Tensor:
    i, j = (torch.arange(n) for n in mask.shape[1:])
    return -5.0 * (i[:, None] - j[None, :]).abs().expand(mask.shape)


def test_columns_unless_told_otherwise(graphs: Graphs) -> None:
    matcher = ByPlace()
    assert str(matcher.normalization) == "columns"
    M = matcher(graphs[[0]], graphs[[5]])
    assert isinstance(M, BlockOperator)
    expected = scores(torch.ones(1, 4, 5))[0].softmax(0)
    torch.testing.assert_close(M.to_dense(), expected)


@pytest.mark.parametrize("given", ["one-to-one(noise=0)", OneToOne(noise=0.0)])
def test_a_way_by_text_or_as_an_object(graphs: Graphs, given: str | Normalization) -> None:
    matcher = ByPlace(normalization=given)
    assert matcher.normalization == OneToOne(noise=0.0)
    M = matcher(graphs[[0]], graphs[[5]])
    assert isinstance(M, SparseOperator), "few entries are kept one by one"
    assert torch.equal(M.to_dense(), torch.eye(4, 5))


def test_matchers_with_equal_ways_are_equal() -> None:
    assert ByPlace(normalization="sinkhorn(rounds=3)") == ByPlace(normalization=Sinkhorn(rounds=3))
    assert ByPlace(normalization="sinkhorn") != ByPlace()


def test_an_unknown_way() -> None:
    with pytest.raises(
        UsageError, match=r"unknown normalization 'columnz'\. Did you mean 'columns'"
    ):
        ByPlace(normalization="columnz")
