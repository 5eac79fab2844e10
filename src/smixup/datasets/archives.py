"""A publisher's archive or folder, or one fetched from there: checked first, then moved into place
in one step. Neither archives nor servers are trusted.
"""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path
from shutil import copyfile
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from smixup.datasets.layouts import (
    NAME,
    OGB_SETS,
    Layout,
    OgbLayout,
    TULayout,
    data_root,
    url_of,
)
from smixup.datasets.sources import SOURCES
from smixup.datasets.text import require_regular
from smixup.errors import SmixupError, shown
from smixup.files import swap_folder, unfinished_folder
from smixup.memory import in_words

IMPORT = "import"
BLOCK = 1 << 20
UNPACKED, RATIO, SMALL = 4 << 30, 100, 64 << 20
"""Bytes that an archive may unpack to, and how many times its own size, unless it is small."""
SILENCE, SIZE = 20.0, 1 << 30
"""Of a download: seconds without a byte, and bytes."""


def import_archive(path: Path, root: Path | None = None, large: bool = False) -> str:
    """Import a zip, tar or folder in its publisher's layout, and return the dataset's name.

    Nothing is kept unless every check passes and graphs can be made of the files. A dataset of the
    same name under the root is replaced, with everything that was computed from it, and only once
    the new one has passed.

    Args:
        path: of the archive or folder.
        root: the data root; see `data_root`.
        large: allow an archive that unpacks to more than 4 GB, or a hundred times its own size.
    """
    path = Path(path).expanduser()
    if not path.exists():
        raise SmixupError(f"nothing to import: {path} does not exist.")
    require_regular(path)
    try:
        return _install(path, data_root(root), large=large)
    except SmixupError as reason:
        raise SmixupError(f"{shown(path, 300)} was not imported: {reason}") from reason


def fetch(name: str, root: Path) -> None:
    """Download a dataset and import it under the root; an error names the import command."""
    if not NAME.fullmatch(name):
        raise SmixupError(f"'{shown(name)}' cannot be the name of a dataset.")
    url = url_of(name)
    try:
        with working_folder(root) as folder:
            _download(url, folder / "archive")
            _install(folder / "archive", root, expected=name)
    except SmixupError as reason:
        raise SmixupError(
            f"{name} is not under {root} and could not be fetched from {url}: {reason} Download it "
            "elsewhere and run: smixup data import PATH."
        ) from reason


def _install(path: Path, root: Path, expected: str | None = None, large: bool = False) -> str:
    """Import an archive; if a name is expected, another dataset is refused."""
    try:
        with working_folder(root) as folder:
            source = path
            if not path.is_dir():
                source = folder / "unpacked"
                unpack(path, source, large)
            layout = find_layout(source)
            if expected is not None and layout.name != expected:
                raise SmixupError(f"it holds {shown(layout.name)}, not {expected}.")
            if missing := layout.missing():
                raise SmixupError(f"files are missing: {', '.join(map(shown, missing))}.")
            staged = folder / "staged"
            for file, place in layout.files().items():
                (staged / place).parent.mkdir(parents=True, exist_ok=True)
                copyfile(file, staged / place)
            from smixup.datasets import ogb, tu  # which take torch

            check = tu.check_tu if isinstance(layout, TULayout) else ogb.check_ogb
            check(layout.name, staged)
            swap_folder(staged / layout.name, root / layout.name)
    except OSError as reason:
        where = shown(reason.filename, 300)
        raise SmixupError(f"{reason.strerror or reason} ({where}).") from reason
    return layout.name


def find_layout(top: Path) -> Layout:
    """Return the one dataset in a folder; one of the TU collection has a name that is not taken."""
    layouts: list[Layout] = [*TULayout.find(top), *OgbLayout.find(top)]
    if not layouts:
        expected = (
            "NAME_A.txt, NAME_graph_indicator.txt, NAME_graph_labels.txt, or OGB's raw/, split/, "
            "mapping/"
        )
        raise SmixupError(f"no dataset in a known layout (expected {expected}).")
    if len(layouts) > 1:
        names = shown(", ".join(sorted({layout.name for layout in layouts})))
        raise SmixupError(f"{len(layouts)} datasets at once ({names}); import them one by one.")
    (layout,) = layouts
    taken = {"molhiv", *(name.lower() for name in (*SOURCES, *OGB_SETS))}
    reserved = isinstance(layout, TULayout) and layout.name.lower() in taken
    if reserved or not NAME.fullmatch(layout.name):
        raise SmixupError(
            f"'{shown(layout.name)}' cannot be the name of a dataset in the TU layout; rename its "
            "files."
        )
    return layout


@contextmanager
def working_folder(root: Path) -> Iterator[Path]:
    """Give a temporary folder on the same disk as the data."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(root / IMPORT) as folder:
            yield folder
    finally:
        with suppress(OSError):
            root.rmdir()  # if nothing is in it


# --- unpacking


def unpack(path: Path, target: Path, large: bool = False) -> None:
    """Unpack the plain files of a zip or a tar, compressed or not, into `target`.

    Args:
        path: of the archive.
        target: a folder to be made.
        large: allow any size.

    Raises:
        SmixupError: if it is neither, is damaged, or is larger than it may be; what was unpacked
            until then is for the caller to remove.
    """
    target.mkdir(parents=True)
    packed, size = path.stat().st_size, 0
    unpack_entries = _unpack_zip if zipfile.is_zipfile(path) else _unpack_tar
    try:
        for entry_size, extract in unpack_entries(path, target):
            size += entry_size
            if size > min(UNPACKED, max(SMALL, RATIO * packed)) and not large:
                raise SmixupError(
                    f"the archive has {in_words(packed)} and unpacks to {in_words(size)} or more: "
                    "if you trust it, allow that by --large (in Python large=True)."
                )
            extract()
    except SmixupError:
        raise
    except Exception as reason:  # of a damaged archive, readers raise whatever comes
        words = str(reason) or type(reason).__name__
        raise SmixupError(f"the archive cannot be unpacked ({shown(words, 200)}).") from reason


Extract = Callable[[], object]


def _unpack_zip(path: Path, target: Path) -> Iterator[tuple[int, Extract]]:
    """Yield the size of every entry, and what extracts it; no name leads out of the target."""
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            yield entry.file_size, partial(archive.extract, entry, target)


def _unpack_tar(path: Path, target: Path) -> Iterator[tuple[int, Extract]]:
    try:
        archive = tarfile.open(path)  # noqa: SIM115
    except tarfile.ReadError as reason:
        raise SmixupError("it is neither a zip nor a tar archive, or it is damaged.") from reason
    with archive:
        for entry in archive:
            plain = partial(archive.extract, entry, target, filter="data")
            yield entry.size, plain if entry.isfile() else entry.isfile


# --- downloading


def _download(url: str, target: Path) -> None:
    """Fetch a file within a size, whole or not at all."""
    request = Request(url, headers={"User-Agent": "smixup", "Accept-Encoding": "identity"})
    size = 0
    try:
        with urlopen(request, timeout=SILENCE) as answer, target.open("wb") as file:
            if urlsplit(answer.url).scheme not in (urlsplit(url).scheme, "https"):
                raise SmixupError(f"the publisher leads to {shown(answer.url)}.")
            while block := answer.read(BLOCK):
                size += file.write(block)
                if size > SIZE:
                    raise SmixupError(f"the publisher sends more than {in_words(SIZE)}.")
            if answer.headers.get("Content-Length") not in (None, str(size)):
                raise SmixupError("the download is cut short.")
    except HTTPError as reason:
        words = shown(reason.reason)
        raise SmixupError(f"the publisher answers {reason.code} ({words}).") from reason
    except (OSError, HTTPException, ValueError) as reason:
        words = shown(getattr(reason, "reason", reason), 200)
        raise SmixupError(f"the download failed ({words}).") from reason
