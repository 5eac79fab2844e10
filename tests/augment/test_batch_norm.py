"""Batch norm by the originals: statistics, gradients, and what happens outside."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch import nn

from smixup.augment.batch_norm import OriginalNorms, normalize_by_first
from smixup.classifiers import GCN, GIN, Classifier
from smixup.graphs import Graphs


def rows(n: int = 12, seed: int = 0) -> torch.Tensor:
    return 3 + 2 * torch.randn(n, 4, generator=torch.Generator().manual_seed(seed))


def test_the_first_rows_are_normalised_as_if_alone() -> None:
    ours, usual = nn.BatchNorm1d(4), nn.BatchNorm1d(4)
    for norm in (ours, usual):
        nn.init.uniform_(norm.weight, 0.5, 2.0, generator=torch.Generator().manual_seed(1))
        nn.init.uniform_(norm.bias, -1.0, 1.0, generator=torch.Generator().manual_seed(2))
    for seed in range(3):
        x = rows(seed=seed)
        found = normalize_by_first(ours, x, 8)
        torch.testing.assert_close(found[:8], usual(x[:8]))
    torch.testing.assert_close(dict(ours.state_dict()), dict(usual.state_dict()))
    usual.eval()
    last = rows(seed=2)
    mean, var = last[:8].mean(0), last[:8].var(0, correction=0)
    expected = (last[8:] - mean) / (var + 1e-5).sqrt() * usual.weight + usual.bias
    torch.testing.assert_close(found[8:], expected)


@pytest.mark.parametrize("affine", [True, False])
def test_gradients_flow_through_the_statistics(affine: bool) -> None:
    norm = nn.BatchNorm1d(4, affine=affine).double()
    x = rows(6).double().requires_grad_()

    def call(x: torch.Tensor) -> torch.Tensor:
        var, mean = torch.var_mean(x[:4], 0, correction=0)
        out = (x - mean) / torch.sqrt(var + norm.eps)
        return out * norm.weight + norm.bias if affine else out

    weight = torch.rand(6, 4, dtype=torch.double, generator=torch.Generator().manual_seed(0))
    expected = torch.autograd.grad((weight * call(x)).sum(), x)[0]
    found = torch.autograd.grad((weight * normalize_by_first(norm, x, 4)).sum(), x)[0]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_momentum_of_none_averages_all_batches() -> None:
    ours, usual = nn.BatchNorm1d(4, momentum=None), nn.BatchNorm1d(4, momentum=None)
    for seed in range(4):
        normalize_by_first(ours, rows(seed=seed), 7)
        usual(rows(seed=seed)[:7])
    torch.testing.assert_close(dict(ours.state_dict()), dict(usual.state_dict()))


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


def test_half_precision_stays() -> None:
    x = rows().bfloat16()
    found = normalize_by_first(nn.BatchNorm1d(4), x, 8).detach()
    assert found.dtype == torch.bfloat16
    assert abs(float(found[:8].float().std(correction=0)) - 1) < 0.05
