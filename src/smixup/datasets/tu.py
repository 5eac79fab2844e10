"""The TUDataset collection, read by PyG from files under the data root."""

from __future__ import annotations

import shutil
from pathlib import Path
from pickle import UnpicklingError

import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.datasets import TUDataset
from torch_geometric.utils import to_undirected

from smixup.datasets.archives import working_folder
from smixup.datasets.base import Dataset
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets


def tu_dataset(name: str, root: Path, attributes: bool = False) -> Dataset:
    """Read a TU dataset whose raw files are under `root`; PyG's processed copy is kept beside them.

    Node labels become one-hot features. Graphs are simple and undirected: loops and repeated edges
    are dropped, and an edge listed in one direction counts in both.

    Args:
        name: the publisher's spelling, for instance `IMDB-BINARY`.
        root: the data root.
        attributes: put continuous node attributes, where there are any, before the one-hot labels.
            They are standardised by `encode_features`, once the training split is known.
    """
    source = _read(name, root, attributes)
    sizes, edge_index = _sizes(source), _edge_index(source)
    n = int(sizes.sum())
    edge_index = to_undirected(edge_index, num_nodes=n)
    adj = SparseOperator.from_edges(edge_index, torch.ones(edge_index.size(1)), n)
    labels = _labels(name, source)
    return Dataset(
        name, Graphs(_features(source, n), adj, F.one_hot(labels).float(), offsets(sizes))
    )


def _read(name: str, root: Path, attributes: bool) -> TUDataset:
    """Open the dataset; a processed copy that cannot be read is made again."""
    processed = root / name / "processed"
    if not (processed / "data.pt").is_file():
        _process(name, root, processed)
    try:
        return TUDataset(str(root), name, use_node_attr=attributes)
    except (EOFError, RuntimeError, UnpicklingError):
        shutil.rmtree(processed, ignore_errors=True)
        _process(name, root, processed)
    return TUDataset(str(root), name, use_node_attr=attributes)


class _Reader(TUDataset):
    """Reads the raw files and writes its processed copy wherever it is told to."""

    def __init__(self, name: str, root: Path, processed: Path) -> None:
        self._processed = str(processed)
        super().__init__(str(root), name)

    @property
    def processed_dir(self) -> str:
        return self._processed


def _process(name: str, root: Path, target: Path) -> None:
    """Put a processed copy in place in one step, so that an interrupt or another process never
    meets half of one.
    """
    try:
        with working_folder(root) as folder:
            _Reader(name, root, folder / "processed")
            _settle(folder / "processed", target)
    except (OSError, RuntimeError, ValueError, IndexError) as reason:
        advice = "import it again: smixup data import PATH"
        raise SmixupError(
            f"the files of {name} under {root} cannot be read ({reason}); {advice}."
        ) from reason


def _settle(new: Path, target: Path) -> None:
    """Move a processed copy into place, unless another process was faster."""
    if not (target / "data.pt").is_file():
        shutil.rmtree(target, ignore_errors=True)
    try:
        new.rename(target)
    except OSError:
        if not (target / "data.pt").is_file():
            raise


def _sizes(source: TUDataset) -> Tensor:
    nodes = source.slices.get("x")
    return torch.as_tensor(source._data._num_nodes) if nodes is None else nodes.diff()


def _edge_index(source: TUDataset) -> Tensor:
    """Return the edges of all graphs, nodes counted through; PyG counts them from zero in each
    graph.
    """
    first = offsets(_sizes(source))[:-1]
    counts = source.slices["edge_index"].diff()
    shift: Tensor = first[: counts.numel()].repeat_interleave(counts)
    edges: Tensor = source._data.edge_index + shift
    return edges


def _features(source: TUDataset, num_nodes: int) -> Tensor:
    x: Tensor | None = source._data.x
    if x is None or x.size(1) == 0:
        return torch.zeros(num_nodes, 0)
    return (
        x.float()
        if source.num_node_attributes and x.size(1) > source.num_node_labels
        else x.to(torch.uint8)
    )


def _labels(name: str, source: TUDataset) -> Tensor:
    y: Tensor | None = source._data.y
    if y is None or y.is_floating_point() or y.dim() != 1 or y.numel() != _sizes(source).numel():
        raise SmixupError(
            f"{name} is not a graph classification dataset: it has no one class per graph."
        )
    return y
