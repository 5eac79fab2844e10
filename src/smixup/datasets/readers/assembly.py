"""From arrays to `Graphs`, and from these with their targets to a `Dataset`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Batch

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.labels import TASK, Answers
from smixup.datasets.readers.tables import stem_of
from smixup.errors import require
from smixup.graphs import Graphs
from smixup.graphs.pyg import from_pyg_batch
from smixup.graphs.ragged import row_of
from smixup.tasks import Classes


def graphs_of(
    ptr: Tensor,
    x: Tensor,
    edge_index: Tensor,
    weight: Tensor | None = None,
    edge_attr: Tensor | None = None,
) -> Graphs:
    """Return graphs without targets, from the nodes and edges of all of them.

    Args:
        ptr: `[G + 1]`, where the nodes of each graph begin.
        x: `[n, d]`, in bytes or floats.
        edge_index: `[2, m]`, PyG's source and target, counted over all graphs.
        weight: `[m]`; None is ones.
        edge_attr: `[m, k]`; None, or no column, is none.
    """
    fields: dict[str, Any] = {"edge_index": edge_index, "num_nodes": int(ptr[-1])}
    if weight is not None:
        fields["edge_weight"] = weight.float()
    if edge_attr is not None and edge_attr.size(1):
        fields["edge_attr"] = edge_attr.float()
    batch = Batch(batch=row_of(ptr), ptr=ptr, **fields)
    batch._num_graphs = len(ptr) - 1
    return from_pyg_batch(batch).replace(x=x)


def dataset_of(
    path: Path,
    graphs: Graphs,
    answered: Answers,
    reader: str,
    options: Mapping[str, Any],
    vocabulary: Mapping[str, Any],
    notes: Sequence[str],
    names: Sequence[str] = (),
    node_names: NodeNames | None = None,
) -> Dataset:
    """Return graphs with their targets as a dataset.

    Args:
        path: where they were read, which gives the dataset its name.
        graphs: without targets.
        answered: their targets.
        reader: the name under which the reader is known.
        options: what it was given besides.
        vocabulary: what it learned.
        notes: what to tell.
        names: of the graphs, a column of the table if it has none.
        node_names: of the nodes, if they have any.
    """
    task, about = answered.task, dict(options)
    metric = about.get("metric") or task.metrics[0]
    require(metric in task.metrics, "metric", metric, f"one of {', '.join(task.metrics)} here")
    if answered.targets:
        about["target"] = list(answered.targets)
    return NamedNodes(
        stem_of(path) if path.is_file() else path.resolve().name,
        graphs.replace(y=answered.y.float(), has_classes=isinstance(task, Classes)),
        metric=metric,
        task=task,
        table=dict(answered.table) or ({"graph": tuple(names)} if names else {}),
        reading=Reading(reader, about, {**vocabulary, TASK: task.to_dict()}),
        notes=(*answered.notes, *notes),
        node_names=node_names,
    )


def unseen(unknown: Mapping[str, int], what: str) -> list[str]:
    """Return sentences on categories that were not there when the columns were learned."""
    return [
        f"{count:,} of the {what} {'has' if count == 1 else 'have'} a '{name}' that was not there "
        "when features were learned: it is taken for 'other'."
        for name, count in unknown.items()
    ]


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many}"


NAMELESS = -1


@dataclass(frozen=True)
class NodeNames:
    """Names of the nodes of all graphs; each text is kept once.

    Attributes:
        ptr: `[G + 1]`, where the nodes of each graph begin.
        codes: `[n]`, the place of each node's name among the texts; -1 is a node without a name.
        texts: the names.

    >>> NodeNames.listed([["anna", "bert"], ["anna"]]).of(0)
    ('anna', 'bert')
    """

    ptr: NDArray[np.int64]
    codes: NDArray[np.int64]
    texts: Sequence[str]

    @classmethod
    def coded(cls, sizes: Any, codes: NDArray[np.int64], texts: Sequence[str]) -> NodeNames:
        """Return names by their places among the texts, for graphs of these sizes."""
        return cls(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), codes, texts)

    @classmethod
    def listed(cls, names: Sequence[Collection[object]]) -> NodeNames:
        """Return names that are given graph by graph."""
        texts = [str(name) for own in names for name in own]
        return cls.coded([len(own) for own in names], np.arange(len(texts)), texts)

    def of(self, graph: int) -> tuple[str, ...]:
        """Return the names of the nodes of one graph; a node without one has an empty text."""
        codes = self.codes[int(self.ptr[graph]) : int(self.ptr[graph + 1])]
        return tuple("" if code == NAMELESS else self.texts[code] for code in codes.tolist())


@dataclass(frozen=True)
class NamedNodes(Dataset):
    """A dataset whose nodes have names.

    Attributes:
        node_names: of all graphs.
    """

    node_names: NodeNames | None = None


def one_hot_columns(values: NDArray[np.integer], widths: Sequence[int]) -> Tensor:
    """Return categories `[n, k]`, each 0 to below its column's width, one-hot in bytes: the places
    of the first column, then those of the second, and so on.

    >>> one_hot_columns(np.array([[1, 0]]), (3, 2))
    tensor([[0, 1, 0, 1, 0]], dtype=torch.uint8)
    """
    columns = torch.from_numpy(values.astype(np.int64) + np.cumsum((0, *widths[:-1])))
    return torch.zeros(len(values), sum(widths), dtype=torch.uint8).scatter_(1, columns, 1)
