"""Layouts of two graphs that are looked at together: what is alike in them is drawn alike."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
from torch import Tensor

from smixup.app.pictures.graph_drawing import layout_of, turned
from smixup.app.pictures.planar import Positions
from smixup.app.studies.alignment import Alignment
from smixup.graphs import Graphs

MANY = 200
"""So many ways to match two motifs are looked at, and no more: they have a few nodes."""


def pair_layouts(
    left: Graphs,
    right: Graphs,
    alignment: Alignment,
    layout: Callable[[Tensor, Tensor | None], Positions] = layout_of,
) -> tuple[Positions, Positions]:
    """Return the layouts of G1 and G2, that of G2 turned towards that of G1: so that its motif lies
    as the motif of G1, if both are known and have one shape, else so that nodes come near their
    counterparts.

    Args:
        left, right: G1 and G2, each a batch of one.
        alignment: of the two.
        layout: gives one graph its places, by its adjacency and its motif.
    """
    adj1, adj2 = (each.adj.to_dense().detach().cpu() for each in (left, right))
    places1, places2 = layout(adj1, left.motif), layout(adj2, right.motif)
    if left.motif is not None and right.motif is not None:
        alike = _like_the_motif(places1, adj1, left.motif, places2, adj2, right.motif)
        if alike is not None:
            return places1, alike
    share = alignment.M.detach().cpu().double().numpy()
    return places1, turned(places2, share.T @ places1, alignment.matched2)


def _like_the_motif(
    places1: Positions,
    adj1: Tensor,
    motif1: Tensor,
    places2: Positions,
    adj2: Tensor,
    motif2: Tensor,
) -> Positions | None:
    """Turn a layout so that its motif lies as another one; None if they are not isomorphic."""
    own1, own2 = (motif.cpu().bool().nonzero().flatten().numpy() for motif in (motif1, motif2))
    graph1, graph2 = (
        nx.from_numpy_array(adj[own][:, own].numpy()) for adj, own in ((adj1, own1), (adj2, own2))
    )
    ways = nx.isomorphism.GraphMatcher(graph2, graph1).isomorphisms_iter()
    best, least = None, np.inf
    for _, way in zip(range(MANY), ways, strict=False):
        targets = np.zeros_like(places2)
        targets[own2] = places1[own1[[way[node] for node in range(len(own2))]]]
        known = motif2.new_zeros(len(places2)).bool()
        known[own2] = True
        tried = turned(places2, targets, known)
        wanted = targets[own2] - targets[own2].mean(0)
        off = float(np.square(tried[own2] - wanted).sum())
        if off < least - 1e-9:
            best, least = tried, off
    return best
