"""What `y` of PyG graphs means, and how mixed targets are given back.

| `y` of B graphs | means | mixed, it is |
|---|---|---|
| integer or bool `[B]` | classes | float `[B', C]`, shares of the classes |
| integer or bool `[B, 1]`, two classes | classes | float `[B', 1]`, the share of class 1, as a binary loss expects |
| integer or bool `[B, 1]`, more classes | classes | float `[B', C]` |
| float `[B, C]`, rows of shares that sum to one | classes | float `[B', C]` |
| any other numbers, `[B]`, `[B, T]`, ... | values: regression, many labels | float of the same shape |

A float is never taken for a class, nor are rows of integers that are not one per graph: those of
0 and 1 are labels. NaN, for a label that is not known, stays NaN in all mixes of
its graph.
"""  # noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from smixup.errors import SmixupError, warn_user

if TYPE_CHECKING:
    from torch_geometric.data import Batch

    from smixup.graphs.graphs import Graphs
    from smixup.graphs.packed import PackedGraphs

MOST_CLASSES = 2**16 - 1
"""What would be larger is a quantity, and too wide to be shares of classes."""
FEW = 20
"""Below so many graphs nobody wonders about the number of classes."""


def read_targets(
    batch: Batch, num_classes: int | None = None, has_classes: bool | None = None
) -> tuple[Tensor, bool]:
    """Return the targets of a batch, float `[B, C]`, of width zero where it has none, and whether
    they are shares of classes; otherwise they are values.

    Args:
        batch: the graphs.
        num_classes: how wide integer labels become, if known.
        has_classes: whether targets are classes, if known; otherwise it is seen from the numbers.
    """
    y, number, device = batch.y, batch.num_graphs, batch.ptr.device
    if y is None:
        return torch.zeros(number, 0, device=device), True
    _require_one_row_per_graph(batch)
    if are_class_numbers(y, number):
        return _one_hot(y.reshape(-1).long(), num_classes).to(device), True
    rows = y.reshape(number, -1).float().to(device)
    require_finite(rows)
    if not y.is_floating_point() and bool((y == -1).any()) and bool(((y >= -1) & (y <= 1)).all()):
        raise SmixupError(
            "y has -1 beside labels 0 and 1: make y float, and NaN where a label is not known."
        )
    return rows, _are_shares(rows) if has_classes is None else has_classes


def are_class_numbers(y: Tensor, num_graphs: int) -> bool:
    """Return whether `y` holds one class number for every graph."""
    return not y.is_floating_point() and not y.is_complex() and y.numel() == num_graphs


def given_back(mixed: Tensor, before: Tensor, num_graphs: int) -> Tensor:
    """Return targets `[B', C]` in the shape that a loss expects that took `before`.

    Args:
        mixed: soft targets.
        before: `y` of the batch that was mixed.
        num_graphs: of that batch, B.
    """
    dtype = before.dtype if before.is_floating_point() else mixed.dtype
    if not are_class_numbers(before, num_graphs):
        return mixed.to(dtype).reshape(-1, *before.shape[1:])
    binary = before.dim() == 2 and mixed.size(1) == 2
    return mixed[:, 1:] if binary else mixed


def warn_of_counts(y: Tensor) -> None:
    """Warn where integers are more likely quantities than classes."""
    found = y.unique().numel()
    if y.numel() >= FEW and found > y.numel() / 2:
        warn_user(
            f"y holds integers, which are read as classes: {found} of them among {y.numel()} "
            "graphs. If they are quantities, make them float: data.y = data.y.float()."
        )


def _one_hot(labels: Tensor, num_classes: int | None) -> Tensor:
    low, high = (int(each) for each in labels.aminmax())
    if low < 0 or high >= MOST_CLASSES:
        raise SmixupError(
            f"integer labels are class numbers 0, 1, 2, ..., but y has {low if low < 0 else high}: "
            "number the classes anew, or make y float if it is a quantity."
        )
    if num_classes is not None and high >= num_classes:
        raise SmixupError(
            f"y has class {high}, but only the classes 0 to {num_classes - 1} are known from fit: "
            f"set num_classes, for example num_classes={high + 1}, and fit again."
        )
    return torch.eye(num_classes or high + 1, device=labels.device)[labels]


def _are_shares(rows: Tensor) -> bool:
    """Return whether all rows are distributions over two classes or more."""
    if rows.size(1) < 2 or not rows.isfinite().all() or (rows < 0).any():
        return False
    return torch.allclose(rows.sum(1), torch.ones_like(rows[:, 0]), atol=1e-4)


def _require_one_row_per_graph(batch: Batch) -> None:
    y, number = batch.y, batch.num_graphs
    if not isinstance(y, Tensor) or y.is_complex():
        raise SmixupError(
            f"y is a {y.dtype if isinstance(y, Tensor) else type(y).__name__} where a tensor of "
            "real numbers is needed: give every Data a y such as torch.tensor([2])."
        )
    slices = getattr(batch, "_slice_dict", {}).get("y")
    of_nodes = slices is not None and torch.equal(slices, batch.ptr.cpu())
    if of_nodes and bool((batch.ptr.diff() != 1).any()):
        raise SmixupError(
            "y has one value per node, and targets of nodes cannot be mixed: give every graph a "
            "target of its own."
        )
    if y.numel() % max(number, 1):
        raise SmixupError(
            f"{y.numel()} target values do not divide among {number} graphs: give every Data as "
            "many."
        )


def require_labels(graphs: Graphs) -> None:
    """Refuse graphs without labels."""
    if graphs.num_classes == 0:
        raise SmixupError(
            "the graphs have no labels: every Data needs a `y`, an integer class or a row of "
            "targets."
        )


def require_finite(y: Tensor) -> None:
    """Refuse targets `[B, C]` that are infinite; NaN is one that is not known."""
    if bool(y.isinf().any()):
        graph = int(y.isinf().any(1).nonzero()[0])
        raise SmixupError(
            f"the target of graph {graph} is infinite: leave the graph out, or make its y NaN if "
            "it is not known."
        )


def require_classes(graphs: Graphs | PackedGraphs) -> None:
    """Refuse targets that are values where classes are needed."""
    if not graphs.has_classes:
        raise SmixupError(
            "classes are needed here, but the targets are values: make y integer if they are class "
            "numbers."
        )
