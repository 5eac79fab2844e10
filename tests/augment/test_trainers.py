"""Lightning and accelerate: norms see originals alone, and pools and prefetching do not matter."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_mean_pool

from smixup.augment.base import Augmentation
from smixup.graphs import Graphs

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # those of the trainers


class Wild(Augmentation):
    """Puts graphs with huge features behind the originals."""

    norm_from_originals, num_classes = True, 2

    def on_batch(self, batch: Graphs) -> Graphs:
        return Graphs.cat([batch, batch.replace(x=40 - 50 * batch.x)[1:]])


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.head, self.last = nn.BatchNorm1d(3), nn.Linear(3, 2), nn.BatchNorm1d(2)

    def forward(self, batch: Batch) -> Tensor:
        return self.tensors(batch.x, batch.batch)

    def tensors(self, x: Tensor, batch: Tensor) -> Tensor:
        return self.last(self.head(global_mean_pool(self.norm(x), batch)))


class ByTensors(Net):
    forward = Net.tensors  # type: ignore[assignment]


@pytest.fixture
def data() -> list[Data]:
    torch.manual_seed(0)
    ring = torch.tensor([[0, 1, 2], [1, 2, 0]])
    return [Data(x=torch.rand(3, 3), edge_index=ring, y=torch.tensor([i % 2])) for i in range(11)]


def expected_statistics(net: Net, data: list[Data]) -> dict[str, Tensor]:
    """Those of the originals alone, without learning in between."""
    alone = copy.deepcopy(net)
    for batch in DataLoader(data, 4):
        Net.forward(alone, batch)
    return dict(alone.state_dict())


@pytest.mark.parametrize("way", ["with", "guard", "collate"])
def test_lightning(way: str, data: list[Data], tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning")

    class Module(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net, self.mix = Net() if way == "collate" else ByTensors(), Wild()

        def training_step(self, batch: Batch, _: int) -> Tensor:
            if way == "collate":
                return self.net(batch).square().mean()
            batch = self.mix(batch)
            return self.net(batch.x, batch.batch).square().mean()

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.0)

        def on_fit_start(self) -> None:
            self.guard = self.mix.guard(self) if way == "guard" else None

        def on_fit_end(self) -> None:
            if self.guard:
                self.guard.remove()

    torch.manual_seed(1)
    model = Module()
    expected = expected_statistics(model.net, data)
    trainer = lightning.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=tmp_path,
    )
    loader = DataLoader(data, 4)
    if way == "guard":
        trainer.fit(model, loader)
    else:
        if way == "collate":
            loader.collate_fn = lambda part: model.mix(Batch.from_data_list(part))
        with model.mix.training(model):
            trainer.fit(model, loader)
    torch.testing.assert_close(dict(model.net.state_dict()), expected, rtol=1e-4, atol=1e-4)
    assert not any(each._forward_hooks for each in model.modules())


def test_accelerate(data: list[Data]) -> None:
    accelerate = pytest.importorskip("accelerate")
    torch.manual_seed(1)
    net, mix = ByTensors(), Wild()
    expected = expected_statistics(net, data)
    accelerator = accelerate.Accelerator(cpu=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    model, optimizer, loader = accelerator.prepare(net, optimizer, DataLoader(data, 4))
    with warnings.catch_warnings(), mix.training(model):
        warnings.filterwarnings("error", message="batch norm")
        for batch in loader:
            mixed = mix(batch)
            loss = model(mixed.x, mixed.batch).square().mean()
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
    torch.testing.assert_close(dict(net.state_dict()), expected, rtol=1e-4, atol=1e-4)
