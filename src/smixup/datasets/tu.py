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
from smixup.errors import SmixupError, UsageError, require
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets


def tu_dataset(name: str, root: Path, attributes: bool | None = None) -> Dataset:
    """Read a TU dataset whose raw files are under `root`; PyG's processed copy is kept beside them.

    Node labels become one-hot features. Graphs are simple and undirected: loops and repeated edges
    are dropped, and an edge listed in one direction counts in both.

    Args:
        name: the publisher's spelling, for instance `IMDB-BINARY`.
        root: the data root.
        attributes: put continuous node attributes before the one-hot labels, or leave them out;
            None takes them where there are no labels. They are standardised by `encode_features`,
            once the training split is known.
    """
    fine = attributes is None or isinstance(attributes, bool)
    require(fine, "attributes", attributes, "true, false or none")
    source = _read(name, root)
    used = _attributes_used(name, source, attributes)
    sizes, edge_index = _sizes(source), _edge_index(source)
    n = int(sizes.sum())
    edge_index = to_undirected(edge_index, num_nodes=n)
    adj = SparseOperator.from_edges(edge_index, torch.ones(edge_index.size(1)), n)
    targets = F.one_hot(_labels(name, source)).float()
    graphs = Graphs(_features(source, n, used), adj, targets, offsets(sizes))
    return Dataset(name, graphs, unused_attributes=0 if used else source.num_node_attributes)


def _read(name: str, root: Path) -> TUDataset:
    """Open the dataset; a processed copy that cannot be read is made again."""
    processed = root / name / "processed"
    if not (processed / "data.pt").is_file():
        _process(name, root, processed)
    try:
        return TUDataset(str(root), name, use_node_attr=True)
    except (EOFError, RuntimeError, UnpicklingError):
        shutil.rmtree(processed, ignore_errors=True)
        _process(name, root, processed)
    return TUDataset(str(root), name, use_node_attr=True)


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


def _attributes_used(name: str, source: TUDataset, wanted: bool | None) -> bool:
    """Tell whether attributes become features: as wanted, else where there is nothing else."""
    if wanted and not source.num_node_attributes:
        raise UsageError(f"{name} has no node attributes: leave attributes=true out.")
    if wanted is None:
        return bool(source.num_node_attributes) and not source.num_node_labels
    return wanted


def _features(source: TUDataset, num_nodes: int, attributes: bool) -> Tensor:
    x: Tensor | None = source._data.x
    if x is None:
        return torch.zeros(num_nodes, 0)
    if attributes:
        return x.float()
    labels = x[:, source.num_node_attributes :]
    return labels.to(torch.uint8) if labels.size(1) else torch.zeros(num_nodes, 0)


def _labels(name: str, source: TUDataset) -> Tensor:
    y: Tensor | None = source._data.y
    if y is None or y.is_floating_point() or y.dim() != 1 or y.numel() != _sizes(source).numel():
        raise SmixupError(
            f"{name} is not a graph classification dataset: it has no one class per graph."
        )
    return y
