"""Names of datasets, and how to load one; importing this needs no torch."""

from __future__ import annotations

from hashlib import sha256
from inspect import signature
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from smixup.datasets.readers.registry import (
    READERS,
    digest_of_file,
    reader_of,
    require_options,
)
from smixup.datasets.sources import (
    ANY_OTHER,
    OGB,
    OGB_SETS,
    PACKED,
    SOURCES,
    data_root,
    fetch,
    layout_of,
    present_names,
    source_of,
    url_of,
)
from smixup.errors import SmixupError, UsageError, unknown_name
from smixup.files import restore_folder
from smixup.packed_folder import is_packed

if TYPE_CHECKING:
    from smixup.datasets.base import Dataset
    from smixup.datasets.packed_set import PackedDataset

GENERATED = "generated, nothing to download"
TU_SETS = (
    *("IMDB-BINARY", "PROTEINS", "NCI1", "REDDIT-BINARY", "IMDB-MULTI", "REDDIT-MULTI-5K"),
    *("COLLAB", "DD", "ENZYMES", "MUTAG", "Mutagenicity", "NCI109", "PTC_MR", "REDDIT-MULTI-12K"),
)
PUBLISHED = {name: url_of(name) for name in (*TU_SETS, *OGB_SETS)}
ALIASES = {
    "imdb-b": "IMDB-BINARY",
    "imdb-m": "IMDB-MULTI",
    "reddit-b": "REDDIT-BINARY",
    "reddit-m5": "REDDIT-MULTI-5K",
    **{name.removeprefix("ogbg-"): name for name in OGB_SETS},
}
NODE_LABELS: dict[str, tuple[str, ...]] = {"MUTAG": ("C", "N", "O", "F", "I", "Cl", "Br")}
"""By dataset, the meaning of the labels 0, 1, ..., as its README.txt lists them."""


def known_datasets() -> dict[str, str]:
    """Return where each dataset known by name comes from; other names of the TU collection work
    too.
    """
    kinds = (*READERS, PACKED, OGB, ANY_OTHER)
    return {name: GENERATED for name in SOURCES if name not in kinds} | PUBLISHED


def canonical_name(name: str, root: Path | None = None) -> str | None:
    """Return the spelling of a name given in any case, or None if it is neither known nor found
    under the root; the folder of a packed dataset, or the path of own files, is its name.
    """
    if not is_path(name):
        known = known_datasets()
        if name in known:
            return name  # thousands of runs are named so: no look at the disk
        present = present_names(data_root(root))
        spellings = {spelling.lower(): spelling for spelling in (*present, *known)} | ALIASES
        if name in present or name.lower() in spellings:
            return name if name in present else spellings[name.lower()]
    path = Path(name).expanduser().absolute()
    return str(path) if name and (is_packed(path) or reader_of(path)) else None


def is_path(name: str) -> bool:
    """Tell whether a dataset is given by a path, such as `./graphs`, and not by a name."""
    return "/" in name or "\\" in name or name.startswith("~")


def locate_dataset(name: str, root: Path | None = None) -> str:
    """Return the dataset's own spelling and see to it that its files are under the root,
    downloading if need be.
    """
    folder = data_root(root)
    restore_folder(folder / name)  # a killed import may have moved the dataset aside
    known = canonical_name(name, root)
    if known is not None and (known not in PUBLISHED or layout_of(known, folder).files()):
        return known
    if known is None and (is_path(name) or (name and Path(name).exists())):
        raise UsageError(f"unknown dataset '{name}': {_nothing_to_read(Path(name).expanduser())}")
    try:
        fetch(known or name, folder)  # one that is not listed may be of the TU collection
    except SmixupError as reason:
        if known is not None:
            raise
        unknown = unknown_name("dataset", name, known_datasets())
        raise UsageError(f"{unknown} As a name of the TU collection: {reason}") from reason
    return known or name


def _nothing_to_read(path: Path) -> str:
    """Say why a path is no dataset."""
    if not path.exists():
        return "there is no such file or folder."
    if any(path.glob("*_A.txt")) or path.name.lower().endswith(".zip"):
        archive = f"smixup data import {quote(str(path))}"
        return f"data in the layout of TU or OGB is imported first: {archive}."
    return 'no reader knows such files; the page "Your data" of the documentation tells which.'


def load_dataset(name: str | Path, root: Path | None = None, **options: Any) -> Dataset:
    """Load a dataset by name, in any case, into memory.

    Args:
        name: one of `SOURCES`, a name of the TU collection, the path of own files (`readers/`), or
            the folder of a packed dataset; `open_packed` leaves the graphs of such a folder on
            disk.
        root: the data root; see `data_root`.
        options: parameters of its source: for MOTIF `num_graphs`, `label_noise`, `features`,
            `seed`; for a TU dataset those of `tu_dataset`; for own files those of their reader.
    """
    if isinstance(name, Path):  # no name, also if it stands in the working directory
        name = str(name) if is_path(str(name)) else f"./{name}"
    known = locate_dataset(name, root)
    source = SOURCES.factory(source_of(known))
    places = {"name": known, "root": data_root(root), "path": Path(known)}
    require_options(known, source, options)
    allowed = signature(source).parameters
    return source(**{key: places[key] for key in places if key in allowed}, **options)


def open_or_load(name: str, root: Path | None = None, **options: Any) -> Dataset | PackedDataset:
    """Load a dataset, or open it if it is packed: then its graphs stay on disk."""
    known = canonical_name(name, root)
    if known is None or source_of(known) != PACKED or options:
        return load_dataset(name, root, **options)
    from smixup.datasets.packed_set import open_packed_dataset  # takes torch

    return open_packed_dataset(known)


def data_fingerprint(dataset: str, root: Path | None = None) -> str:
    """Return a text that differs between the files that a dataset's name stands for under the data
    root. It is empty where there are none, and for generated sets and files of one's own, whose
    content is in `RunConfig.fingerprint`. A file is read once per process, unless it changes.
    """
    files = layout_of(dataset, data_root(root)).files()
    if source_of(dataset) not in (ANY_OTHER, OGB) or not files:
        return ""
    parts = [file.name.encode() + digest_of_file(file) for file in files]
    return sha256(b"".join(parts)).hexdigest()[:16]


def statistics(dataset: Dataset | PackedDataset) -> dict[str, float]:
    """Return numbers of graphs, classes, nodes, undirected edges and features of nodes."""
    graphs = dataset.graphs
    ends = 0  # of edges; a loop has two, as any other
    for part in graphs.parts() if hasattr(graphs, "parts") else [graphs]:
        ends += part.adj.column.numel() + int((part.adj.row == part.adj.column).sum())
    return {
        "graphs": len(graphs),
        "classes": graphs.num_classes,
        "average_nodes": graphs.num_nodes / len(graphs),
        "average_edges": ends // 2 / len(graphs),
        "features": graphs.num_features,
    }
