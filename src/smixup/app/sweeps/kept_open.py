"""The dataset of one run, kept for the next: a worker does many runs on the same data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.run import RunResult, result_of, train_on
from smixup.datasets.catalogue import open_or_load
from smixup.datasets.fingerprint import data_fingerprint

if TYPE_CHECKING:
    from smixup.datasets import Dataset
    from smixup.datasets.packed_set import PackedDataset

    AnyDataset = Dataset | PackedDataset

_kept: dict[tuple[str, ...], AnyDataset] = {}


def kept_open(
    config: RunConfig,
    root: Path | None = None,
    read: Callable[..., AnyDataset] = open_or_load,
) -> AnyDataset:
    """Return the dataset of a run: the one of the last call, if it is the same data; else it is
    read, and the last one is let go.

    Reading a thousand molecules takes most of a second, which a comparison would spend anew on each
    of its runs. Data is the same if name, options, root and the content of its files are.

    Args:
        config: of the run.
        root: the data root.
        read: reads a dataset.
    """
    data = configure(config.dataset, root=root, dataset_options=config.dataset_options)
    key = data.fingerprint(), data_fingerprint(config.dataset, root), str(root)
    if key not in _kept:
        _kept.clear()
        _kept[key] = read(config.dataset, root, **config.dataset_options)
    return _kept[key]


def run(config: RunConfig, root: Path | None = None, **others: Any) -> RunResult:
    """Do a run as `app.runs.run.run` does, on data that may be open already.

    Args:
        config: decides the result.
        root: the data root.
        others: what else `train_on` takes.
    """
    return result_of(train_on(kept_open(config, root), config, **others))
