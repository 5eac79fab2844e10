"""Lists of PyG graphs that were saved by `torch.save`; no pickle is ever executed."""

from __future__ import annotations

import pickle
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import torch_geometric.data.data as pyg_data
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.data.separate import separate
from torch_geometric.data.storage import GlobalStorage

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.pyg_lists import pyg_dataset
from smixup.datasets.readers.registry import options_of
from smixup.errors import SmixupError
from smixup.memory import require_room
from smixup.shown import shown

SAFE = [Data, pyg_data.DataEdgeAttr, pyg_data.DataTensorAttr, GlobalStorage]
"""All that a file may hold besides tensors and plain values."""

FOLDER = 0x10
"""A bit of an entry of a zip: torch takes one that has it for empty, and what stands in memory for
its numbers.
"""

DAMAGE = (
    *(OSError, RuntimeError, EOFError, ValueError, LookupError, TypeError, AttributeError),
    *(AssertionError, MemoryError, zlib.error),
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
    graphs = _graphs(path, load_safely(path))
    try:
        return pyg_dataset(graphs, path, "saved-list", None, options, kept, like)
    except SmixupError as reason:
        raise type(reason)(f"{shown(path.name)}: {reason}") from reason
    except (RuntimeError, LookupError, AttributeError, TypeError, ValueError) as reason:
        raise SmixupError(
            f"{shown(path.name)} holds graphs of which no set can be made "
            f"({shown(str(reason).partition(chr(10))[0], 200)}): {HOW}."
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
        if part is None:
            words = f"is no file that torch.save wrote: {HOW}."
        else:
            words = (
                f"holds '{shown(part[1])}', which is neither a tensor nor a graph and is not "
                f"executed: {HOW}."
            )
        raise SmixupError(f"{path.name} {words}") from reason
    except DAMAGE as reason:
        told = (str(reason).strip() or type(reason).__name__).splitlines()[0].rstrip(".")
        told = "it is no file of torch" if told.isdigit() else told  # a code of pickle's
        name = shown(path.name)
        raise SmixupError(f"{name} cannot be read ({shown(told, 200)}): {HOW}.") from reason
    finally:
        torch.serialization.clear_safe_globals()
        torch.serialization.add_safe_globals(before)


def _require_whole(path: Path) -> None:
    """Refuse a file whose parts are damaged, which torch may read all the same, or unpack to more
    than there is room for.
    """
    if path.is_file() and not path.stat().st_size:
        raise SmixupError(f"{shown(path.name)} is empty: {HOW}.")
    try:
        if not zipfile.is_zipfile(path):
            with path.open("rb") as file:
                if file.read(2) == b"PK":
                    raise zipfile.BadZipFile("its end is missing")
            return
        with zipfile.ZipFile(path) as packed:
            entries = packed.infolist()
            if folders := [each.filename for each in entries if each.external_attr & FOLDER]:
                raise zipfile.BadZipFile(f"{folders[0]} says that it is a folder")
            size = sum(entry.file_size for entry in entries)
            require_room(2 * size, shown(path.name), "save fewer graphs")
            damaged = packed.testzip()
    except (zipfile.BadZipFile, NotImplementedError, struct.error, LookupError) as reason:
        raise SmixupError(f"{shown(path.name)} is damaged ({shown(reason)}): {HOW}.") from reason
    if damaged is not None:
        raise SmixupError(f"{shown(path.name)} is damaged in '{shown(damaged)}': {HOW}.")


def _graphs(path: Path, found: Any) -> list[Data]:
    """Return the graphs of a list, or of the two or three parts that PyG saves."""
    if isinstance(found, tuple) and len(found) in (2, 3) and isinstance(found[1], Mapping):
        return _parted(path, found[0], found[1])
    if isinstance(found, Mapping):
        raise SmixupError(
            f"{path.name} holds a dictionary, as the weights of a model are, and no list of graphs."
        )
    if not isinstance(found, Sequence) or isinstance(found, str) or not found:
        words = "an empty list" if found == [] else f"a {type(found).__name__}"
        raise SmixupError(f"{path.name} holds {words} and no list of graphs: {HOW}.")
    for place, data in enumerate(found):
        if not isinstance(data, Data) or isinstance(data, HeteroData | Batch):
            raise SmixupError(
                f"number {place} of the list in {path.name} is a {type(data).__name__}, where a "
                "Data is needed."
            )
    size = sum(map(_size, found))
    require_room(8 * size, f"{shown(path.name)} as a list of graphs", "save fewer graphs")
    return list(found)


def _size(data: Data) -> int:
    """Return how many numbers a graph holds; a tensor may tell of more than its file has."""
    try:
        values = list(data.stores[0].values())
        sizes = [value.numel() for value in values if isinstance(value, Tensor)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nodes are counted by edges: said when it matters
            nodes = data.num_nodes
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError) as reason:
        raise SmixupError(f"a graph of it is damaged ({shown(repr(reason))}): {HOW}.") from reason
    if not isinstance(nodes, int) or nodes < 0:
        raise SmixupError(f"a graph of it has {shown(nodes)} nodes: {HOW}.")
    return sum(sizes) + nodes


def _parted(path: Path, data: Any, slices: Mapping[str, Any]) -> list[Data]:
    """Take apart graphs that PyG joined."""
    whole = Data.from_dict(data) if isinstance(data, Mapping) else data
    if not isinstance(whole, Data) or not slices:
        raise SmixupError(f"{path.name} holds no graphs that PyG joined: {HOW}.")
    fitting = [each for each in slices.values() if isinstance(each, Tensor)]
    numbers = {len(each) - 1 for each in fitting}
    if len(numbers) != 1:
        raise SmixupError(f"{path.name} is damaged: its parts tell of different numbers of graphs.")
    try:
        return [
            separate(Data, whole, idx=place, slice_dict=slices, decrement=False)
            for place in range(numbers.pop())
        ]
    except (KeyError, IndexError, RuntimeError, AttributeError, TypeError) as reason:
        raise SmixupError(f"{path.name} is damaged ({reason}): {HOW}.") from reason
