"""Colours against a plain comparison of what a first layer sees."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.datasets.motif import motif_dataset
from smixup.graphs import Graphs
from smixup.graphs.colours import colours_of


def seen(graphs: Graphs) -> list[tuple[object, ...]]:
    """What a first layer sees of each node, as Python values."""
    rows = [tuple(row) for row in graphs.x.float().tolist()]
    (source, target), weight = graphs.adj.to_sparse().edges()
    around: list[list[object]] = [[] for _ in rows]
    for i, j, w in zip(target.tolist(), source.tolist(), weight.tolist(), strict=True):
        around[i].append((rows[j], w))
    return [(row, tuple(sorted(map(repr, each)))) for row, each in zip(rows, around, strict=True)]


def weighted(graphs: Graphs) -> Graphs:
    adj = graphs.adj.to_sparse()
    random = torch.Generator().manual_seed(1)
    weight = torch.randint(1, 3, adj.weight.shape, generator=random) / 2
    return graphs.replace(adj=type(adj)(adj.row_ptr, adj.column, weight, adj.num_columns))


@pytest.mark.parametrize("change", [lambda each: each, weighted], ids=["plain", "weighted"])
@pytest.mark.parametrize("source", ["motif", "random"])
def test_nodes_of_a_colour_look_alike(
    source: str,
    change: Callable[[Graphs], Graphs],
    make_graphs: Callable[..., Graphs],
) -> None:
    graphs = (
        motif_dataset(num_graphs=30).graphs if source == "motif" else make_graphs([5, 9, 2, 30])
    )
    graphs = change(graphs.floating())
    found, expected = colours_of(graphs.x, graphs.adj.to_sparse()), seen(graphs)
    first: dict[int, object] = {}
    for colour, look in zip(found.colour.tolist(), expected, strict=True):
        assert first.setdefault(colour, look) == look
    assert len(found) == len(first)
    assert len(found) <= 1.1 * len(set(expected)), "hardly any nodes that look alike are parted"
    assert torch.equal(found.colour[found.member], torch.arange(len(found)))
    assert found.count.tolist() == [found.colour.tolist().count(each) for each in range(len(found))]


def test_features_that_differ_by_little_are_told_apart() -> None:
    graphs = motif_dataset(num_graphs=4).graphs.floating()
    x = torch.ones(graphs.num_nodes, 3)
    x[0, 1] += 1e-6
    adj = graphs.adj.to_sparse()
    alike, other = colours_of(torch.ones_like(x), adj), colours_of(x, adj)
    assert (other.colour == other.colour[0]).sum() == 1
    assert len(other) > len(alike)
