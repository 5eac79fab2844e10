"""Kinds of graphs that a packed set must give back to the bit, their way there and back, and the
comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import torch

from smixup.graphs import Graphs, SparseOperator, pack


def written(folder: Path, *parts: Graphs) -> Graphs:
    """Write graphs part by part, and read them."""
    return pack(parts, folder)[:]


def assert_identical(a: Any, b: Any, where: str = "graphs") -> None:
    """Compare graphs field by field, whatever a field is made of."""
    assert type(a) is type(b), where
    if isinstance(a, torch.Tensor):
        assert a.dtype == b.dtype and torch.equal(a, b), where
    elif isinstance(a, Graphs | SparseOperator):
        for each in fields(a):
            assert_identical(getattr(a, each.name), getattr(b, each.name), f"{where}.{each.name}")
    elif isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for name in a:
            assert_identical(a[name], b[name], f"{where}.{name}")
    else:
        assert a == b, where


def unweighted(graphs: Graphs) -> Graphs:
    adj = graphs.adj
    edges, weight = adj.edges()
    x = (graphs.x > 0).to(torch.uint8)
    new = SparseOperator.from_edges(edges, torch.ones_like(weight), graphs.num_nodes)
    return graphs.replace(adj=new, x=x)


def soft(graphs: Graphs) -> Graphs:
    return graphs.replace(y=graphs.y.flip(1) * 0.25 + graphs.y * 0.75)


def valued(graphs: Graphs) -> Graphs:
    return graphs.replace(y=graphs.y - 3.5, has_classes=False)


def bare(graphs: Graphs) -> Graphs:
    return graphs.replace(x=graphs.x[:, :0], y=graphs.y[:, :0])


def directed(graphs: Graphs) -> Graphs:
    edges, weight = graphs.adj.edges()
    up = edges[0] < edges[1]
    return graphs.replace(adj=SparseOperator.from_edges(edges[:, up], weight[up], graphs.num_nodes))


def attributed(graphs: Graphs) -> Graphs:
    weight, n = graphs.adj.weight.unsqueeze(1), graphs.num_nodes
    return graphs.replace(
        edge_attrs={"bond": torch.cat([2 * weight, weight**2], 1), "odd / name": weight / 2},
        node_attrs={"motif": torch.arange(n) % 3 == 0, "place": torch.randn(n, 2, 2)},
        graph_attrs={"size": graphs.sizes.unsqueeze(1), "temperature": torch.rand(len(graphs))},
    )


def featured(graphs: Graphs) -> Graphs:
    weight = graphs.adj.weight.unsqueeze(1)
    return graphs.replace(edge_attrs={"edge_attr": torch.ones(len(weight), 2), "SHARE": weight})


KINDS: dict[str, Callable[[Graphs], Graphs]] = {
    "weighted": lambda graphs: graphs,
    "unweighted": unweighted,
    "soft": soft,
    "valued": valued,
    "bare": bare,
    "directed": directed,
    "attributed": attributed,
    "featured": featured,
}
