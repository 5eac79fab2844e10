"""Layouts that show a motif: it is drawn by itself, in one shape wherever it occurs, and the rest
of the graph beside it (Fig. 2).

A layout of the whole graph bends the motif, each time in another way, so that a house does not look
like a house. Where one edge joins the motif to the rest, as in MOTIF, both are laid out by
themselves and put side by side.
"""

from __future__ import annotations

from itertools import permutations, product

import networkx as nx
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.app.pictures.planar import Edges, Positions, edges_of, number_of_crossings, untangled

DIRECTIONS = 36
DIGITS = 6
SMALL = 6
"""All orders of the nodes of a graph so small can be tried."""
BRIDGES = (1.0, 1.5, 2.2, 3.0)
"""Lengths of the edge between motif and rest that are tried, in usual edges."""
CLEAR = 0.9
"""Nodes so far apart, in usual edges, are far enough."""


def motif_layout(adj: Tensor, motif: Tensor) -> Positions | None:
    """Return a place for every node `[n, 2]`; None unless one edge joins a connected motif to a
    connected rest.

    Args:
        adj: weights `[n, n]`, symmetric.
        motif: `[n]`, which nodes are of the motif.
    """
    graph = nx.from_numpy_array(adj.numpy())
    inside = torch.nonzero(motif).flatten().tolist()
    outside = torch.nonzero(~motif.bool()).flatten().tolist()
    bridges = list(nx.edge_boundary(graph, inside))
    parts = graph.subgraph(inside), graph.subgraph(outside)
    if len(bridges) != 1 or not all(nx.is_connected(part) for part in parts):
        return None
    joint, base = bridges[0]
    places = np.zeros((len(graph), 2))
    places[inside] = _own_layout(graph, inside, joint)
    places[outside] = _own_layout(graph, outside)
    return _joined(places, edges_of(graph), np.array(inside), np.array(outside), joint, base)


def unit_edges(places: Positions, edges: Edges) -> Positions:
    """Scale a layout so that the median edge has length 1."""
    lengths = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
    known = lengths[lengths > 0]
    return places / np.median(known) if known.size else places


def shape_of(graph: nx.Graph, outside: int | None = None) -> Positions:
    """Return the layout of a graph, its edges of about length 1; small graphs that are isomorphic
    have one shape, whatever the order of their nodes.

    Args:
        graph: with nodes 0 to n - 1.
        outside: a node that should lie far from the middle, if it has its like there.
    """
    orders = canonical_orders(graph) if len(graph) <= SMALL else [sorted(graph)]
    adjacency = nx.to_numpy_array(graph, nodelist=orders[0]) != 0
    shape = untangled(nx.from_numpy_array(adjacency.astype(float)))
    far = np.linalg.norm(shape - shape.mean(0), axis=1).round(DIGITS)
    places = np.zeros((len(graph), 2))
    places[max(orders, key=lambda order: 0 if outside is None else far[order.index(outside)])] = (
        shape
    )
    return unit_edges(places, edges_of(graph))


def canonical_orders(graph: nx.Graph) -> list[list[int]]:
    """Return the orders of nodes with the largest adjacency among those by falling degree: equal
    graphs look equal in them.
    """
    degrees = sorted({degree for _, degree in graph.degree}, reverse=True)
    groups = [[node for node, own in graph.degree if own == degree] for degree in degrees]
    orders = [
        [node for group in each for node in group]
        for each in product(*(list(permutations(group)) for group in groups))
    ]
    adjacency = nx.to_numpy_array(graph, nodelist=range(len(graph))) != 0
    looks = [adjacency[np.ix_(order, order)].tolist() for order in orders]
    most = max(looks)
    return [order for order, look in zip(orders, looks, strict=True) if look == most]


def _own_layout(graph: nx.Graph, nodes: list[int], outside: int | None = None) -> Positions:
    part = nx.convert_node_labels_to_integers(graph.subgraph(nodes), ordering="sorted")
    return shape_of(part, None if outside is None else nodes.index(outside))


def _joined(
    places: Positions,
    edges: Edges,
    inside: NDArray[np.int64],
    outside: NDArray[np.int64],
    joint: int,
    base: int,
) -> Positions:
    """Turn and move the motif to where its edge to the rest crosses nothing and both have room; the
    shorter that edge the better.
    """
    own = places[inside] - places[joint]
    away = own.mean(0)
    best, least = places, (np.inf, np.inf, np.inf)
    for length, angle in product(BRIDGES, np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS):
        if least[:2] < (0, length - 1):
            break  # a longer one is no better
        direction = np.array([np.cos(angle), np.sin(angle)])
        tried = places.copy()
        tried[inside] = own @ _turn(away, direction).T + places[base] + length * direction
        room = np.linalg.norm(tried[inside][:, None] - tried[outside][None], axis=2)
        room[inside == joint, outside == base] = np.inf
        cost = (
            number_of_crossings(edges, tried),
            max(0.0, CLEAR - float(room.min())) + (length - 1),
            -float(np.linalg.norm(tried[inside].mean(0) - tried[outside].mean(0))),
        )
        if cost < least:
            best, least = tried, cost
    return best


def _turn(start: Positions, end: Positions) -> Positions:
    """Return the rotation `[2, 2]` that brings one direction to another."""
    angle = np.arctan2(end[1], end[0]) - np.arctan2(start[1], start[0])
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, -sin], [sin, cos]])
