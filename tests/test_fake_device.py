"""The fake device refuses what CUDA refuses, allows the rest, and computes what the CPU does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F
from fake_device import FAKE, FakeDevice
from torch import Tensor, nn

MIXED = "Expected all tensors to be on the same device"


@pytest.fixture(autouse=True)
def fake_device() -> Iterator[None]:
    with FakeDevice():
        yield


@pytest.fixture
def x() -> Tensor:
    return torch.randn(4, 3, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(
    "mix",
    [
        lambda x: x + torch.ones(3),
        lambda x: torch.ones(3) + x[0, 0],
        lambda x: torch.ones(4, 3).add_(x),
        lambda x: torch.tensor(1.0).add_(x[0, 0]),
        lambda x: x @ torch.ones(3),
        lambda x: torch.cat([x, torch.ones(4, 3)]),
        lambda x: torch.stack([x[0, 0], torch.tensor(1.0)]),
        lambda x: torch.ones(4)[torch.tensor([1], device=FAKE)],
        lambda x: x.index_select(0, torch.tensor([1])),
        lambda x: x.gather(0, torch.tensor([[1, 1, 1]])),
        lambda x: x.index_add(0, torch.tensor([1], device=FAKE), torch.ones(1, 3)),
        lambda x: x.index_put_((torch.tensor([1, 2]),), torch.ones(2, 3)),
        lambda x: x.repeat_interleave(torch.tensor([1, 2, 1, 0]), dim=0),
        lambda x: torch.cumsum(x, 0, out=torch.empty(4, 3)),
        lambda x: F.embedding_bag(torch.arange(4), x, torch.tensor([0])),
        lambda x: torch.searchsorted(torch.arange(4.0), x),
        lambda x: nn.Linear(3, 2)(x),
    ],
)
def test_two_devices_do_not_mix(x: Tensor, mix: Callable[[Tensor], object]) -> None:
    with pytest.raises(RuntimeError, match=MIXED):
        mix(x.to(FAKE))


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: 2 * x + torch.tensor(1.0),
        lambda x: torch.where(x > 0, torch.tensor(0.5), x),
        lambda x: x.masked_fill(x > 0, torch.tensor(0.5)),
        lambda x: x[torch.tensor([2, 0])],
        lambda x: x[torch.tensor([True, False, True, True])],
        lambda x: x.clone().index_put_((torch.tensor([1]),), torch.tensor(3.0)),
        lambda x: torch.cat([x[1:], x.new_ones(1, 3), torch.ones_like(x)]),
        lambda x: x.unique(return_inverse=True)[1],
        lambda x: (x > 0).nonzero(),
        lambda x: torch.searchsorted(x[:, 0].sort().values, x),
        lambda x: torch.bmm(x.unsqueeze(0), x.T.unsqueeze(0)),
        lambda x: torch.cdist(x, x),
        lambda x: x.cumsum(0)[1:].clone().mul_(2).flatten()[::2],
    ],
)
def test_results_are_those_of_the_cpu(x: Tensor, compute: Callable[[Tensor], Tensor]) -> None:
    found = compute(x.to(FAKE))
    assert found.device == FAKE
    assert torch.equal(found.cpu(), compute(x))


def test_tensors_are_made_there_and_come_back(x: Tensor) -> None:
    makers = (torch.zeros(2, device=FAKE), torch.tensor([1.0], device=FAKE), x.to("lazy"))
    assert all(each.device == FAKE for each in makers)
    there = torch.as_tensor([1, 2], device=FAKE)
    assert (there.tolist(), int(there[1]), there.sum().item()) == ([1, 2], 2, 3)
    assert there.to("cpu").device == there.cpu().device == torch.device("cpu")
    there[1:] = torch.tensor([5])
    assert there.tolist() == [1, 5], "a slice is a view, and copies come from anywhere"
    assert torch.ones(2).copy_(there).device == torch.device("cpu")
    assert there.numpy(force=True).tolist() == [1, 5]


def test_neither_numpy_nor_a_generator_of_the_cpu(x: Tensor) -> None:
    with pytest.raises(TypeError, match="device type tensor to numpy"):
        x.to(FAKE).numpy()
    with pytest.raises(RuntimeError, match="device type for generator"):
        torch.rand(2, generator=torch.Generator(), device=FAKE)
    with pytest.raises(RuntimeError, match="device type for generator"):
        x.to(FAKE).uniform_(generator=torch.Generator())


def test_learning_there_is_learning_here(x: Tensor) -> None:
    torch.manual_seed(0)
    here = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 2))
    there = deepcopy(here).to(FAKE)
    for model, data in ((here, x), (there, x.to(FAKE))):
        optimizer = torch.optim.Adam(model.parameters(), 0.1)
        for _ in range(3):
            optimizer.zero_grad()
            F.cross_entropy(model(data), torch.arange(4, device=data.device) % 2).backward()
            optimizer.step()
    assert all(each.device == FAKE for each in there.state_dict().values())
    assert deepcopy(there).double()(x.double().to(FAKE)).dtype == torch.double
    for name, tensor in deepcopy(there).cpu().state_dict().items():
        torch.testing.assert_close(tensor, here.state_dict()[name])
