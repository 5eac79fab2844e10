"""Lists of PyG's `Data`, from Python or from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of
from smixup.datasets.readers.labels import Answers, answers_of_array, no_answers, told
from smixup.errors import SmixupError
from smixup.graphs import Codes, Graphs
from smixup.graphs.codes import learn_codes
from smixup.graphs.conversion import as_graphs
from smixup.tasks import Classes, Labels, Task, Values

FEATURES, NODE_CODES, EDGE_CODES = "features", "node_codes", "edge_codes"
"""Where a vocabulary keeps the width of features, and how many values each column of codes has."""
FIELDS = ("x", "edge_attr", "edge_weight")


def pyg_dataset(
    graphs: Any,
    path: Path,
    reader: str,
    answered: Answers | None,
    options: Mapping[str, Any],
    kept: Mapping[str, Any],
    like: Reading | None,
) -> Dataset:
    """Return PyG graphs as a dataset.

    Args:
        graphs: a list of `Data`, or a PyG dataset.
        path: gives the name.
        reader: the name under which the reader is known.
        answered: targets that are given besides; None takes `y` of the graphs.
        options: `encode` and `task`.
        kept: the options to be kept.
        like: how graphs were read before.
    """
    require_sound(graphs, targets=answered is None)
    if like is not None and NODE_CODES in like.vocabulary:
        nodes, edges = like.vocabulary[NODE_CODES], like.vocabulary[EDGE_CODES]
        codes: Codes | None = Codes(tuple(nodes), tuple(edges))
    else:
        codes = learn_codes(options["encode"], graphs)
    if answered is not None:  # their own targets are not looked at
        graphs = [copy(data) for data in graphs]
        for data in graphs:
            data.y = None
    flat = as_graphs(graphs, encode=codes)
    if like is not None and flat.num_features != like.vocabulary[FEATURES]:
        raise SmixupError(
            f"the graphs have {flat.num_features} features of nodes, but those read before had "
            f"{like.vocabulary[FEATURES]}."
        )
    vocabulary: dict[str, Any] = {FEATURES: flat.num_features}
    if codes is not None:
        vocabulary |= {NODE_CODES: list(codes.nodes), EDGE_CODES: list(codes.edges)}
    if answered is None:
        answered = _own_targets(graphs, flat, options["task"], like)
    return dataset_of(path, flat, answered, reader, kept, vocabulary, ())


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
    return Answers(task, y, notes=(told(task, y, ["y"]),))


def require_sound(graphs: Sequence[Data], targets: bool = True) -> None:
    """Refuse edges to nodes that are not there, numbers that are not finite in single precision,
    features that other graphs do not have, or of another width.

    Args:
        graphs: a list of `Data`.
        targets: whether their `y` is used.
    """
    for place, data in enumerate(graphs):
        if not isinstance(data, Data):
            return  # something else, which the conversion refuses by its kind
        _require_alike(place, data, graphs[0], "x")  # it tells how many nodes there are
        _require_edges(place, data)
        for name in FIELDS:
            _require_alike(place, data, graphs[0], name)
        for name in (*FIELDS, "y") if targets else FIELDS:
            _require_finite(place, name, getattr(data, name, None))


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


def _require_alike(place: int, data: Data, first: Data, name: str) -> None:
    values = [getattr(graph, name, None) for graph in (data, first)]
    words = [
        f"{name} with rows of shape {list(value.shape[1:])}"
        if isinstance(value, Tensor)
        else f"no {name}"
        for value in values
    ]
    if words[0] != words[1]:
        raise SmixupError(
            f"graph {place} has {words[0]}, and graph 0 has {words[1]}: make them alike."
        )


def _require_finite(place: int, name: str, value: Any) -> None:
    """Refuse what single precision cannot hold; a target may be a gap, NaN."""
    if not isinstance(value, Tensor):
        return
    if value.is_complex():
        raise SmixupError(f"{name} of graph {place} is complex, where real numbers are needed.")
    if value.is_floating_point():
        sound = value.float().isfinite() | (value.isnan() & (name == "y"))
        rows = len(sound) if sound.numel() and sound.dim() else 1
        odd = (~sound).reshape(rows, -1).any(1).nonzero()
        if len(odd):
            raise SmixupError(
                f"{name} of graph {place} holds a number that is not finite in single precision in "
                f"row {int(odd[0])}, counted from 0."
            )
