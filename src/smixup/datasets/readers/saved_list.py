"""Lists of PyG's `Data`, from Python or saved by `torch.save`; no pickle is ever executed."""

from __future__ import annotations

import re
import warnings
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
from smixup.datasets.tables import readable
from smixup.errors import SmixupError, shown
from smixup.graphs import Codes, Graphs
from smixup.graphs.codes import learn_codes
from smixup.graphs.graphs import as_graphs
from smixup.tasks import Classes, Labels, Task, Values

FEATURES, NODE_CODES, EDGE_CODES = "features", "node_codes", "edge_codes"
"""Where a vocabulary keeps the width of features, and how many values each column of codes has."""
HOW = "save graphs by torch.save([Data(...), Data(...)], 'graphs.pt')"

torch.serialization.add_safe_globals(  # what `Data` is made of, for `weights_only`
    [Data, pyg_data.DataEdgeAttr, pyg_data.DataTensorAttr, GlobalStorage]
)


def read_saved_list(
    path: Any,
    like: Reading | None = None,
    y: Any = None,
    encode: str | None = None,
    task: str = "",
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
    graphs: Sequence[Any] = path
    if isinstance(path, Path):
        with readable(path, f" Please {HOW}."):
            graphs = _list_of(_load_safely(path))
    elif y is not None:  # their own targets are not looked at
        graphs = [copy(data) for data in graphs]
        for data in graphs:
            data.y = None
    known: Mapping[str, Any] = {} if like is None else like.vocabulary
    if NODE_CODES in known:
        codes: Codes | None = Codes(tuple(known[NODE_CODES]), tuple(known[EDGE_CODES]))
    else:
        codes = learn_codes(options["encode"], graphs)
    flat = as_graphs(graphs, encode=codes)
    _require_finite(flat)
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
    return dataset_of(path, flat, answered, Reading("saved-list", options, vocabulary))


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


def _require_finite(graphs: Graphs) -> None:
    """Refuse features that single precision cannot hold."""
    ends, weight = graphs.batch[graphs.adj.row], graphs.adj.weight.unsqueeze(1)
    fields = {"x": (graphs.x, graphs.batch), "edge_weight": (weight, ends)}
    fields |= {name: (value, ends) for name, value in graphs.edge_attrs.items()}
    for name, (value, place) in fields.items():
        odd = ~value.isfinite().all(1)
        if odd.any():
            raise SmixupError(
                f"{name} of graph {int(place[odd][0])} holds a number that is not finite in single "
                "precision."
            )


def _load_safely(path: Path) -> Any:
    """Return what `torch.save` wrote, if it is tensors, plain values and PyG graphs alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a pickle is of another protocol than torch's
        try:
            return torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:
            part = re.search(r"GLOBAL (\S+)", str(error))
            if part is None:
                raise
            words = f"holds '{shown(part[1])}', neither a tensor nor a graph, and is not executed"
            raise SmixupError(f"{path.name} {words}: {HOW}.") from error


def _list_of(saved: Any) -> list[Data]:
    """Return the graphs of a list, or of the two or three parts that PyG saves."""
    if isinstance(saved, tuple) and len(saved) in (2, 3) and isinstance(saved[1], Mapping):
        data, slices = saved[:2]
        whole = Data.from_dict(data) if isinstance(data, Mapping) else data
        number = min(len(own) for own in slices.values() if isinstance(own, Tensor)) - 1
        saved = [
            separate(Data, whole, idx=place, slice_dict=slices, decrement=False)
            for place in range(number)
        ]
    if not isinstance(saved, list | tuple) or not saved:
        raise SmixupError(f"it holds a {type(saved).__name__} and no list of graphs: {HOW}.")
    for place, data in enumerate(saved):
        if not isinstance(data, Data):
            raise SmixupError(f"graph {place} is a {type(data).__name__}: {HOW}.")
    return list(saved)
