"""Lists of PyG's `Data`, from Python or saved by `torch.save`; no pickle is ever executed."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import torch
import torch_geometric.data.data as pyg_data
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.data.separate import separate
from torch_geometric.data.storage import GlobalStorage

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of
from smixup.datasets.readers.labels import Answers, answers_of_array, no_answers, told
from smixup.datasets.readers.registry import options_of
from smixup.datasets.text import readable
from smixup.errors import SmixupError, shown
from smixup.graphs import Codes, Graphs
from smixup.graphs.codes import learn_codes
from smixup.graphs.graphs import as_graphs
from smixup.memory import require_room
from smixup.tasks import Classes, Labels, Task, Values

FEATURES, NODE_CODES, EDGE_CODES = "features", "node_codes", "edge_codes"
"""Where a vocabulary keeps the width of features, and how many values each column of codes has."""
SAFE = [Data, pyg_data.DataEdgeAttr, pyg_data.DataTensorAttr, GlobalStorage]
"""All that a file may hold besides tensors and plain values."""

HOW = "save graphs by torch.save([Data(...), Data(...)], 'graphs.pt')"


def read_saved_list(
    path: Any,
    like: Reading | None = None,
    y: Any = None,
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
        path: of the file; or a list of graphs.
        encode: how to read `x` and `edge_attr` that are codes of categories: `one-hot`, `ogb` or
            `from-smiles`.
        like, y, ...: see `readers.registry`.
    """
    options = options_of(read_saved_list, locals(), like)
    if not isinstance(path, Path):
        return _dataset(path, path, y, options, like)
    with readable(path, f" Please {HOW}."):
        return _dataset(path, _graphs(path, load_safely(path)), y, options, like)


def _dataset(
    source: Any, graphs: Sequence[Any], y: Any, options: Mapping[str, Any], like: Reading | None
) -> Dataset:
    if y is not None:  # their own targets are not looked at
        graphs = [copy(data) for data in graphs]
        for data in graphs:
            data.y = None
    _require_sound(graphs)
    known: Mapping[str, Any] = {} if like is None else like.vocabulary
    if NODE_CODES in known:
        codes: Codes | None = Codes(tuple(known[NODE_CODES]), tuple(known[EDGE_CODES]))
    else:
        codes = learn_codes(options["encode"], graphs)
    flat = as_graphs(graphs, encode=codes)
    if flat.num_features != known.get(FEATURES, flat.num_features):
        raise SmixupError(
            f"the graphs have {flat.num_features} features of nodes, but those read before had "
            f"{known[FEATURES]}."
        )
    vocabulary: dict[str, Any] = {FEATURES: flat.num_features}
    if codes is not None:
        vocabulary |= {NODE_CODES: list(codes.nodes), EDGE_CODES: list(codes.edges)}
    if y is None:
        answered = _own_targets(graphs, flat, options["task"], like)
    else:
        answered = answers_of_array(y, len(flat), options["task"], like)
    return dataset_of(source, flat, answered, Reading("saved-list", options, vocabulary))


def _own_targets(graphs: Sequence[Data], flat: Graphs, kind: str, like: Reading | None) -> Answers:
    """Return what the `y` of graphs asks, by the rules of `graphs/targets.py`."""
    y, number = flat.y, flat.num_classes
    if not number:
        return no_answers(len(flat), like, "give every Data a y, or give y beside the graphs.")
    if kind or like is not None:
        rows = [data.y.reshape(-1).tolist() for data in graphs]
        single = all(len(row) == 1 for row in rows)
        return answers_of_array([row[0] for row in rows] if single else rows, len(y), kind, like)
    names = tuple(f"target {place}" for place in range(number))
    task: Task = Values(names)
    if flat.has_classes:
        task = Classes.numbered(number)
    elif number > 1 and bool(((y == 0) | (y == 1) | y.isnan()).all()):
        task = Labels(names)
    return Answers(task, y, {}, (), (told(task, y, ["y"]),))


def _require_sound(graphs: Sequence[Any]) -> None:
    """Refuse what single precision cannot hold, though a target may be a gap, and fields of edges
    that have other rows than there are edges; what else may be wrong, a conversion refuses.
    """
    for place, data in enumerate(graphs):
        for name in ("x", "edge_attr", "edge_weight", "y"):
            value: Any = getattr(data, name, None)
            if not isinstance(value, Tensor):
                continue
            if name.startswith("edge") and value.size(0) != data.num_edges:
                raise SmixupError(
                    f"graph {place} has {value.size(0)} rows of {name}, and {data.num_edges} edges."
                )
            finite = value.real.float().isfinite() | (value.isnan() & (name == "y"))
            if not (finite & value.isreal()).all():
                raise SmixupError(
                    f"{name} of graph {place} holds a number that is complex or not finite in "
                    "single precision."
                )


def load_safely(path: Path) -> Any:
    """Return what `torch.save` wrote, if it is tensors, plain values and PyG graphs alone."""
    before = torch.serialization.get_safe_globals()
    try:
        torch.serialization.clear_safe_globals()  # others may have allowed more
        torch.serialization.add_safe_globals(SAFE)
        with readable(path, f" Please {HOW}."), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a pickle is of another protocol than torch's
            if zipfile.is_zipfile(path):  # torch may read damaged parts all the same
                with zipfile.ZipFile(path) as packed:
                    size = sum(entry.file_size for entry in packed.infolist())
                    require_room(2 * size, shown(path.name), "save fewer graphs")
                    if odd := packed.testzip():
                        raise zipfile.BadZipFile(f"{odd} is damaged")
            return torch.load(path, map_location="cpu", weights_only=True)
    except SmixupError as error:
        part = re.search(r"GLOBAL (\S+)", str(error.__cause__))
        if part is None:
            raise
        words = f"holds '{shown(part[1])}', neither a tensor nor a graph, and is not executed"
        raise SmixupError(f"{path.name} {words}: {HOW}.") from error
    finally:
        torch.serialization.clear_safe_globals()
        torch.serialization.add_safe_globals(before)


def _graphs(path: Path, saved: Any) -> list[Data]:
    """Return the graphs of a list, or of the two or three parts that PyG saves."""
    if isinstance(saved, tuple) and len(saved) in (2, 3) and isinstance(saved[1], Mapping):
        saved = _parted(saved[0], saved[1])
    if not isinstance(saved, list | tuple) or not saved:
        raise SmixupError(f"it holds a {type(saved).__name__} and no list of graphs: {HOW}.")
    size = 0  # a tensor may tell of more than its file has
    for place, data in enumerate(saved):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that nodes are counted by edges: said when it matters
            nodes = data.num_nodes if isinstance(data, Data) else None
        if not isinstance(nodes, int) or nodes < 0:
            kind = type(data).__name__
            raise SmixupError(f"graph {place} is a {kind} with {shown(nodes)} nodes: {HOW}.")
        values = data.stores[0].values()
        size += nodes + sum(value.numel() for value in values if isinstance(value, Tensor))
    require_room(8 * size, f"{shown(path.name)} as a list of graphs", "save fewer graphs")
    return list(saved)


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
