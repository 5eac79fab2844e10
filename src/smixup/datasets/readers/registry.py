"""Which reader reads which files. To add one, add its lines here.

A reader is a function `(path, like=None, **options) -> Dataset`, one per file. Its options are the
names that `--data NAME=VALUE` takes; `like` is the `Reading` of files that were read before: names
of features and categories are then those, and targets may be missing. What it was given, and what
it learned of the files, stand in `Dataset.reading`. No torch is needed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import file_digest, sha256
from inspect import signature
from pathlib import Path
from typing import Any

from smixup.datasets.base import Reading
from smixup.datasets.readers.tables import MATRIX_TEXT, TABLES, is_table, stem_of
from smixup.datasets.text import LINE, opened_text, require_regular
from smixup.errors import SmixupError, UsageError
from smixup.packed_folder import is_packed

READERS: dict[str, str] = {
    "edge-list": "smixup.datasets.readers.edge_list:read_edge_list",
    "graphml": "smixup.datasets.readers.graphml:read_graphml",
    "matrices": "smixup.datasets.readers.matrices:read_matrices",
    "saved-list": "smixup.datasets.readers.saved_list:read_saved_list",
    "smiles": "smixup.datasets.readers.smiles:read_smiles",
}
"""`module:name` of the reader of each kind of files."""

EXAMPLES: dict[str, str] = {
    "edge-list": "smixup data stats ./mails --data target=label  # edges.csv, graphs.csv",
    "graphml": "smixup data stats ./proteins --data target=kind  # *.graphml, labels.csv",
    "matrices": "smixup data stats subjects.npz --data density=0.2",
    "saved-list": "smixup data stats graphs.pt --data encode=one-hot",
    "smiles": "smixup data stats molecules.csv --data target=active --data invalid=skip",
}
"""By reader, a command for `smixup data list --formats`."""

_NUMBER = r"\s*[-+]?(\d|\.\d|nan)[-+\d.eEnaN]*"
NUMBERS = re.compile(rf"^{_NUMBER}(\s*[,;\t ]{_NUMBER})+\s*$")  # a line of two or more


def reader_of(path: Path | str) -> str | None:
    """Return the name of the reader for a file or folder, None if there is none; a folder with
    files of several readers is refused.
    """
    path = Path(path)
    if not path.exists():
        return None
    require_regular(path)
    readers = [name for name, reads in RECOGNISED.items() if reads(path)]
    if len(readers) > 1 and path.is_dir():
        raise UsageError(
            f"{path} holds files of several kinds ({', '.join(readers)}): put those of one kind "
            "into a folder of their own."
        )
    return readers[0] if readers else None


def digest_of_files(path: Path | str) -> str:
    """Return a text that differs between files, or folders of files, by names and contents."""
    path = Path(path)
    files = [path] if path.is_file() else sorted(filter(Path.is_file, path.rglob("*")))
    digest = sha256()
    for file in files:
        digest.update(str(file.relative_to(path.parent)).encode())
        digest.update(digest_of_file(file))
    return digest.hexdigest()


def digest_of_file(file: Path) -> bytes:
    """Return a digest of a file, computed once for a file that does not change."""
    about = file.stat()
    return _digest(file, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=4096)
def _digest(file: Path, changed: int, size: int) -> bytes:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").digest()


# --- options of readers: given now, or when files were read before


def options_of(
    reader: Callable[..., Any], given: Mapping[str, Any], like: Reading | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return all options of a reader by name: what is given now, else what was given for the files
    read before, else the default. Beside them those that are no default, for a `Reading`.
    """
    before = {} if like is None else like.options
    defaults = {
        name: parameter.default
        for name, parameter in signature(reader).parameters.items()
        if name not in ("path", "like")
    }
    options = {
        name: before.get(name, default) if given[name] == default else given[name]
        for name, default in defaults.items()
    }
    return options, {name: value for name, value in options.items() if value != defaults[name]}


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


def require_one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse an option that is none of the words allowed."""
    if value not in allowed:
        raise UsageError(f"{name} must be {', '.join(allowed[:-1])} or {allowed[-1]}, not {value}.")


# --- what a file or folder is, by names, and by the first two lines of a file at most


def _is_graphml(path: Path) -> bool:
    if path.is_dir():
        return _holds(path, ".graphml") and not _is_taken(path)
    return path.suffix == ".graphml"


def _is_edge_list(path: Path) -> bool:
    there = any((path / f"edges{ending}").is_file() for ending in TABLES)
    return path.is_dir() and there and not _is_taken(path)


def _is_matrices(path: Path) -> bool:
    """Tell files of NumPy, or a folder of such files, or of texts whose lines are numbers alone."""
    if not path.is_dir():
        return path.suffix in (".npy", ".npz")
    if _is_taken(path):
        return False
    if _holds(path, ".npy", ".npz"):
        return True
    paths = (path / name for name in _names(path) if name.endswith(MATRIX_TEXT))
    texts = sorted(text for text in paths if stem_of(text) != "labels")
    return len(texts) > 1 and not _is_edge_list(path) and _begins_as_matrix(texts[0])


def _begins_as_matrix(path: Path) -> bool:
    """Tell whether a text begins with numbers, or with names above and beside them."""
    try:
        with opened_text(path) as file:
            first, second = file.readline(LINE), file.readline(LINE)
    except (SmixupError, UnicodeDecodeError):
        return False
    beside = re.split(r"[,;\t]", second, maxsplit=1)[-1]
    return any(NUMBERS.match(line) for line in (first, second, beside))


def _is_taken(folder: Path) -> bool:
    """Tell whether a folder holds something of ours, or of a publisher, whatever else is there."""
    return is_packed(folder) or any(
        name.endswith(("_A.txt", ".safetensors")) or name in ("raw", "RELEASE_v1.txt")
        for name in _names(folder)
    )


def _holds(folder: Path, *endings: str) -> bool:
    return any(name.endswith(endings) and not name.startswith(".") for name in _names(folder))


def _names(folder: Path) -> list[str]:
    """Return what is in a folder; one that may not be looked into has nothing."""
    try:
        return [path.name for path in folder.iterdir()]
    except PermissionError:
        return []


RECOGNISED: dict[str, Callable[[Path], bool]] = {
    "edge-list": _is_edge_list,
    "graphml": _is_graphml,
    "matrices": _is_matrices,
    "saved-list": lambda path: path.is_file() and path.suffix in (".pt", ".pth"),
    "smiles": is_table,  # the last of those that read tables: it asks for the column of SMILES
}
"""By reader, whether it reads what stands at a path; of a file, the first that does is taken."""
