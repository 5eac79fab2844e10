"""Rings as lists of PyG graphs, as a user has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch_geometric.data import Data


def ring(n: int, label: int = 0, **changes: Any) -> Data:
    """A ring of n nodes; two nodes and fewer have no edges. A field of None is left out."""
    around = torch.stack([torch.arange(n), (torch.arange(n) + 1) % max(n, 1)])
    edges = torch.cat([around, around.flip(0)], 1) if n > 2 else torch.zeros(2, 0).long()
    fields = {"x": torch.rand(n, 3), "edge_index": edges, "y": torch.tensor([label])} | changes
    return Data(**{key: value for key, value in fields.items() if value is not None})


def rings(
    number: int = 18, make: Callable[[int], dict[str, Any]] = lambda i: {}, classes: int = 3
) -> list[Data]:
    """Rings of 3 to 7 nodes, changed as `make` says of the i-th."""
    torch.manual_seed(0)
    return [ring(3 + i % 5, i % classes, **make(i)) for i in range(number)]
