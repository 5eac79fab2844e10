"""From arrays to `Graphs`, and from these with their targets to a `Dataset`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Batch

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.labels import TASK, Answers
from smixup.datasets.readers.node_names import NamedNodes, NodeNames
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
    found: Answers,
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
        found: their targets.
        reader: the name under which the reader is known.
        options: what it was given besides.
        vocabulary: what it learned.
        notes: what to tell.
        names: of the graphs, a column of the table if it has none.
        node_names: of the nodes, if they have any.
    """
    task, about = found.task, dict(options)
    metric = about.get("metric") or task.metrics[0]
    require(metric in task.metrics, "metric", metric, f"one of {', '.join(task.metrics)} here")
    if found.targets:
        about["target"] = list(found.targets)
    return NamedNodes(
        stem_of(path) if path.is_file() else path.resolve().name,
        graphs.replace(y=found.y.float(), has_classes=isinstance(task, Classes)),
        metric=metric,
        task=task,
        table=dict(found.table) or ({"graph": tuple(names)} if names else {}),
        reading=Reading(reader, about, {**vocabulary, TASK: task.to_dict()}),
        notes=(*found.notes, *notes),
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


def offsets_of(sizes: Sequence[int]) -> Tensor:
    """Return where parts of these sizes begin, `[G + 1]`."""
    return torch.tensor([0, *sizes]).cumsum(0)
