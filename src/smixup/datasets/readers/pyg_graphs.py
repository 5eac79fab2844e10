"""Lists of PyG's `Data`, from Python or from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from torch_geometric.data import Data

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of
from smixup.datasets.readers.labels import Answers, answers_of_array, no_answers, told
from smixup.datasets.readers.sound_graphs import require_sound
from smixup.errors import SmixupError
from smixup.graphs import Codes, Graphs
from smixup.graphs.codes import learn_codes
from smixup.graphs.conversion import as_graphs
from smixup.tasks import Classes, Labels, Task, Values

FEATURES, NODE_CODES, EDGE_CODES = "features", "node_codes", "edge_codes"
"""Where a vocabulary keeps the width of features, and how many values each column of codes has."""


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
    codes = _codes(options["encode"], graphs, like)
    if answered is not None:  # theirs are not looked at
        graphs = [_without_y(data) for data in graphs]
    found = as_graphs(graphs, encode=codes)
    if like is not None and found.num_features != like.vocabulary[FEATURES]:
        raise SmixupError(
            f"the graphs have {found.num_features} features of nodes, but those read before had "
            f"{like.vocabulary[FEATURES]}."
        )
    vocabulary: dict[str, Any] = {FEATURES: found.num_features}
    if codes is not None:
        vocabulary |= {NODE_CODES: list(codes.nodes), EDGE_CODES: list(codes.edges)}
    if answered is None:
        answered = _own_targets(graphs, found, options["task"], like)
    return dataset_of(path, found, answered, reader, kept, vocabulary, ())


def _codes(encode: Any, graphs: Sequence[Data], like: Reading | None) -> Codes | None:
    if like is not None and NODE_CODES in like.vocabulary:
        nodes, edges = like.vocabulary[NODE_CODES], like.vocabulary[EDGE_CODES]
        return Codes(tuple(nodes), tuple(edges))
    return learn_codes(encode, graphs)


def _own_targets(graphs: Sequence[Data], found: Graphs, kind: str, like: Reading | None) -> Answers:
    """Return what the `y` of graphs asks, by the rules of `graphs/targets.py`."""
    if not found.num_classes:
        return no_answers(len(found), like, "give every Data a y, or give y beside the graphs.")
    if not kind and like is None:
        task = _task(found)
        return Answers(task, found.y, notes=(told(task, found.y, ["y"]),))
    rows = [data.y.reshape(-1).tolist() for data in graphs]
    single = all(len(row) == 1 for row in rows)
    y = [row[0] for row in rows] if single else rows
    return answers_of_array(y, len(found), kind, like)


def _task(found: Graphs) -> Task:
    """Return the task of targets of which nothing is known but their numbers."""
    if found.has_classes:
        return Classes.numbered(found.num_classes)
    names = tuple(f"target {place}" for place in range(found.num_classes))
    indicators = bool(((found.y == 0) | (found.y == 1) | found.y.isnan()).all())
    return Labels(names) if indicators and len(names) > 1 else Values(names)


def _without_y(data: Data) -> Data:
    found = copy(data)
    found.y = None
    return found
