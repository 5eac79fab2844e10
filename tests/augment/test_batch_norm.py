"""Which norms go by originals, when, and what they are afterwards."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch import nn

from smixup.augment.batch_norm import OriginalNorms, sync_group
from smixup.classifiers import GCN, GIN, Classifier
from smixup.graphs import Graphs


@pytest.mark.parametrize("backbone", [GCN, GIN])
def test_originals_do_not_feel_what_is_mixed_beside_them(
    graphs: Graphs, backbone: type[Classifier]
) -> None:
    torch.manual_seed(0)
    model = backbone(3, 2, hidden_channels=8, num_layers=3, batch_norm=True)
    wild = graphs.replace(x=50 * graphs.x)
    both = Graphs.cat([graphs, wild])
    alone, usual = model.embed(graphs), model.embed(both)[:7]
    with OriginalNorms(model).of_first(7, both):
        beside = model.embed(both)[:7]
    torch.testing.assert_close(beside, alone, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(usual, alone, atol=0.1), "an ordinary norm feels them"


def test_nothing_is_done_in_evaluation_without_mixes_or_when_switched_off(graphs: Graphs) -> None:
    torch.manual_seed(0)
    model = GIN(3, 2, hidden_channels=8, num_layers=2)
    both = Graphs.cat([graphs, graphs.replace(x=9 * graphs.x)])
    expected = model.embed(both)
    with OriginalNorms(model, active=False).of_first(7, both):
        assert torch.equal(model.embed(both), expected)
    with OriginalNorms(model).of_first(14, both):
        assert torch.equal(model.embed(both), expected)
    model.eval()
    expected = model.embed(both)
    with OriginalNorms(model).of_first(7, both):
        assert torch.equal(model.embed(both), expected)


def test_the_norms_are_left_as_they_were(graphs: Graphs) -> None:
    model = GIN(3, 2, hidden_channels=8, num_layers=2)
    both = Graphs.cat([graphs, graphs])
    with pytest.raises(ZeroDivisionError), OriginalNorms(model).of_first(7, both):
        raise ZeroDivisionError
    for module in model.modules():
        assert "forward" not in vars(module)


def test_rows_that_cannot_be_told_apart_are_said(graphs: Graphs) -> None:
    class Pooled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.BatchNorm1d(3)

        def forward(self, batch: Graphs) -> torch.Tensor:
            out: torch.Tensor = self.inner(batch.x[::2])
            return out

    model, both = Pooled(), Graphs.cat([graphs, graphs])
    norms = OriginalNorms(model)
    seen = pytest.warns(UserWarning, match="batch norm 'inner' sees 30 rows")
    with seen, norms.of_first(7, both):
        model(both)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with norms.of_first(7, both):
            model(both)


def test_one_process_synchronises_with_nobody() -> None:
    assert sync_group(nn.SyncBatchNorm(4)) is None
    assert sync_group(nn.BatchNorm1d(4)) is None
