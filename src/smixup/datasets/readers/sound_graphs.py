"""PyG graphs of somebody's own, looked at one by one before they are joined: what does not fit
together is named by the graph in which it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from smixup.errors import SmixupError

NODES = "x"
FIELDS = (NODES, "edge_attr", "edge_weight")
TARGET = "y"


def require_sound(graphs: Sequence[Data], targets: bool = True) -> None:
    """Refuse edges to nodes that are not there, numbers that are not finite in single precision,
    features that other graphs do not have, or of another width.

    Args:
        graphs: a list of `Data`.
        targets: whether their `y` is used.
    """
    looked_at = (*FIELDS, TARGET) if targets else FIELDS
    first = {name: _width(graphs[0], name) for name in FIELDS} if len(graphs) else {}
    for place, data in enumerate(graphs):
        if not isinstance(data, Data):
            return  # something else, which the conversion refuses by its kind
        _require_like(
            place, NODES, _width(data, NODES), first[NODES]
        )  # it tells how many there are
        _require_edges(place, data)
        for name, width in first.items():
            _require_like(place, name, _width(data, name), width)
        for name in looked_at:
            _require_finite(place, name, getattr(data, name, None))


def _width(data: Data, name: str) -> list[int] | None:
    """Return the shape of a row of a field; None where there is none."""
    value = getattr(data, name, None)
    return list(value.shape[1:]) if isinstance(value, Tensor) else None


def _require_edges(place: int, data: Data) -> None:
    edges = data.edge_index
    if not isinstance(edges, Tensor):
        return  # some other form of edges, which the conversion knows, or refuses
    if edges.dim() != 2 or edges.size(0) != 2 or edges.is_floating_point():
        shape = f"{str(edges.dtype).removeprefix('torch.')} {list(edges.shape)}"
        raise SmixupError(
            f"edge_index of graph {place} is {shape}, where integer [2, m] is needed."
        )
    nodes = int(data.num_nodes or 0)
    if edges.numel() and not 0 <= int(edges.min()) <= int(edges.max()) < nodes:
        odd = int(edges.min()) if int(edges.min()) < 0 else int(edges.max())
        raise SmixupError(
            f"graph {place} has an edge at node {odd}, and its {nodes} nodes are numbered from 0."
        )
    for name in FIELDS[1:]:
        value: Any = getattr(data, name, None)
        if isinstance(value, Tensor) and value.size(0) != edges.size(1):
            raise SmixupError(
                f"graph {place} has {value.size(0)} rows of {name}, and {edges.size(1)} edges."
            )


def _require_like(place: int, name: str, found: list[int] | None, first: list[int] | None) -> None:
    if found == first:
        return
    words = [
        f"{name} with rows of shape {each}" if each is not None else f"no {name}"
        for each in (found, first)
    ]
    raise SmixupError(f"graph {place} has {words[0]}, and graph 0 has {words[1]}: make them alike.")


def _require_finite(place: int, name: str, value: Any) -> None:
    """Refuse what single precision cannot hold; a target may be a gap, NaN."""
    if not isinstance(value, Tensor):
        return
    if value.is_complex():
        raise SmixupError(f"{name} of graph {place} is complex, where real numbers are needed.")
    if value.is_floating_point():
        sound = value.float().isfinite()
        sound = sound | value.isnan() if name == TARGET else sound
        rows = len(sound) if sound.numel() and sound.dim() else 1
        odd = (~sound).reshape(rows, -1).any(1).nonzero()
        if len(odd):
            raise SmixupError(
                f"{name} of graph {place} holds a number that is not finite in single precision in "
                f"row {int(odd[0])}, counted from 0."
            )
