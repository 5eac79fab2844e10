"""Lists of PyG graphs that were saved by `torch.save`; no pickle is ever executed."""

from __future__ import annotations

import pickle
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import torch_geometric.data.data as pyg_data
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.separate import separate
from torch_geometric.data.storage import GlobalStorage

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.pyg_lists import pyg_dataset
from smixup.datasets.readers.registry import options_of
from smixup.errors import SmixupError, shown
from smixup.memory import require_room

SAFE = [Data, pyg_data.DataEdgeAttr, pyg_data.DataTensorAttr, GlobalStorage]
"""All that a file may hold besides tensors and plain values."""

FOLDER = 0x10
"""A bit of an entry of a zip: torch takes one that has it for empty, and what stands in memory for
its numbers.
"""

DAMAGE = (
    *(OSError, RuntimeError, EOFError, ValueError, LookupError, TypeError, AttributeError),
    *(AssertionError, MemoryError, zlib.error, zipfile.BadZipFile, struct.error),
)
"""What torch raises where a file is damaged."""
HOW = "save graphs by torch.save([Data(...), Data(...)], 'graphs.pt')"


def read_saved_list(
    path: Path,
    like: Reading | None = None,
    encode: str | None = None,
    task: str = "",
    metric: str = "",
) -> Dataset:
    """A list of PyG's `Data`, saved by `torch.save(list, "graphs.pt")`, or what PyG's
    `InMemoryDataset.save` wrote.

    The file is read with `weights_only`, tensors and `Data` alone: whatever else a pickle might
    make or call is refused. What `y` means stands in `graphs/targets.py`: integers are classes, a
    float is never one.

    Args:
        path: of the file.
        like: how files were read before.
        encode: how to read `x` and `edge_attr` that are codes of categories: `one-hot`, `ogb` or
            `from-smiles`.
        task: `classes`, `labels` or `values`, where `y` does not tell.
        metric: what is reported; by default the usual one of the task.
    """
    options, kept = options_of(read_saved_list, locals(), like)
    path = Path(path)
    saved = load_safely(path)
    try:
        graphs = _graphs(path, saved)
        return pyg_dataset(graphs, path, "saved-list", None, options, kept, like)
    except SmixupError as reason:
        raise type(reason)(f"{shown(path.name)}: {reason}") from reason
    except (RuntimeError, LookupError, AttributeError, TypeError, ValueError) as reason:
        raise SmixupError(
            f"{shown(path.name)} holds graphs of which no set can be made "
            f"({shown(repr(reason).partition(chr(10))[0], 200)}): {HOW}."
        ) from reason


def load_safely(path: Path) -> Any:
    """Return what `torch.save` wrote, if it is tensors, plain values and PyG graphs alone."""
    before = torch.serialization.get_safe_globals()
    try:
        torch.serialization.clear_safe_globals()  # others may have allowed more
        torch.serialization.add_safe_globals(SAFE)
        _require_whole(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a pickle is of another protocol than torch's
            return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as reason:
        part = re.search(r"GLOBAL (\S+)", str(reason))
        words = "is no file that torch.save wrote"
        if part is not None:
            words = f"holds '{shown(part[1])}', neither a tensor nor a graph, and is not executed"
        raise SmixupError(f"{path.name} {words}: {HOW}.") from reason
    except DAMAGE as reason:
        words = (str(reason).strip() or type(reason).__name__).splitlines()[0].rstrip(".")
        words = "it is no file of torch" if words.isdigit() else words  # a code of pickle's
        raise SmixupError(
            f"{shown(path.name)} cannot be read ({shown(words, 200)}): {HOW}."
        ) from reason
    finally:
        torch.serialization.clear_safe_globals()
        torch.serialization.add_safe_globals(before)


def _require_whole(path: Path) -> None:
    """Refuse a file whose parts are damaged, which torch may read all the same, or unpack to more
    than there is room for.
    """
    with path.open("rb") as file:
        start = file.read(2)
    if not start:
        raise EOFError("it is empty")
    if not zipfile.is_zipfile(path):
        if start == b"PK":
            raise zipfile.BadZipFile("its end is missing")
        return
    with zipfile.ZipFile(path) as packed:
        entries = packed.infolist()
        size = sum(entry.file_size for entry in entries)
        require_room(2 * size, shown(path.name), "save fewer graphs")
        folders = (entry.filename for entry in entries if entry.external_attr & FOLDER)
        if odd := next(folders, None) or packed.testzip():
            raise zipfile.BadZipFile(f"{odd} is damaged")


def _graphs(path: Path, saved: Any) -> list[Data]:
    """Return the graphs of a list, or of the two or three parts that PyG saves."""
    if isinstance(saved, tuple) and len(saved) in (2, 3) and isinstance(saved[1], Mapping):
        saved = _parted(saved[0], saved[1])
    if not isinstance(saved, list | tuple) or not saved:
        raise SmixupError(f"it holds a {type(saved).__name__} and no list of graphs: {HOW}.")
    for place, data in enumerate(saved):
        if not isinstance(data, Data):
            raise SmixupError(
                f"number {place} of the list is a {type(data).__name__}, where a Data is needed."
            )
    size = sum(map(_size, saved))
    require_room(8 * size, f"{shown(path.name)} as a list of graphs", "save fewer graphs")
    return list(saved)


def _size(data: Data) -> int:
    """Return how many numbers a graph holds; a tensor may tell of more than its file has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that nodes are counted by edges: said when it matters
        nodes = data.num_nodes
    if not isinstance(nodes, int) or nodes < 0:
        raise SmixupError(f"a graph has {shown(nodes)} nodes: {HOW}.")
    values = data.stores[0].values()
    return nodes + sum(value.numel() for value in values if isinstance(value, Tensor))


def _parted(data: Any, slices: Mapping[str, Any]) -> list[Data]:
    """Take apart graphs that PyG joined."""
    whole = Data.from_dict(data) if isinstance(data, Mapping) else data
    numbers = {len(each) - 1 for each in slices.values() if isinstance(each, Tensor)}
    if not isinstance(whole, Data) or len(numbers) != 1:
        raise SmixupError(f"it is damaged: its parts tell of different numbers of graphs: {HOW}.")
    return [
        separate(Data, whole, idx=place, slice_dict=slices, decrement=False)
        for place in range(numbers.pop())
    ]
