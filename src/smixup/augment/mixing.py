"""Carrying one graph onto another by an assignment, and mixing the two (Eq. 4 and 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from smixup.graphs import Graphs, Operator, SparseOperator


def transform(M: Operator, left: Graphs, right: Graphs) -> Graphs:
    """Return G2' on the nodes of G1: `A2' = M A2 M^T` and `X2' = M X2`, Eq. (4).

    Targets and further attributes of graphs are those of G2. Further attributes of nodes are
    carried over like features if they are numbers; others stay those of G1, whose nodes they are.

    Note:
        The diagonal of `M A2 M^T` is removed. It is not zero where neighbours of G2 share a node
        of G1, and a layer that adds self-loops of its own would take it for one. A self-loop of G2
        is carried as its node is: the diagonal of A2' is `M diag(A2)`.

    Args:
        M: assignments of B pairs `[n1, n2]`.
        left: G1, B graphs.
        right: G2, B graphs.
    """
    A2, X2 = right.adj, right.x
    return right.replace(
        x=M @ X2,
        adj=_carried_edges(M, A2),
        ptr=left.ptr,
        edge_attrs={
            name: tuple(_carried_edges(M, C2) for C2 in columns)
            for name, columns in right.edge_attrs.items()
        },
        node_attrs={
            name: _carried(M, left.node_attrs[name], values)
            for name, values in right.node_attrs.items()
        },
    )


def interpolate(
    left: Graphs, right: Graphs, lam: Tensor, label_share: Tensor | None = None
) -> Graphs:
    """Return `lam G1 + (1 - lam) G2'` in features, edges and targets, Eq. (5).

    Attributes that are not numbers to be averaged, such as masks and categories, are those of G1.

    Args:
        left: G1, B graphs.
        right: G2', on the nodes of G1.
        lam: `[B]`, the ratio of each pair.
        label_share: `[B]`, the share of G1 in targets and attributes of graphs, if not lambda.
    """
    of_nodes = lam[left.batch]
    return left.replace(
        x=torch.lerp(right.x.float(), left.x.float(), of_nodes.unsqueeze(1)),
        adj=(1 - of_nodes) * right.adj + of_nodes * left.adj,
        edge_attrs={
            name: tuple(
                (1 - of_nodes) * C2 + of_nodes * C1
                for C1, C2 in zip(columns, right.edge_attrs[name], strict=True)
            )
            for name, columns in left.edge_attrs.items()
        },
        node_attrs=averaged(left.node_attrs, right.node_attrs, of_nodes),
        **mixed_targets(left, right, lam if label_share is None else label_share),
    )


def mixed_targets(
    left: Graphs, right: Graphs, ratio: Tensor, partner: Tensor | slice = slice(None)
) -> dict[str, Any]:
    """Return what a mix of graphs says of them as a whole: `y` and further attributes of graphs.

    Args:
        left: B graphs.
        right: what they are mixed with.
        ratio: `[B]`, the share of the left.
        partner: the rows of `right` that belong to the left graphs, if not all in their order.
    """
    others = {name: values[partner] for name, values in right.graph_attrs.items()}
    return {
        "y": torch.lerp(right.y[partner], left.y, ratio.unsqueeze(1)),
        "graph_attrs": averaged(left.graph_attrs, others, ratio),
    }


def _carried_edges(M: Operator, A2: Operator) -> Operator:
    """Return `M A2 M^T` with loops where G2 has loops, and nowhere else."""
    loops = A2.row == A2.column if isinstance(A2, SparseOperator) else None
    if loops is None or not loops.any():
        return (M @ A2 @ M.T).without_loops()
    assert isinstance(A2, SparseOperator)
    n = A2.shape[0]
    diagonal = A2.weight.new_zeros(n, A2.width)
    diagonal.index_add_(0, A2.row[loops], A2.weight[loops].reshape(-1, A2.width))
    carried = M @ diagonal
    every, some = torch.arange(len(carried), device=carried.device), (carried != 0).any(1)
    weight = carried if A2.weight.dim() > 1 else carried.squeeze(1)
    own = SparseOperator.from_edges(torch.stack([every, every]), weight, len(carried))
    return (M @ A2.without_loops() @ M.T).without_loops() + own.mask_entries(some)


def _carried(M: Operator, own: Tensor, values: Tensor) -> Tensor:
    """Return an attribute of G2's nodes on the nodes of G1, `own` if it cannot be averaged."""
    if not values.is_floating_point():
        return own
    return (M @ values.reshape(len(values), -1)).reshape(own.shape)


def averaged(
    left: Mapping[str, Tensor], right: Mapping[str, Tensor], lam: Tensor
) -> dict[str, Tensor]:
    """Mix attributes row by row where they are numbers; others are those of the left."""
    mixed = {}
    for name, value in left.items():
        ratio = lam.view(-1, *[1] * (value.dim() - 1))
        whole = not value.is_floating_point()
        mixed[name] = value if whole else torch.lerp(right[name], value, ratio.to(value.dtype))
    return mixed
