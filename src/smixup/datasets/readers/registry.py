"""Which reader reads which files. To add one, add its lines here.

A reader is a function `(path, like=None, **options) -> Dataset`, one per file. Its options are the
names that `--data NAME=VALUE` takes; `like` is the `Reading` of files that were read before: names
of features and categories are then those, and targets may be missing. What it was given, and what
it learned of the files, stand in `Dataset.reading`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from smixup.datasets.readers.recognition import (
    is_edge_list,
    is_graphml,
    is_matrices,
    is_saved_list,
)
from smixup.datasets.readers.tables import is_table
from smixup.datasets.text import require_regular
from smixup.errors import UsageError

READERS: dict[str, str] = {
    "edge-list": "smixup.datasets.readers.edge_list:read_edge_list",
    "graphml": "smixup.datasets.readers.graphml:read_graphml",
    "matrices": "smixup.datasets.readers.matrices:read_matrices",
    "saved-list": "smixup.datasets.readers.saved_list:read_saved_list",
    "smiles": "smixup.datasets.readers.smiles:read_smiles",
}
"""`module:name` of the reader of each kind of files."""

RECOGNISED: dict[str, Callable[[Path], bool]] = {
    "edge-list": is_edge_list,
    "graphml": is_graphml,
    "matrices": is_matrices,
    "saved-list": is_saved_list,
    "smiles": is_table,  # the last of those that read tables: it asks for the column of SMILES
}
"""By reader, whether it reads what stands at a path; of a file, the first that does is taken. These
functions look at names, and at the first two lines of a file at most, and need no torch.
"""

EXAMPLES: dict[str, str] = {
    "edge-list": "smixup data stats ./mails --data target=label  # edges.csv, graphs.csv",
    "graphml": "smixup data stats ./proteins --data target=kind  # *.graphml, labels.csv",
    "matrices": "smixup data stats subjects.npz --data density=0.2",
    "saved-list": "smixup data stats graphs.pt --data encode=one-hot",
    "smiles": "smixup data stats molecules.csv --data target=active --data invalid=skip",
}
"""By reader, a command for `smixup data list --formats`."""

BLOCK = 1 << 20


def reader_of(path: Path | str) -> str | None:
    """Return the name of the reader for a file or folder, None if there is none; a folder with
    files of several readers is refused.
    """
    path = Path(path)
    if not path.exists():
        return None
    require_regular(path)
    found = [name for name, reads in RECOGNISED.items() if reads(path)]
    if len(found) > 1 and path.is_dir():
        raise UsageError(
            f"{path} holds files of several kinds ({', '.join(found)}): put those of one kind into "
            "a folder of their own."
        )
    return found[0] if found else None


def digest_of_files(path: Path | str) -> str:
    """Return a text that differs between files, or folders of files, by names and contents."""
    path = Path(path)
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
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
    digest = sha256()
    with file.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.digest()
