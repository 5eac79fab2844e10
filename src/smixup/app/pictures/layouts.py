"""Places of nodes in the plane: the same at every call, and alike where graphs are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components, shortest_path
from torch import Tensor

from smixup.graphs import Graphs

if TYPE_CHECKING:
    from smixup.app.pictures.mixed_pair import Alignment

Positions = NDArray[np.float64]
Flags = NDArray[np.bool_]
MANY_MATCHES = 200


def layout_of(adj: Tensor, motif: Tensor | None = None) -> Positions:
    """Return a place for every node `[n, 2]`, edges about 1 long; components stand side by side,
    and a motif `[n]` keeps a shape of its own.
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
            corner, tallest = np.array([0.0, corner[1] + tallest + 1]), 0.0
        places[part] = own + corner
        corner[0] += width + 1
        tallest = max(tallest, height)
    return places


def _connected(linked: Flags, motif: Flags) -> Positions:
    """Lay out a connected graph; its motif by itself, where it is connected, too."""
    graph, distance = nx.from_numpy_array(linked), shortest_path(linked)
    starts = [nx.circular_layout(graph)]
    starts += [nx.planar_layout(graph)] if nx.check_planarity(graph)[0] else []
    size, everywhere = distance.max(initial=1) / 2, np.ones(len(linked), dtype=np.bool_)
    places = [size * np.array([start[node] for node in graph]) for start in starts]
    found = [_relaxed(distance, start, everywhere) for start in places]
    best = min(found, key=lambda result: round(result[1], 6))[0]
    own = linked[np.ix_(motif, motif)]
    if not 1 < len(own) < len(linked) or not nx.is_connected(nx.from_numpy_array(own)):
        return best
    shape = _connected(own, np.zeros(len(own), np.bool_))
    best[motif] = turned(shape, best[motif]) + best[motif].mean(0)
    return _relaxed(distance, best, ~motif)[0]


def _relaxed(distance: Positions, start: Positions, free: Flags) -> tuple[Positions, float]:
    """Move the free nodes until all are about as far apart as their shortest paths are long
    (Kamada and Kawai); return their places and how far off these are.
    """
    wanted, places = distance + np.eye(len(distance)), start.copy()

    def stress(flat: Positions) -> tuple[float, Positions]:
        places[free] = flat.reshape(-1, 2)
        apart = places[:, None] - places[None]
        length = np.maximum(np.linalg.norm(apart, axis=2) + np.eye(len(distance)), 1e-9)
        off = length / wanted - 1
        pull = 2 * (off / wanted / length)[..., None] * apart
        return 0.5 * float(np.square(off).sum()), pull.sum(1)[free].ravel()

    # not L-BFGS: its linear algebra starts threads, which wait for each other on a busy machine
    found = minimize(stress, start[free].ravel(), jac=True, method="CG", options={"gtol": 1e-3})
    places[free] = found.x.reshape(-1, 2)
    return places, float(found.fun)


def pair_layouts(left: Graphs, right: Graphs, alignment: Alignment) -> tuple[Positions, Positions]:
    """Return the layouts of G1 and G2, that of G2 turned so that its motif lies as that of G1, if
    both are known and have one shape, else so that nodes come near their counterparts.
    """
    adj1, adj2 = (graph.adj.to_dense().detach().cpu() for graph in (left, right))
    places1, places2 = layout_of(adj1, left.motif), layout_of(adj2, right.motif)
    share = alignment.M.detach().cpu().double().numpy()
    best, least = turned(places2, share.T @ places1, alignment.matched2), np.inf
    if left.motif is None or right.motif is None or not left.motif.any():
        return places1, best
    own1, own2 = (motif.cpu().nonzero().flatten().numpy() for motif in (left.motif, right.motif))
    sides = (adj1.numpy(), own1), (adj2.numpy(), own2)
    part1, part2 = (nx.from_numpy_array(adj[np.ix_(own, own)]) for adj, own in sides)
    ways = nx.isomorphism.GraphMatcher(part2, part1).isomorphisms_iter()
    for _, way in zip(range(MANY_MATCHES), ways, strict=False):
        targets = np.zeros_like(places2)
        targets[own2] = places1[own1[[way[node] for node in range(len(own2))]]]
        tried = turned(places2, targets, right.motif)
        wanted = targets[own2] - targets[own2].mean(0)
        off = float(np.square(tried[own2] - wanted).sum())
        if off < least - 1e-6:
            best, least = tried, off
    return places1, best


def turned(places: Positions, targets: Positions, known: Tensor | None = None) -> Positions:
    """Turn or mirror a layout `[n, 2]` so that nodes come near their targets, as far as known."""
    asked = flags(known, len(places))
    if not asked.any():
        asked = ~asked
    if len(places) == 0:
        return places
    wanted, centred = targets[asked] - targets[asked].mean(0), places - places[asked].mean(0)
    found: Positions = centred @ orthogonal_procrustes(centred[asked], wanted)[0]
    return found


def flags(marked: Tensor | None, number: int) -> Flags:
    """Return which of some nodes are marked; none if nothing is known."""
    known: Flags = np.zeros(number, np.bool_)
    return known if marked is None else marked.cpu().numpy().astype(np.bool_)
