"""Going back to a snapshot makes the next step the same step."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.augment import Augmentation
from smixup.classifiers import GIN, Classifier
from smixup.graphs import Graphs
from smixup.training.state import TrainState


def fresh(seed: int) -> TrainState:
    torch.manual_seed(seed)
    model = GIN(3, 2, hidden_channels=4, num_layers=2, dropout=0.5)
    optimizer = torch.optim.Adam(model.parameters(), 0.1, fused=True)
    return TrainState(model, optimizer, Augmentation(), torch.Generator().manual_seed(seed))


def step(state: TrainState, graphs: Graphs) -> tuple[list[int], list[Tensor]]:
    order = torch.randperm(7, generator=state.batches)
    state.optimizer.zero_grad()
    state.model(graphs[order]).square().sum().backward()
    state.optimizer.step()
    return order.tolist(), [tensor.clone() for tensor in weights(state.model)]


def weights(model: Classifier) -> list[Tensor]:
    return list(model.state_dict().values())


def test_another_run_restored_continues_alike(graphs: Graphs) -> None:
    state, other = fresh(0), fresh(1)
    step(state, graphs)
    state.keep_best()
    tensors = state.snapshot()
    order, after = step(state, graphs)
    step(other, graphs)
    other.restore(tensors)
    assert all(torch.equal(other.best[name], tensor) for name, tensor in state.best.items())
    again, found = step(other, graphs)
    assert again == order
    assert all(torch.equal(mine, theirs) for mine, theirs in zip(found, after, strict=True))
    assert not torch.equal(state.best["head.0.bias"], state.model.state_dict()["head.0.bias"]), (
        "the best is a copy"
    )
