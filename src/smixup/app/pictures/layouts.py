"""Places of nodes in the plane: the same at every call, and alike where graphs are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes
from torch import Tensor

from smixup.graphs import Graphs

if TYPE_CHECKING:
    from smixup.app.pictures.mixed_pair import Alignment

Positions = NDArray[np.float64]
Flags = NDArray[np.bool_]


def layout_of(adj: Tensor, motif: Tensor | None = None) -> Positions:
    """Return a place for every node `[n, 2]`, edges about 1 long; components stand side by side,
    and a motif `[n]` keeps a shape of its own.
    """
    graph, places = nx.from_numpy_array(adj.detach().cpu().numpy() != 0), np.zeros((len(adj), 2))
    marked = set(flags(motif, len(adj)).nonzero()[0].tolist())
    corner, tallest, limit = np.zeros(2), 0.0, 1.5 * len(adj) ** 0.5
    for part in sorted(map(sorted, nx.connected_components(graph)), key=len, reverse=True):
        own = _connected(graph.subgraph(part), marked.intersection(part))
        own -= own.min(0)
        width, height = own.max(0)
        if corner[0] > 0 and corner[0] + width > limit:
            corner, tallest = np.array([0.0, corner[1] + tallest + 1]), 0.0
        places[part] = own + corner
        corner[0] += width + 1
        tallest = max(tallest, height)
    return places


def _connected(graph: nx.Graph, motif: set[int]) -> Positions:
    """Lay out a connected graph (Kamada and Kawai); its motif by itself, if that is connected."""
    nodes, inside = sorted(graph), graph.subgraph(motif)
    start = nx.planar_layout(graph) if nx.check_planarity(graph)[0] else None
    found = nx.kamada_kawai_layout(graph, pos=start, weight=None)
    places = np.array([found[node] for node in nodes])
    ends = np.array([[nodes.index(a), nodes.index(b)] for a, b in graph.edges if a != b])
    if len(ends):
        places /= np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1).mean()
    if 1 < len(inside) < len(nodes) and nx.is_connected(inside):
        own = [nodes.index(node) for node in sorted(inside)]
        places[own] = turned(_connected(inside, set()), places[own]) + places[own].mean(0)
    return places


def pair_layouts(left: Graphs, right: Graphs, alignment: Alignment) -> tuple[Positions, Positions]:
    """Return layouts of G1 and of G2, turned so that nodes come near their counterparts."""
    adj1, adj2 = (graph.adj.to_dense().detach().cpu() for graph in (left, right))
    places1, places2 = layout_of(adj1, left.motif), layout_of(adj2, right.motif)
    share = alignment.M.detach().cpu().double().numpy()
    return places1, turned(places2, share.T @ places1, alignment.matched2)


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
