"""Data (Sec. 6): one source per file, and what is done to it before training: features, splits,
label noise.

Importing the package needs no torch, so that the command line can list and import data at once;
`features`, `splits`, `label_noise` and `statistics` are imported by their own names.
"""

from typing import TYPE_CHECKING

from smixup.datasets.archives import import_archive
from smixup.datasets.base import Dataset, Split
from smixup.datasets.catalogue import known_datasets, load_dataset
from smixup.datasets.location import data_root

if TYPE_CHECKING:
    from smixup.datasets.readers.in_memory import read_graphs

__all__ = [
    "Dataset",
    "Split",
    "data_root",
    "import_archive",
    "known_datasets",
    "load_dataset",
    "read_graphs",
]


def __getattr__(name: str) -> object:
    if name != "read_graphs":
        raise AttributeError(f"module 'smixup.datasets' has no attribute '{name}'")
    from smixup.datasets.readers.in_memory import read_graphs  # takes torch

    return read_graphs
