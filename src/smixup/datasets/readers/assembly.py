"""From arrays to `Graphs`, and from these with their targets to a `Dataset`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Batch

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.labels import TASK, Answers
from smixup.datasets.tables import stem_of
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
    both_ways: bool = False,
) -> Graphs:
    """Return graphs without targets, from the nodes `x [n, d]` and edges `edge_index [2, m]` of all
    of them; nodes are counted over all, and those of each graph begin at `ptr [G + 1]`. Weights
    `[m]` are ones if there are none; with `both_ways` every edge runs back, too.
    """
    if edge_attr is not None and not edge_attr.size(1):
        edge_attr = None
    fields = {"edge_weight": weight, "edge_attr": edge_attr}
    if both_ways:
        back = (edge_index[0] != edge_index[1]).nonzero().squeeze(1)
        row = torch.cat([torch.arange(edge_index.size(1)), back])
        edge_index = torch.cat([edge_index, edge_index[:, back].flip(0)], 1)
        fields = {name: None if value is None else value[row] for name, value in fields.items()}
    batch = Batch(
        batch=row_of(ptr),
        ptr=ptr,
        edge_index=edge_index,
        num_nodes=int(ptr[-1]),
        **{name: value.float() for name, value in fields.items() if value is not None},
    )
    batch._num_graphs = len(ptr) - 1
    graphs = from_pyg_batch(batch)
    return graphs.replace(x=x, adj=graphs.adj.with_symmetry())


def dataset_of(
    source: Any,
    graphs: Graphs,
    answered: Answers,
    reading: Reading,
    notes: Sequence[str] = (),
    names: Sequence[str] = (),
    node_names: Sequence[Sequence[str]] | None = None,
) -> Dataset:
    """Return graphs with their targets as a dataset, which has the name of the path where they
    were read; names of graphs stand for a table if there is none.
    """
    task, options = answered.task, dict(reading.options)
    if answered.targets:
        options["target"] = options["target"] or list(answered.targets)
    name = "graphs"
    if isinstance(source, Path):
        name = stem_of(source) if source.is_file() else source.resolve().name
    return Dataset(
        name,
        graphs.replace(y=answered.y.float(), has_classes=isinstance(task, Classes)),
        metric=task.metrics[0],
        task=task,
        table=answered.table or ({"graph": tuple(names)} if names else {}),
        reading=Reading(reading.reader, options, {**reading.vocabulary, TASK: task.to_dict()}),
        notes=(*answered.notes, *notes),
        node_names=node_names,
    )


def sentences(said: Mapping[str, object]) -> list[str]:
    """Return those sentences that apply."""
    return [sentence for sentence, applies in said.items() if applies]


def one_hot_columns(values: NDArray[np.integer], widths: Sequence[int]) -> Tensor:
    """Return categories `[n, k]`, each 0 to below its column's width, one-hot in bytes: the places
    of the first column, then those of the second, and so on.

    >>> one_hot_columns(np.array([[1, 0]]), (3, 2))
    tensor([[0, 1, 0, 1, 0]], dtype=torch.uint8)
    """
    columns = torch.from_numpy(values.astype(np.int64) + np.cumsum((0, *widths[:-1])))
    return torch.zeros(len(values), sum(widths), dtype=torch.uint8).scatter_(1, columns, 1)
