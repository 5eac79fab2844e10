"""The pair of graphs behind a mix that was handed out, ready to be drawn."""

from __future__ import annotations

from typing import TypeAlias

import torch

from smixup.app.studies.mixed_pair import MixedPair
from smixup.augment.replay import Replay
from smixup.augment.transport import TRANSPORTS
from smixup.graphs import Graphs, SparseOperator

AnyReplay: TypeAlias = Replay
"""For figures, which know studies alone."""


def replayed_pair(replay: Replay) -> MixedPair:
    """Return the two graphs, G2', the mix as it was handed out, and the alignment that made it."""
    return MixedPair(
        left=_undirected(replay.left),
        right=_undirected(replay.right),
        aligned=_undirected(replay.aligned),
        mixed=_undirected(replay.mixed),
        assignment=replay.alignment,
        lam=replay.ratio,
        transport=TRANSPORTS.of(replay.method.transport),
    )


def names_of(replay: Replay) -> tuple[str, str]:
    """Return what to call the two graphs."""
    where = "training" if replay.in_training_set else "batch"
    first, second = (f"{where} graph {number}" for number in (replay.first, replay.second))
    return f"G1, {first}", f"G2, {second}"


def _undirected(graph: Graphs) -> Graphs:
    """Return a graph with every edge in both directions, as pictures show it."""
    adj = graph.adj.to_dense()
    both = torch.where(adj.abs() >= adj.T.abs(), adj, adj.T)
    target, source = both.nonzero(as_tuple=True)
    edges = torch.stack([source, target])
    return graph.replace(
        adj=SparseOperator.from_edges(edges, both[target, source], len(both)), edge_attrs={}
    )
