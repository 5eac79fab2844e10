"""Graphs in memory as a dataset that worker processes can open: packed under a name that tells what
is in them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from smixup.datasets.base import Dataset
from smixup.datasets.packed_set import pack_dataset
from smixup.files import swap_folder, unfinished_folder
from smixup.graphs.packed import PackedGraphs
from smixup.graphs.packing import pack
from smixup.packed_folder import digest_of, is_packed

if TYPE_CHECKING:
    from smixup.graphs.conversion import AnyGraphs

LENGTH = 16


def as_dataset(graphs: str | Path | AnyGraphs | PackedGraphs | Dataset, folder: Path) -> str:
    """Return the name of a dataset that has these graphs.

    A name or a path is returned as it is. Graphs in memory are packed into a folder below `folder`
    that is called by a digest of them, so that the same graphs have the same runs.

    Args:
        graphs: a name, a path, a `Dataset`, `Graphs`, `PackedGraphs`, or PyG graphs.
        folder: where graphs in memory are packed.
    """
    if isinstance(graphs, str):
        return graphs
    if isinstance(graphs, Path):
        return str(graphs.expanduser().absolute())
    if isinstance(graphs, PackedGraphs) and _is_whole(graphs):
        return str(graphs.folder.absolute())
    return str(_packed(graphs, folder))


def _is_whole(graphs: PackedGraphs) -> bool:
    """Whether all graphs of a folder are there, as they are on disk."""
    return graphs.index is None and graphs.prepare is None and graphs.classes is None


def _packed(graphs: Any, folder: Path) -> Path:
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with unfinished_folder(folder / "packing") as beside:
        new = beside / "set"
        if isinstance(graphs, Dataset):
            pack_dataset(graphs, new)
        else:
            pack(graphs, new, notes={"name": "graphs"})
        place = folder / digest_of(str(new))[:LENGTH]
        if is_packed(place):
            return place
        swap_folder(new, place)
        return place
