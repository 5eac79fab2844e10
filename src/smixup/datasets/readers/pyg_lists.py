"""Lists of PyG's `Data`, from Python or from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

import torch
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
    _require_sound(graphs, FIELDS if answered is not None else (*FIELDS, "y"))
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
    return dataset_of(path, flat, answered, Reading(reader, kept, vocabulary))


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


def _require_sound(graphs: Sequence[Any], fields: Sequence[str]) -> None:
    """Refuse what single precision cannot hold, though a target may be a gap, and fields of edges
    that have other rows than there are edges; what else may be wrong, a conversion refuses.
    """
    for place, data in enumerate(graphs):
        for name in fields:
            value: Any = getattr(data, name, None)
            edges: Any = getattr(data, "edge_index", None)
            if not isinstance(value, Tensor):
                continue
            of_edges = name.startswith("edge") and isinstance(edges, Tensor)
            if of_edges and value.size(0) != edges.size(-1):
                raise SmixupError(
                    f"graph {place} has {value.size(0)} rows of {name}, and {edges.size(-1)} edges."
                )
            if value.is_complex():
                raise SmixupError(f"{name} of graph {place} is complex: real numbers are needed.")
            if value.is_floating_point():
                sound = value.float().isfinite() | (value.isnan() & (name == "y"))
                if not sound.all():
                    row = int(torch.atleast_1d(~sound).nonzero()[0, 0])
                    raise SmixupError(
                        f"{name} of graph {place} holds a number that is not finite in single "
                        f"precision in row {row}, counted from 0."
                    )
