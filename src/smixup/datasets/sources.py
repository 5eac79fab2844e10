"""Where data comes from: the function that reads or makes each dataset. To add one, add one line.

A source returns a `Dataset`. It is given the dataset's `name`, its `path` if it is files of one's
own (`readers/`), and the data `root`, if it has parameters of these names; its other parameters are
the options of the dataset.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from smixup.datasets.layouts import MOLHIV, OGB_SETS
from smixup.datasets.readers.registry import READERS, reader_of
from smixup.names import Registry
from smixup.packed_folder import is_packed

if TYPE_CHECKING:  # names are asked for by `smixup data list`, which does without torch
    from smixup.datasets.base import Dataset

MOTIF = "MOTIF"
PACKED, OGB, ANY_OTHER = "a folder of packed graphs", "another ogbg-mol", "any other"

SOURCES: Registry[Dataset] = Registry(
    "source of data",
    {
        MOTIF: "smixup.datasets.motif:motif_dataset",
        MOLHIV: "smixup.datasets.ogb:ogb_dataset",
        OGB: "smixup.datasets.ogb:ogb_dataset",
        PACKED: "smixup.datasets.packed_set:packed_dataset",
        ANY_OTHER: "smixup.datasets.tu:tu_dataset",
        **READERS,
    },
)


def source_of(dataset: str) -> str:
    """Return the name under which the source of a dataset, given by its own spelling, by the folder
    of a packed one or by the path of own files, is found.
    """
    if dataset in SOURCES and dataset not in READERS:
        return dataset
    if dataset in OGB_SETS:
        return OGB
    if is_packed(dataset):
        return PACKED
    return reader_of(dataset) or ANY_OTHER if Path(dataset).is_absolute() else ANY_OTHER
