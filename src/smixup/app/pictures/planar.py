"""Places of nodes such that few edges cross: none, if the graph can be drawn so and the drawing
stays even.

Kamada and Kawai's layout makes distances in the plane like distances in the graph, which is even
but often folds a graph that needs no crossing. So it is begun from several places, and the result
with the fewest crossings is taken. If crossings are left in a planar graph, a drawing without any
is taken and evened out node by node, never through an edge.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.float64]
Edges = NDArray[np.int64]

ROUNDS, HALVINGS, STILL = 40, 4, 0.02
NEAR = 0.12
"""A node keeps such a part of a usual edge's length away from edges that it does not end."""
LONGEST = 4.0
"""A drawing without crossings is no use where an edge is so many times as long as the median."""
ON_TOP = 0.05
"""Nodes lie on each other if they are nearer than such a part of the median distance."""
EVENED = 40
"""Graphs of more nodes keep the crossings that are left: moving nodes one by one takes seconds."""


def untangled(graph: nx.Graph) -> Positions:
    """Return a place for every node `[n, 2]` of a connected graph with nodes 0 to n - 1, the same
    at every call.

    ```python
    places = untangled(nx.wheel_graph(8))
    number_of_crossings(edges_of(graph), places)    # 0
    ```
    """
    edges = edges_of(graph)
    planar, _ = nx.check_planarity(graph)
    convex = _convex(graph) if planar else None
    if convex is not None and _is_even(edges, convex):
        return convex
    far = _hops(graph)
    found = list(_begun_from(graph, planar))
    best = min(
        found,
        key=lambda each: (_hidden(each), number_of_crossings(edges, each), _stress(each, far)),
    )
    if not planar or len(graph) > EVENED or number_of_crossings(edges, best) == 0:
        return best
    drawn = evened(graph, _places(graph, nx.planar_layout(graph)))
    return drawn if _is_even(edges, drawn) else best


def edges_of(graph: nx.Graph) -> Edges:
    """Return the edges `[m, 2]`, loops left out."""
    return np.array([edge for edge in graph.edges if edge[0] != edge[1]], dtype=np.int64).reshape(
        -1, 2
    )


def number_of_crossings(edges: Edges, places: Positions) -> int:
    """Count the pairs of edges without a common node that cross."""
    return int(np.triu(_cross(edges, edges, places), 1).sum())


def evened(graph: nx.Graph, places: Positions) -> Positions:
    """Move nodes, one after another, to where their distances are more like those in the graph, as
    far as no edge is crossed by it.
    """
    edges, far = edges_of(graph), _hops(graph)
    weights = np.divide(1, far**2, out=np.zeros_like(far), where=far > 0)
    places = places * np.median(far[far > 0]) / np.median(_apart(places)[far > 0])
    for _ in range(ROUNDS):
        before = places.copy()
        for node in range(len(places)):
            _move(node, _pulled(node, places, far, weights), edges, places)
        if np.abs(places - before).max() < STILL:
            break
    return places


def _move(node: int, target: Positions, edges: Edges, places: Positions) -> None:
    """Move a node towards its target, half as far where an edge would be crossed, and so on."""
    own = (edges == node).any(1)
    start = places[node].copy()
    room = min(NEAR, _least_room(node, own, edges, places))
    for halving in range(HALVINGS):
        places[node] = start + (target - start) / 2**halving
        crossing = _cross(edges[own], edges[~own], places).any()
        if not crossing and _least_room(node, own, edges, places) >= room:
            return
    places[node] = start


def _pulled(
    node: int, places: Positions, far: NDArray[np.float64], weights: NDArray[np.float64]
) -> Positions:
    """Return where a node would have its distances at least stress, all others in their places."""
    away = places[node] - places
    length = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    wanted = places + away * (far[node] / length)[:, None]
    pulled: Positions = (weights[node][:, None] * wanted).sum(0) / weights[node].sum()
    return pulled


def _least_room(node: int, own: NDArray[np.bool_], edges: Edges, places: Positions) -> float:
    """Return how near a node is to an edge of others, or one of its edges to another node."""
    others = edges[~own]
    before = _distances(places[node], places[others[:, 0]], places[others[:, 1]])
    starts, ends = (places[edges[own, end]][:, None] for end in (0, 1))
    beside = _distances(places[None], starts, ends)
    beside[np.arange(len(beside))[:, None], edges[own]] = np.inf
    return float(min(before.min(initial=np.inf), beside.min(initial=np.inf)))


def _distances(points: Positions, starts: Positions, ends: Positions) -> NDArray[np.float64]:
    """Return the distances of points and segments, row by row."""
    along = ends - starts
    squares = np.maximum((along**2).sum(-1), 1e-18)
    share = np.clip(((points - starts) * along).sum(-1) / squares, 0, 1)
    found: NDArray[np.float64] = np.linalg.norm(points - starts - share[..., None] * along, axis=-1)
    return np.atleast_1d(found)


def _cross(one: Edges, other: Edges, places: Positions) -> NDArray[np.bool_]:
    """Tell which edges cross, `[m1, m2]`; edges with a common node do not."""
    a, b = (places[one[:, end]][:, None] for end in (0, 1))
    c, d = (places[other[:, end]][None] for end in (0, 1))
    shared = (one[:, None, :, None] == other[None, :, None, :]).any((2, 3))
    apart = _side(a, b, c) * _side(a, b, d) < 0
    found: NDArray[np.bool_] = apart & (_side(c, d, a) * _side(c, d, b) < 0) & ~shared
    return found


def _side(start: Positions, end: Positions, point: Positions) -> NDArray[np.float64]:
    """Tell on which side of a line a point lies, by its sign."""
    along, aside = end - start, point - start
    found: NDArray[np.float64] = np.sign(
        along[..., 0] * aside[..., 1] - along[..., 1] * aside[..., 0]
    )
    return found


def _is_even(edges: Edges, places: Positions) -> bool:
    lengths = np.linalg.norm(places[edges[:, 0]] - places[edges[:, 1]], axis=1)
    return bool(lengths.max() <= LONGEST * np.median(lengths))


def _convex(graph: nx.Graph) -> Positions | None:
    """Return Tutte's drawing of a planar graph, the longest face around a circle and every other
    node in the middle of its neighbours; None unless three nodes must go to tear the graph.
    """
    if len(graph) < 5 or nx.node_connectivity(graph) < 3:
        return None
    embedding: Any = nx.check_planarity(graph)[1]
    outer: list[int] = max((embedding.traverse_face(*edge) for edge in embedding.edges), key=len)
    around = 2 * np.pi * np.arange(len(outer)) / len(outer)
    inner = [node for node in range(len(graph)) if node not in outer]
    places = np.zeros((len(graph), 2))
    places[outer] = np.stack([np.cos(around), np.sin(around)], 1)
    laplacian = nx.laplacian_matrix(graph, nodelist=range(len(graph)), weight=None).toarray()
    pull = -laplacian[inner][:, outer] @ places[outer]
    places[inner] = np.linalg.solve(laplacian[inner][:, inner], pull)
    return places


def _begun_from(graph: nx.Graph, planar: bool) -> Iterator[Positions]:
    """Yield Kamada and Kawai's layout from several beginnings."""
    starts = [None, nx.planar_layout(graph) if planar else None]
    if len(graph) > 2:
        starts.append(nx.spectral_layout(graph))
    with warnings.catch_warnings():  # two nodes that begin at one place are moved apart
        warnings.simplefilter("ignore", RuntimeWarning)
        for place, start in enumerate(starts):
            if place == 0 or start is not None:
                yield _places(graph, nx.kamada_kawai_layout(graph, pos=start, weight=None))


def _places(graph: nx.Graph, found: dict[int, NDArray[np.float64]]) -> Positions:
    return np.array([found[node] for node in range(len(graph))], dtype=np.float64)


def _hops(graph: nx.Graph) -> NDArray[np.float64]:
    """Return the distances in the graph, `[n, n]`."""
    found = np.zeros((len(graph), len(graph)))
    for node, lengths in nx.all_pairs_shortest_path_length(graph):
        found[node, list(lengths)] = list(lengths.values())
    return found


def _hidden(places: Positions) -> int:
    """Count the pairs of nodes of which one lies on the other."""
    apart = _apart(places)[np.triu_indices(len(places), 1)]
    return int((apart < ON_TOP * np.median(apart)).sum()) if apart.size else 0


def _stress(places: Positions, far: NDArray[np.float64]) -> float:
    """Return by how much distances differ from those in the graph, at the best scale."""
    asked = far > 0
    wanted, seen = far[asked], _apart(places)[asked]
    scale = (seen / wanted).sum() / np.maximum((seen**2 / wanted**2).sum(), 1e-18)
    return float(((scale * seen / wanted - 1) ** 2).sum())


def _apart(places: Positions) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.linalg.norm(places[:, None] - places[None], axis=2)
    return found
