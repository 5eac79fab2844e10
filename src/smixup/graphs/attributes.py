"""What the attributes of a PyG batch speak of: nodes, edges, or graphs.

Whatever attributes a batch has, they come along, each in its own way. What cannot come along is
refused by name; nothing is lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import torch
from torch import Tensor
from torch_geometric.data import Batch

from smixup.errors import SmixupError
from smixup.graphs.refused_codes import holds_codes, require_no_codes

OWN_FIELDS = ("x", "edge_index", "edge_weight", "y", "batch", "ptr", "num_nodes")

Kind = Literal["node", "edge", "graph", "list", "follows"]
"""Lists, such as names, have one entry per graph. What follows another attribute, as a loader with
`follow_batch=["x"]` adds `x_batch` and `x_ptr`, is made anew.
"""


def attribute_kinds(batch: Batch) -> dict[str, Kind]:
    """Tell of every further attribute what it speaks of."""
    return {name: _kind(batch, name) for name in batch.keys() if name not in OWN_FIELDS}  # noqa: SIM118


def followed(batch: Batch, name: str) -> str | None:
    """Return the attribute that a loader followed by adding this one, such as `x` for `x_batch`."""
    for ending in ("_batch", "_ptr"):
        base = name.removesuffix(ending)
        if name.endswith(ending) and base in batch:
            return base
    return None


def edge_ptr(batch: Batch) -> Tensor:
    """Return where the edges of each graph begin, `[B + 1]`, on the CPU."""
    slices = getattr(batch, "_slice_dict", {})
    if "edge_index" in slices:
        found: Tensor = slices["edge_index"]
        return found
    counts = torch.bincount(batch.batch[batch.edge_index[0]], minlength=batch.num_graphs)
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)]).cpu()


def _kind(batch: Batch, name: str) -> Kind:
    value = batch[name]
    if isinstance(value, list | tuple) and len(value) == batch.num_graphs:
        return "list"
    if followed(batch, name) is not None:
        return "follows"
    moves = getattr(batch, "_inc_dict", {}).get(name)
    plain = isinstance(value, Tensor) and value.layout is torch.strided and value.dim() > 0
    if not plain or (moves is not None and torch.as_tensor(moves).any()):
        raise SmixupError(
            f"the attribute '{name}' ({type(value).__name__}) cannot be carried to new graphs: "
            f"remove it before the augmentation, for example by `del data.{name}`."
        )
    fitting = [kind for kind, fits in _fits(batch, name, value.size(0)) if fits]
    if not fitting:
        raise SmixupError(
            f"the attribute '{name}' with {value.size(0)} rows has neither one per node, nor one "
            f"per edge, nor as many for every graph: remove it, for example by `del data.{name}`."
        )
    return next((kind for kind in fitting if kind in name), fitting[0])


def _fits(batch: Batch, name: str, rows: int) -> Iterator[tuple[Kind, bool]]:
    """Yield what an attribute may speak of, by its numbers of rows, graph by graph if known."""
    slices, every = getattr(batch, "_slice_dict", {}), torch.arange(batch.num_graphs + 1)
    if name not in slices:
        yield "node", rows == batch.num_nodes
        yield "edge", rows == batch.num_edges
        yield "graph", rows == batch.num_graphs
        return
    found = slices[name]
    yield "node", torch.equal(found, batch.ptr.cpu())
    yield "edge", "edge_index" in slices and torch.equal(found, slices["edge_index"])
    yield "graph", torch.equal(found, every * found[1])


def require_mixable(batch: Batch) -> None:
    """Refuse attributes of edges that would mean nothing if they were averaged.

    An edge of a mix comes from several edges. Numbers can be averaged, and so can indicators; the
    code numbers of categories cannot: the mean of bond 1 and bond 3 is not bond 2.
    """
    for name, kind in attribute_kinds(batch).items():
        if kind == "edge" and holds_codes(batch[name]):
            require_no_codes(batch, "edge_attr")
            raise SmixupError(
                f"the edge attribute '{name}' holds whole numbers, which a mix would average: make "
                "it float if they are quantities, one-hot if they are categories."
            )
