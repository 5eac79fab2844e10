"""Small graphs and small batches: every method trains on them, with every backbone, norms and all.

A single node has no variance, a graph without nodes no mean, one graph no partner.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch_geometric.data import Data

from smixup.app.runs.registry import BACKBONES, METHODS, SAME_NODES
from smixup.augment import Augmentation
from smixup.graphs import Graphs
from smixup.graphs.pyg import from_pyg
from smixup.matching import GraphMatcher
from smixup.training import Splits, TrainSettings, fit

SETS: dict[str, tuple[Sequence[int], int, bool]] = {  # sizes of graphs, classes, edges
    "single nodes": ([1] * 7, 2, True),
    "the last graph is a node": ([4, 5, 6, 3, 2, 1, 1, 4, 1], 2, True),
    "one class": ([4, 5, 3], 1, True),
    "one graph": ([5], 1, True),
    "no edges": ([4, 5, 3, 1, 2], 2, False),
    "some without nodes": ([0, 4, 0, 5, 3, 0, 2], 2, True),
    "none with nodes": ([0] * 4, 2, True),
}


def graphs_of(name: str) -> Graphs:
    """Return paths of several sizes."""
    sizes, classes, edges = SETS[name]
    random = torch.Generator().manual_seed(0)
    found = []
    for place, n in enumerate(sizes):
        line = torch.arange(n - 1 if edges and n else 0)
        both = torch.stack([torch.cat([line, line + 1]), torch.cat([line + 1, line])])
        x = torch.rand(n, 3, generator=random)
        found.append(Data(x=x, edge_index=both, y=torch.tensor([place % classes]), num_nodes=n))
    return from_pyg(found)


def method_of(name: str) -> Augmentation:
    """Return a method with its defaults, and a small matcher if it needs one."""
    factory = METHODS.factory(name)
    if name not in ("s-mixup", "s-cut"):
        return factory()
    matcher = GraphMatcher(num_layers=1, hidden_channels=4, max_steps=2, batch_size=4)
    return factory(matcher=matcher)


@pytest.mark.filterwarnings("ignore:there is one class")
@pytest.mark.parametrize("method", [name for name in METHODS if name not in SAME_NODES])
@pytest.mark.parametrize("backbone", ["gcn", "gin"])
@pytest.mark.parametrize("name", [*SETS])
def test_every_method_trains(name: str, backbone: str, method: str) -> None:
    graphs = graphs_of(name)
    for batch_size in (1, 4):
        torch.manual_seed(0)
        model = BACKBONES.factory(backbone)(
            3, graphs.num_classes, hidden_channels=4, num_layers=2, batch_norm=True
        )
        done = fit(
            model,
            Splits(graphs, graphs, graphs),
            method_of(method),
            TrainSettings(epochs=2, learning_rate=0.01, batch_size=batch_size),
        )
        assert done.test.logits.shape == (len(graphs), graphs.num_classes)
        assert done.test.logits.isfinite().all()
        assert all(value.isfinite().all() for value in model.state_dict().values())
