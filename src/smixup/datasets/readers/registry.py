"""Which reader reads which files. To add one, add its lines here.

A reader is a function `(path, like=None, **options) -> Dataset`, one per file. Its options are the
names that `--data NAME=VALUE` takes. These mean the same everywhere:

| option | means |
|---|---|
| `like` | the `Reading` of files read before: features are then those, targets may be missing |
| `y` | targets of graphs in memory, which a reader takes in place of a path |
| `labels`, `key` | the table of targets, if its name is not the usual one; its column of names |
| `target` | the target columns; by default the only one, or the one of a usual name |
| `task` | `classes`, `labels` or `values`, where the targets do not tell |
| `weight` | the attribute of edges that is their weight |
| `categories` | attributes of nodes and edges that are categories although they are numbers |
| `ignore` | attributes of nodes and edges to leave out |

What a reader was given, and what it learned, stand in `Dataset.reading`. No torch is needed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import file_digest, sha256
from inspect import signature
from pathlib import Path
from typing import Any

from smixup.datasets.base import Reading
from smixup.datasets.tables import MATRIX_TEXT, TABLES
from smixup.errors import UsageError
from smixup.packed_folder import is_packed

READERS: dict[str, str] = {
    "edge-list": "smixup.datasets.readers.edge_list:read_edge_list",
    "graphml": "smixup.datasets.readers.graphml:read_graphml",
    "matrices": "smixup.datasets.readers.matrices:read_matrices",
    "saved-list": "smixup.datasets.readers.saved_list:read_saved_list",
    "smiles": "smixup.datasets.readers.smiles:read_smiles",
}
"""`module:name` of the reader of each kind of files."""

FILES = {
    "graphml": (".graphml",),
    "matrices": (".npy", ".npz"),
    "saved-list": (".pt", ".pth"),
    "smiles": TABLES,  # it asks for the column of SMILES
}
"""What names of single files end in."""

NO_OPTIONS = ("name", "root", "path", "like", "y")
"""Parameters of a source of data that are no options."""

OTHERS = re.compile(r"_A\.txt$|\.safetensors$|^raw$|^RELEASE_v1\.txt$")
"""Files that say that their folder is ours, or a publisher's."""


def reader_of(path: Path | str) -> str | None:
    """Return the name of the reader for a file or folder, None if there is none; a folder with
    files of several readers is refused.
    """
    path = Path(path)
    if path.is_file():
        name = path.name.lower()
        return next((reader for reader, endings in FILES.items() if name.endswith(endings)), None)
    names: list[str] = []
    with suppress(OSError):
        names = sorted(own.name for own in path.iterdir() if not own.name.startswith("."))
    if is_packed(path) or any(OTHERS.search(name) for name in names):
        return None
    texts = [name for name in names if name.endswith(MATRIX_TEXT) and name[:6] != "labels"]
    is_edge_list = any(f"edges{ending}" in names for ending in TABLES)
    arrays = any(name.endswith(FILES["matrices"]) for name in names)
    holds = {
        "edge-list": is_edge_list,
        "graphml": any(name.endswith(FILES["graphml"]) for name in names),
        "matrices": arrays or (len(texts) > 1 and not is_edge_list),
    }
    readers = [reader for reader, is_there in holds.items() if is_there]
    if len(readers) > 1:
        raise UsageError(
            f"{path} holds files of several kinds ({', '.join(readers)}): put those of one kind "
            "into a folder of their own."
        )
    return readers[0] if readers else None


def digest_of_files(path: Path | str) -> str:
    """Return a text that differs between files, or folders of files, by names and contents."""
    path = Path(path)
    files = [path] if path.is_file() else sorted(filter(Path.is_file, path.rglob("*")))
    names = [str(file.relative_to(path.parent)).encode() for file in files]
    parts = [name + digest_of_file(file) for name, file in zip(names, files, strict=True)]
    return sha256(b"".join(parts)).hexdigest()


def digest_of_file(file: Path) -> bytes:
    """Return a digest of a file, computed once for a file that does not change."""
    about = file.stat()
    return _digest(file, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=4096)
def _digest(file: Path, changed: int, size: int) -> bytes:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").digest()


def defaults_of(source: Callable[..., Any]) -> dict[str, Any]:
    """Return the options of a source of data with their defaults."""
    parameters = signature(source).parameters.values()
    return {own.name: own.default for own in parameters if own.name not in NO_OPTIONS}


def require_options(what: object, source: Callable[..., Any], given: Iterable[str]) -> None:
    """Refuse an option that a source of data does not have."""
    known = defaults_of(source)
    if odd := [name for name in given if name not in known]:
        raise UsageError(f"{what} has no option '{odd[0]}'; it has {', '.join(known) or 'none'}.")


def options_of(
    reader: Callable[..., Any], given: Mapping[str, Any], like: Reading | None
) -> dict[str, Any]:
    """Return all options of a reader by name: what is given now, else what was given for the files
    read before, else the default.
    """
    before = {} if like is None else like.options
    return {
        name: before.get(name, default) if given[name] == default else given[name]
        for name, default in defaults_of(reader).items()
    }


def names_of(names: Any) -> tuple[str, ...]:
    """Return names that are given as a list, or as text parted by commas.

    >>> names_of("colour, size")
    ('colour', 'size')
    """
    if names is None:
        return ()
    parts = names.split(",") if isinstance(names, str) else names
    parts = parts if isinstance(parts, list | tuple) else [parts]
    return tuple(str(part).strip() for part in parts if str(part).strip())
