"""One batch norm by the originals: statistics, gradients, running averages, several processes."""

from __future__ import annotations

import faulthandler
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from warm_processes import start_ranks

from smixup.augment.batch_norm import OriginalNorms
from smixup.augment.normalize import ByFirst, moments_of_all, normalize_by


def rows(n: int = 12, seed: int = 0) -> torch.Tensor:
    return 3 + 2 * torch.randn(n, 4, generator=torch.Generator().manual_seed(seed))


def test_the_first_rows_are_normalised_as_if_alone() -> None:
    ours, usual = nn.BatchNorm1d(4), nn.BatchNorm1d(4)
    for norm in (ours, usual):
        nn.init.uniform_(norm.weight, 0.5, 2.0, generator=torch.Generator().manual_seed(1))
        nn.init.uniform_(norm.bias, -1.0, 1.0, generator=torch.Generator().manual_seed(2))
    for seed in range(3):
        x = rows(seed=seed)
        found = normalize_by(ours, x, 8)
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
    found = torch.autograd.grad((weight * normalize_by(norm, x, 4)).sum(), x)[0]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_momentum_of_none_averages_all_batches() -> None:
    ours, usual = nn.BatchNorm1d(4, momentum=None), nn.BatchNorm1d(4, momentum=None)
    for seed in range(4):
        normalize_by(ours, rows(seed=seed), 7)
        usual(rows(seed=seed)[:7])
    torch.testing.assert_close(dict(ours.state_dict()), dict(usual.state_dict()))


def test_half_precision_stays() -> None:
    x = rows().bfloat16()
    found = normalize_by(nn.BatchNorm1d(4), x, 8).detach()
    assert found.dtype == torch.bfloat16
    assert abs(float(found[:8].float().std(correction=0)) - 1) < 0.05


def slow(norm: _BatchNorm, x: torch.Tensor, originals: list[int]) -> torch.Tensor:
    """Channel by channel, from the definition."""
    out = torch.empty_like(x)
    for channel in range(x.size(1)):
        values = torch.cat([x[row, channel].flatten() for row in originals])
        mean = values.sum() / len(values)
        var = ((values - mean) ** 2).sum() / len(values)
        out[:, channel] = (x[:, channel] - mean) / (var + norm.eps) ** 0.5
        if norm.weight is not None:
            out[:, channel] *= norm.weight[channel]
        if norm.bias is not None:
            out[:, channel] += norm.bias[channel]
    return out


SHAPES: list[tuple[Callable[..., _BatchNorm], tuple[int, ...]]] = [
    (nn.BatchNorm1d, (9, 4)),
    (nn.BatchNorm1d, (9, 4, 3)),
    (nn.BatchNorm2d, (9, 4, 3, 2)),
    (nn.BatchNorm3d, (9, 4, 3, 2, 2)),
]


OPTIONS = [{}, {"affine": False}, {"momentum": None}, {"track_running_stats": False}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("make", "shape"), SHAPES, ids=lambda each: str(each))
def test_any_number_of_dimensions(
    make: Callable[..., _BatchNorm], shape: tuple[int, ...], options: dict[str, object]
) -> None:
    torch.manual_seed(0)
    ours, usual = (make(4, **options).double() for _ in range(2))
    for _ in range(2):
        x = 2 + torch.randn(shape, dtype=torch.double)
        torch.testing.assert_close(normalize_by(ours, x, 9), usual(x), rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(dict(ours.state_dict()), dict(usual.state_dict()))
    mask = torch.tensor([1, 0, 1, 1, 0, 0, 1, 0, 1]).bool()
    places = mask.nonzero().flatten().tolist()
    for which, chosen in ((5, list(range(5))), (mask, places)):
        expected = slow(ours, x, chosen)
        torch.testing.assert_close(normalize_by(ours, x, which), expected, rtol=1e-9, atol=1e-9)


def test_a_norm_without_bias() -> None:
    norm = nn.BatchNorm1d(4)
    norm.register_parameter("bias", None)
    torch.testing.assert_close(normalize_by(norm, rows(), 12), norm(rows()))


def test_wrong_shapes_are_refused_as_torch_does() -> None:
    with pytest.raises(ValueError, match="expected 4D input"):
        normalize_by(nn.BatchNorm2d(4), rows(), 8)


@pytest.mark.slow
def test_two_processes_count_the_originals_of_both(tmp_path: Path) -> None:
    """A `SyncBatchNorm` takes no input on the CPU, but our forward does without its own."""
    start_ranks(_rank, (str(tmp_path / "meet"), str(tmp_path)))
    torch.manual_seed(0)
    x = torch.cat([_rows_of(rank) for rank in range(2)]).requires_grad_()
    usual = nn.BatchNorm1d(4).double()
    expected = usual(x)
    (expected**3).sum().backward()
    for rank, part in enumerate((slice(0, 5), slice(5, 12))):
        found = torch.load(tmp_path / f"{rank}.pt")
        torch.testing.assert_close(found["out"], expected[part].detach())
        torch.testing.assert_close(found["grad"], x.grad[part])  # type: ignore[index]
        torch.testing.assert_close(found["mean"], x.mean((0, 2)).detach())
        torch.testing.assert_close(found["var"], x.var((0, 2), correction=0).detach())
        assert found["count"] == 12 * 3
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            torch.testing.assert_close(found["state"][name], getattr(usual, name))


def _rows_of(rank: int) -> torch.Tensor:
    random = torch.Generator().manual_seed(rank)
    return 100 + rank + torch.randn(5 + 2 * rank, 4, 3, generator=random, dtype=torch.double)


def _rank(rank: int, meeting: str, folder: str) -> None:
    """Rank 0 has mixes behind its originals; rank 1 has a batch without."""
    from torch import distributed

    faulthandler.dump_traceback_later(120, exit=True)  # if they wait for each other for ever
    distributed.init_process_group("gloo", f"file://{meeting}", world_size=2, rank=rank)
    norm = nn.SyncBatchNorm(4).double()
    model = nn.Sequential(norm)
    own = _rows_of(rank).requires_grad_()
    x = torch.cat([own, 9 * own.detach()[:2]]) if rank == 0 else own
    norms = OriginalNorms(model)
    norms.rows = {"nodes": (len(x), len(own))} if rank == 0 else {}
    with norms:
        out = model(x)[: len(own)]
    (out**3).sum().backward()
    mean, var, count = moments_of_all(own.detach(), distributed.group.WORLD)
    found = {"out": out.detach(), "grad": own.grad, "mean": mean, "var": var, "count": count}
    torch.save(found | {"state": norm.state_dict()}, f"{folder}/{rank}.pt")
    distributed.barrier()
    distributed.destroy_process_group()


@pytest.mark.parametrize("number", [2, 5, 9])
def test_gradients_by_hand_are_those_of_autograd(number: int) -> None:
    torch.manual_seed(number)
    shapes = [(12, 4), (4,), (4,), (12, 4)]
    x, weight, bias, g = (torch.randn(shape, dtype=torch.double) for shape in shapes)
    inputs = [each.requires_grad_() for each in (x, weight, bias)]

    def fast(*each: Tensor) -> Tensor:
        return ByFirst.apply(*each, number, 1e-5)[0]

    def plain(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        first = x[:number]
        std = (first.var(0, correction=0) + 1e-5).sqrt()
        return (x - first.mean(0)) / std * weight + bias

    assert torch.autograd.gradcheck(fast, inputs)
    torch.testing.assert_close(fast(*inputs), plain(*inputs))
    found, expected = (torch.autograd.grad(each(*inputs), inputs, g) for each in (fast, plain))
    torch.testing.assert_close(found, expected)


def test_a_model_in_half_precision() -> None:
    norm = nn.BatchNorm1d(4).bfloat16()
    assert normalize_by(norm, rows().bfloat16(), 8).dtype == torch.bfloat16
    expected = nn.BatchNorm1d(4)
    expected(rows()[:8])
    for name in ("running_mean", "running_var"):
        found = getattr(norm, name).float()
        torch.testing.assert_close(found, getattr(expected, name), rtol=0.02, atol=0.02)
