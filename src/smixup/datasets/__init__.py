"""Data (Sec. 6): one source per file, and what is done to it before training: features, splits,
label noise.

Importing the package needs no torch, so that the command line can list and import data at once;
`features`, `splits`, `label_noise` and `statistics` are imported by their own names.
"""

from smixup.datasets.archives import import_archive
from smixup.datasets.base import Dataset, Split
from smixup.datasets.catalogue import known_datasets, load_dataset
from smixup.datasets.sources import data_root

__all__ = [
    "Dataset",
    "Split",
    "data_root",
    "import_archive",
    "known_datasets",
    "load_dataset",
]
