"""Which data a name stands for: two sets of files under one name are two datasets."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from smixup.datasets.layout import data_root
from smixup.datasets.layouts import is_present
from smixup.datasets.ogb_layout import OgbLayout
from smixup.datasets.ogb_sets import OGB_SETS
from smixup.datasets.readers.registry import digest_of_file
from smixup.datasets.sources import ANY_OTHER, MOLHIV, OGB, source_of
from smixup.datasets.tu_layout import TULayout

BY_NAME = (ANY_OTHER, MOLHIV, OGB)
LENGTH = 16


def data_fingerprint(dataset: str, root: Path | None = None) -> str:
    """Return a text that differs between the files that a dataset's name stands for under the data
    root, whatever options they are read with.

    It is empty where there are no files of that name, and for data whose name says all: generated
    sets, and folders and files of one's own, whose content is in the fingerprint of a configuration
    (`RunConfig.fingerprint`). Every file is read once per process, unless it changes.
    """
    if source_of(dataset) not in BY_NAME:
        return ""
    found = sha256()
    try:
        files = _files(dataset, data_root(root))
        for file in files:
            found.update(file.name.encode() + digest_of_file(file))
    except OSError:  # whoever reads the data says so
        return ""
    return found.hexdigest()[:LENGTH] if files else ""


def _files(dataset: str, root: Path) -> list[Path]:
    if not is_present(dataset, root):
        return []
    folder = root / dataset
    layout = OgbLayout(folder) if dataset in OGB_SETS else TULayout(folder / "raw", dataset)
    return sorted(layout.files())
