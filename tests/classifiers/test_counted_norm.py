"""A norm of rows that stand for several nodes against the ordinary norm of all nodes."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from smixup.classifiers.counted_norm import CountedNorm, can_count, counted_norm


@pytest.mark.parametrize("momentum", [0.1, None])
def test_as_if_all_nodes_were_there(momentum: float | None) -> None:
    random = torch.Generator().manual_seed(0)
    colour = torch.randint(5, (40,), generator=random)
    rows = torch.randn(5, 3, generator=random, dtype=torch.double) * 2 + 1
    ours, plain = (nn.BatchNorm1d(3, momentum=momentum).double() for _ in range(2))
    for norm in (ours, plain):
        nn.init.constant_(norm.weight, 1.5)
        nn.init.constant_(norm.bias, 0.5)
    g = torch.randn(40, 3, generator=random, dtype=torch.double)
    for _ in range(2):  # running statistics follow twice
        x1, x2 = rows.clone().requires_grad_(), rows.clone().requires_grad_()
        few = counted_norm(ours, x1, torch.bincount(colour, minlength=5).double())
        every = plain(x2[colour])
        torch.testing.assert_close(few[colour], every)
        (few[colour] * g).sum().backward()
        (every * g).sum().backward()
        torch.testing.assert_close(x1.grad, x2.grad)
    for mine, theirs in zip(ours.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad)
    for name, value in plain.named_buffers():
        torch.testing.assert_close(ours.get_buffer(name), value)
    torch.testing.assert_close(counted_norm(ours.eval(), rows, torch.ones(5)), plain.eval()(rows))


def test_gradients_by_differences() -> None:
    random = torch.Generator().manual_seed(1)
    x, w, b = (
        torch.randn(*shape, generator=random, dtype=torch.double).requires_grad_()
        for shape in ((6, 3), (3,), (3,))
    )
    share = torch.rand(6, generator=random, dtype=torch.double)
    share = share / share.sum()
    assert torch.autograd.gradcheck(
        lambda *a: CountedNorm.apply(a[0], share, *a[1:], 1e-5)[0], (x, w, b)
    )


def test_who_looks_on_sees_nodes() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    assert can_count(model)
    hook = model[1].register_forward_hook(lambda *_: None)
    assert not can_count(model)
    hook.remove()
    assert can_count(model)
    usual = model[1].forward
    model[1].forward = lambda x: usual(x)
    assert not can_count(model)
    del model[1].forward
    hook = nn.modules.module.register_module_forward_hook(lambda *_: None)
    assert not can_count(model)
    hook.remove()
    assert can_count(model)
    for norm in (nn.BatchNorm1d(3, affine=False), nn.BatchNorm1d(3, track_running_stats=False)):
        assert not can_count(norm)
    assert not can_count(nn.SyncBatchNorm(3))
