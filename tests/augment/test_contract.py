"""What every augmentation of the registry must keep, on graphs of every odd kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from tiny_methods import METHODS, method
from torch import Tensor

from smixup.augment import Augmentation
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg

WAYS: dict[str, Callable[[int], Augmentation]] = {
    **{name: lambda seed, name=name: method(name, seed) for name in METHODS},
    "s-mixup, afresh": lambda seed: method("s-mixup", seed, partners=None),
    "s-cut, afresh": lambda seed: method("s-cut", seed, partners=None),
}
"""Each method from a seed: all its randomness must come from there."""
BATCHES = [[0, 4, 1, 2, 5, 0], [1], [2, 5]]
"""Usual graphs, one node, no edges and one graph twice; one node alone; no edges at all."""
EVERY_WAY = pytest.mark.parametrize("way", WAYS)


def tensors(graphs: Graphs) -> Iterator[Tensor]:
    """Everything a set or batch consists of."""
    yield from (graphs.x, graphs.y, graphs.ptr, graphs.adj.to_dense(), graphs.ids)


def copies(graphs: Graphs) -> list[Tensor]:
    return [tensor.clone() for tensor in tensors(graphs)]


def check_contract(found: Graphs, num_features: int, num_classes: int) -> None:
    n, B = found.x.size(0), len(found)
    assert found.x.shape == (n, num_features)
    assert found.y.shape == (B, num_classes) and found.y.dtype == torch.float32
    assert (found.y >= 0).all()
    torch.testing.assert_close(found.y.sum(1), found.y.new_ones(B))
    assert (found.ptr.numel(), int(found.ptr[0]), int(found.ptr[-1])) == (B + 1, 0, n)
    assert (found.sizes > 0).all(), "a graph lost all its nodes"
    dense = found.adj.to_dense()
    assert dense.shape == (n, n) and dense.isfinite().all()
    graph = torch.arange(B).repeat_interleave(found.sizes)
    assert not dense[graph.unsqueeze(0) != graph.unsqueeze(1)].any(), "an edge crosses graphs"
    torch.testing.assert_close(found.adj.T.to_dense(), dense.T)


@EVERY_WAY
def test_datasets_and_batches_keep_the_contract(
    way: str, make_graphs: Callable[..., Graphs]
) -> None:
    num_classes = 2 + list(WAYS).index(way) % 2
    graphs = make_graphs([4, 1, 6, 3, 9, 5, 2], num_classes=num_classes)
    before = copies(graphs)
    augmentation = WAYS[way](0)
    check_contract(augmentation.fit_extend(graphs), graphs.num_features, num_classes)
    torch.testing.assert_close(copies(graphs), before, msg="the training split was changed")
    for choice in BATCHES:
        batch = graphs[choice]
        before = copies(batch)
        found = augmentation.on_batch(batch)
        check_contract(found, graphs.num_features, num_classes)
        assert found.x.dtype == torch.float32
        assert found.ids.shape == (len(found),)
        assert set(found.ids.tolist()) <= set(choice)
        torch.testing.assert_close(copies(batch), before, msg="the batch was changed")


def everything(augmentation: Augmentation, graphs: Graphs) -> list[Tensor]:
    """All that a method makes: of a dataset, of batches here and in PyG, of embeddings."""
    train, batch = augmentation.fit_extend(graphs), graphs[[0, 4, 5, 2]]
    parts = [train, augmentation.on_batch(batch), augmentation.on_batch(batch)]
    pyg = augmentation(to_pyg(batch))
    h = torch.ones(7, 2, device=graphs.device).cumsum(0)
    return [
        *(tensor for part in parts for tensor in copies(part)),
        *(pyg.x, pyg.edge_index, pyg.edge_weight, pyg.y, pyg.batch),
        *augmentation.on_embedding(h, graphs.y),
    ]


@EVERY_WAY
def test_one_seed_gives_the_same_graphs_on_every_device(
    way: str, graphs: Graphs, device: torch.device
) -> None:
    torch.manual_seed(0)
    expected = everything(WAYS[way](3), graphs)
    torch.manual_seed(1)
    found = everything(WAYS[way](3), graphs.to(device))
    assert {tensor.device for tensor in found} == {device}
    exact = 0 if device.type == "cpu" else 1e-4
    torch.testing.assert_close([tensor.cpu() for tensor in found], expected, rtol=exact, atol=exact)
