"""Packing graphs of any kind, part by part: they need not fit into memory at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smixup.errors import UsageError
from smixup.graphs.conversion import AnyGraphs
from smixup.graphs.graphs import Graphs
from smixup.graphs.packed import PackedGraphs, open_packed
from smixup.graphs.packed_writer import PackedWriter

if TYPE_CHECKING:
    from smixup.graphs.codes import Encoding

PART = 4096
"""Graphs that are packed at once."""


def pack(
    graphs: AnyGraphs | PackedGraphs,
    folder: Path | str,
    encode: Encoding = None,
    notes: Mapping[str, Any] | None = None,
) -> PackedGraphs:
    """Write graphs to a folder of columns on disk, and open it.

    Example::

        smixup.pack(load_dataset("NCI1").graphs, "nci1")
        smixup.pack((make_data(i) for i in range(1_000_000)), "million")     # any iterable of Data

    Args:
        graphs: `Graphs`, a PyG dataset, or any iterable of `Data`, of which a few thousand at a
            time are in memory.
        folder: to write to; a packed set that is there is replaced once the new one is whole.
        encode: how to read `x` and `edge_attr` of PyG graphs that are codes of categories, with the
            number of values of each: `"ogb"`, `"from-smiles"`, `Codes(nodes=(28,))`.
        notes: numbers and texts to keep beside the graphs.
    """
    with PackedWriter(folder, notes) as writer:
        for part in _parts(graphs, encode):
            writer.add(part)
    return open_packed(folder)


def _parts(graphs: AnyGraphs | PackedGraphs, encode: Encoding) -> Iterator[Graphs]:
    """Yield graphs of any kind some thousands at a time."""
    if isinstance(graphs, PackedGraphs):
        yield from graphs.parts(PART)
    elif isinstance(graphs, Graphs):
        for first in range(0, len(graphs), PART):
            yield graphs[first : first + PART]
    else:
        yield from _pyg_parts(graphs, encode)


def _pyg_parts(source: Any, encode: Encoding) -> Iterator[Graphs]:
    from torch_geometric.data import Batch, Data  # takes a second to import

    from smixup.graphs.codes import layout_of
    from smixup.graphs.conversion import as_graphs
    from smixup.graphs.pyg import from_pyg

    layout = layout_of(encode)
    if layout is not None and layout.known is None:
        raise UsageError(
            f"encode={encode!r} would read the parts of a set differently: say how many values "
            "there are, encode=Codes(nodes=(28,), edges=(4,))."
        )
    if isinstance(source, Batch | Data):
        yield as_graphs(source, layout)
        return
    if not isinstance(source, Iterable):
        raise UsageError(
            "graphs to pack are Graphs, a PyG dataset or an iterable of Data, not "
            f"{type(source).__name__}."
        )
    following = iter(getattr(source, "dataset", source) if _is_loader(source) else source)
    while part := list(islice(following, PART)):
        yield from_pyg(part, encode=layout)


def _is_loader(source: object) -> bool:
    from torch.utils.data import DataLoader

    return isinstance(source, DataLoader)
