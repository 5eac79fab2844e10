"""Places of nodes in the plane: the same at every call, and alike where graphs are alike."""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components, shortest_path
from torch import Tensor

from smixup.app.pictures.pair import Alignment
from smixup.graphs import Graphs

Positions = NDArray[np.float64]
Flags = NDArray[np.bool_]
GAP = 1.0
MANY_MATCHES = 200


def layout_of(adj: Tensor, motif: Tensor | None = None) -> Positions:
    """Return a place for every node `[n, 2]`, edges about 1 long; components stand side by side.

    Args:
        adj: weights `[n, n]`, symmetric.
        motif: `[n]`, which nodes are of the motif: it has a shape of its own, and keeps it.
    """
    linked = adj.detach().cpu().numpy() != 0
    marked = flags(motif, len(linked))
    number, component = connected_components(linked, directed=False)
    parts = sorted(((component == part).nonzero()[0] for part in range(number)), key=len)[::-1]
    places = np.zeros((len(linked), 2))
    corner, tallest, limit = np.zeros(2), 0.0, 1.5 * len(linked) ** 0.5
    for part in parts:
        own = _connected(linked[np.ix_(part, part)], marked[part])
        own -= own.min(0)
        width, height = own.max(0)
        if corner[0] > 0 and corner[0] + width > limit:
            corner, tallest = np.array([0.0, corner[1] + tallest + GAP]), 0.0
        places[part] = own + corner
        corner[0] += width + GAP
        tallest = max(tallest, height)
    return places


def _connected(linked: Flags, motif: Flags) -> Positions:
    """Lay out a connected graph; its motif by itself, where it is connected, too."""
    graph = nx.from_numpy_array(linked)
    starts = [nx.circular_layout(graph)]
    if nx.check_planarity(graph)[0]:
        starts.append(nx.planar_layout(graph))
    distance = shortest_path(linked)
    size = distance.max(initial=1) / 2
    everywhere = np.ones(len(linked), dtype=np.bool_)
    found = [
        _relaxed(distance, size * np.array([start[node] for node in graph]), everywhere)
        for start in starts
    ]
    places = min(found, key=lambda result: round(result[1], 6))[0]
    own = linked[np.ix_(motif, motif)]
    if not 1 < len(own) < len(linked) or not nx.is_connected(nx.from_numpy_array(own)):
        return places
    middle = places[motif].mean(0)
    places[motif] = turned(_connected(own, np.zeros(len(own), np.bool_)), places[motif]) + middle
    return _relaxed(distance, places, ~motif)[0]


def _relaxed(
    distance: NDArray[np.float64], start: Positions, free: Flags
) -> tuple[Positions, float]:
    """Move the free nodes until all are about as far apart as their shortest paths are long
    (Kamada and Kawai); return their places and how far off these are.
    """
    off_diagonal = distance + np.eye(len(distance))
    places = start.copy()

    def stress(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        places[free] = flat.reshape(-1, 2)
        apart = places[:, None] - places[None]
        length = np.linalg.norm(apart, axis=2) + np.eye(len(distance))
        off = length / off_diagonal - 1
        pull = 2 * (off / off_diagonal / np.maximum(length, 1e-9))[..., None] * apart
        return 0.5 * float(np.square(off).sum()), pull.sum(1)[free].ravel()

    if not free.any():
        return places, 0.0
    found = minimize(stress, start[free].ravel(), jac=True, method="L-BFGS-B")
    places[free] = found.x.reshape(-1, 2)
    return places, float(found.fun)


def pair_layouts(left: Graphs, right: Graphs, alignment: Alignment) -> tuple[Positions, Positions]:
    """Return the layouts of G1 and G2, that of G2 turned towards that of G1: so that its motif lies
    as the motif of G1, if both are known and have one shape, else so that nodes come near their
    counterparts.

    Args:
        left, right: G1 and G2, each a batch of one.
        alignment: of the two.
    """
    adj1, adj2 = (graph.adj.to_dense().detach().cpu() for graph in (left, right))
    places1, places2 = layout_of(adj1, left.motif), layout_of(adj2, right.motif)
    share = alignment.M.detach().cpu().double().numpy()
    best = turned(places2, share.T @ places1, alignment.matched2)
    if left.motif is None or right.motif is None or not left.motif.any():
        return places1, best
    own1, own2 = (motif.cpu().nonzero().flatten().numpy() for motif in (left.motif, right.motif))
    part2 = nx.from_numpy_array(adj2.numpy()[np.ix_(own2, own2)])
    part1 = nx.from_numpy_array(adj1.numpy()[np.ix_(own1, own1)])
    least = np.inf
    ways = nx.isomorphism.GraphMatcher(part2, part1).isomorphisms_iter()
    for _, way in zip(range(MANY_MATCHES), ways, strict=False):
        targets, marked = np.zeros_like(places2), flags(right.motif, len(places2))
        targets[own2] = places1[own1[[way[node] for node in range(len(own2))]]]
        tried, off = _turned_towards(places2, targets, marked)
        if off < least - 1e-6:
            best, least = tried, off
    return places1, best


def turned(places: Positions, targets: Positions, known: Tensor | None = None) -> Positions:
    """Turn or mirror a layout `[n, 2]` so that its nodes come near their targets, without changing
    its shape.

    Args:
        places: the layout.
        targets: where the nodes should be, `[n, 2]`.
        known: `[n]`, which nodes have a target; all if not given.
    """
    everywhere = np.ones(len(places), dtype=np.bool_)
    asked = everywhere if known is None else flags(known, len(places))
    return _turned_towards(places, targets, asked if asked.any() else everywhere)[0]


def _turned_towards(places: Positions, targets: Positions, asked: Flags) -> tuple[Positions, float]:
    """Turn a layout around the middle of some nodes; also return how far they are off."""
    if len(places) == 0:
        return places, 0.0
    wanted = targets[asked] - targets[asked].mean(0)
    centred = places - places[asked].mean(0)
    found: Positions = centred @ orthogonal_procrustes(centred[asked], wanted)[0]
    return found, float(np.square(found[asked] - wanted).sum())


def flags(marked: Tensor | None, number: int) -> Flags:
    """Return which of some nodes are marked; none if nothing is known."""
    found: Flags = (
        np.zeros(number, np.bool_) if marked is None else marked.cpu().numpy().astype(np.bool_)
    )
    return found
