"""Data (Sec. 6): one source per file, and what is done to it before training: features, splits.

Importing the package needs no torch, so that the command line can list and import data at once.
"""

from smixup.datasets.base import Dataset, Split
from smixup.datasets.catalogue import known_datasets, load_dataset
from smixup.datasets.sources import data_root, import_archive

__all__ = ["Dataset", "Split", "data_root", "import_archive", "known_datasets", "load_dataset"]
