"""The fingerprint of graphs on disk: that of the same graphs in memory, read part by part."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING

from torch import Tensor

if TYPE_CHECKING:
    from smixup.graphs.graphs import Graphs
    from smixup.graphs.packed import PackedGraphs

FIELDS = ("x", "row_ptr", "column", "weight", "y", "ptr")
"""In the order of `Graphs.fingerprint`, which goes through one after another: so do we, once for
each.
"""


def packed_fingerprint(graphs: PackedGraphs) -> str:
    """Return the text that `graphs[:].fingerprint()` would be, without holding them all."""
    digest = sha256()
    shapes = _shapes(graphs)
    for name in FIELDS:
        digest.update(str(shapes[name]).encode())
        for piece in _pieces(graphs, name):
            digest.update(piece.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _shapes(graphs: PackedGraphs) -> dict[str, tuple[int, ...]]:
    n, number = graphs.num_nodes, len(graphs)
    m = sum(part.adj.to_sparse().column.numel() for part in graphs.parts())
    widths = graphs.num_features, graphs.num_classes
    shapes = (n, widths[0]), (n + 1,), (m,), (m,), (number, widths[1]), (number + 1,)
    return dict(zip(FIELDS, shapes, strict=True))


def _pieces(graphs: PackedGraphs, name: str) -> Iterator[Tensor]:
    """Yield one field of all graphs in pieces, counted through."""
    nodes = entries = 0
    for part in graphs.parts():
        adj = part.adj.to_sparse()
        yield _piece(part, name, nodes, entries)
        nodes, entries = nodes + part.num_nodes, entries + adj.column.numel()


def _piece(part: Graphs, name: str, nodes: int, entries: int) -> Tensor:
    adj = part.adj.to_sparse()
    first = 1 if nodes else 0  # of the later ones, the zero was told
    counted = {
        "row_ptr": adj.row_ptr[first:] + entries,
        "column": adj.column + nodes,
        "ptr": part.ptr[first:] + nodes,
    }
    if name in counted:
        return counted[name]
    return adj.weight if name == "weight" else getattr(part, name)
