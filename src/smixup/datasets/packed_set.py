"""Datasets in a folder of packed graphs (`graphs/packed.py`), with what else a dataset is."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from smixup.datasets.base import Dataset, Reading, Split
from smixup.datasets.molecules import MoleculeTable
from smixup.errors import shown
from smixup.graphs import PackedGraphs, open_packed, pack
from smixup.packed_folder import damaged
from smixup.tasks import task_from_dict

PARTS = ("train", "validation", "test")
TABLE = "table"


@dataclass(frozen=True)
class PackedDataset(Dataset):
    """A dataset whose graphs stay on disk."""

    graphs: PackedGraphs  # type: ignore[assignment]


def pack_dataset(dataset: Dataset, folder: Path) -> PackedDataset:
    """Write a dataset to a folder, and open it there."""
    graphs, split = dataset.graphs, dataset.split
    notes = {
        "name": dataset.name,
        "metric": dataset.metric,
        "split": split is not None,
        "task": dataset.task and dataset.task.to_dict(),
        "reading": dataset.reading and asdict(dataset.reading),
        "sentences": dataset.notes,
        TABLE: bool(dataset.table),
        "smiles": getattr(dataset.table, "smiles", None),
    }
    extra = {f"split.{part}": getattr(split, part) for part in PARTS} if split else {}
    if dataset.table:
        text = json.dumps(dict(dataset.table)).encode()
        extra[TABLE] = torch.frombuffer(bytearray(text), dtype=torch.uint8)
    pack(graphs, folder, notes=notes, extra=extra)
    return open_packed_dataset(folder)


def open_packed_dataset(folder: Path | str) -> PackedDataset:
    """Open a packed set as a dataset; one that was packed without a name is called by its
    folder's.
    """
    graphs = open_packed(folder)
    notes = graphs.notes
    try:
        split, table = None, {}
        if notes.get("split"):
            split = Split(*(graphs.extra(f"split.{part}") for part in PARTS))
        if notes.get(TABLE):
            columns = json.loads(graphs.extra(TABLE).numpy().tobytes())
            table = {name: tuple(cells) for name, cells in columns.items()}
        task, reading, smiles = (notes.get(name) for name in ("task", "reading", "smiles"))
        return PackedDataset(
            str(notes.get("name", graphs.folder.name)),
            graphs,
            str(notes.get("metric", "accuracy")),
            split,
            task_from_dict(task) if task else None,
            MoleculeTable(table, smiles) if smiles else table,
            Reading(**reading) if reading else None,
            tuple(notes.get("sentences", ())),
        )
    except Exception as reason:
        raise damaged(graphs.folder, shown(repr(reason))) from reason


def packed_dataset(name: str) -> Dataset:
    """Load a packed dataset from its folder into memory."""
    packed = open_packed_dataset(name)
    return Dataset(**{**vars(packed), "graphs": packed.graphs[:]})
