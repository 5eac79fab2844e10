"""Publishers' archives: fetched, unpacked, checked, and moved into place in one step."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from shutil import copyfile
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from smixup.datasets.sources import (
    NAME,
    OGB_SETS,
    SOURCES,
    Layout,
    data_root,
    ogb_layout,
    tu_layout,
    url_of,
)
from smixup.datasets.text import readable, require_regular
from smixup.errors import SmixupError, shown
from smixup.files import swap_folder, unfinished_folder
from smixup.memory import in_words

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
            name = layout.name
            if expected not in (None, name):
                raise SmixupError(f"it holds {shown(name)}, not {expected}.")
            if missing := layout.missing():
                raise SmixupError(f"files are missing: {', '.join(map(shown, missing))}.")
            staged = folder / "staged"
            for file, place in layout.files().items():
                (staged / place).parent.mkdir(parents=True, exist_ok=True)
                copyfile(file, staged / place)
            from smixup.datasets import ogb, tu  # which take torch

            check = ogb.ogb_dataset if name in OGB_SETS else tu.check_tu
            check(name, staged)
            swap_folder(staged / name, root / name)
    except OSError as reason:
        where = shown(reason.filename, 300)
        raise SmixupError(f"{reason.strerror or reason} ({where}).") from reason
    return name


def find_layout(top: Path) -> Layout:
    """Return the one dataset in a folder; one of the TU collection has a name that is not taken."""
    layouts = [tu_layout(path.parent, path.name[: -len("_A.txt")]) for path in _in(top, "*_A.txt")]
    for layout in layouts:
        if not NAME.fullmatch(layout.name) or layout.name in (*SOURCES, *OGB_SETS):
            raise SmixupError(
                f"'{shown(layout.name)}' cannot be the name of a set: rename its files."
            )
    folders = [path.parents[1] for path in _in(top, "raw/num-node-list.csv.gz")]
    layouts += [ogb_layout(folder, _name_of_ogb_set(folder)) for folder in folders]
    if not layouts:
        raise SmixupError(
            "no dataset in a known layout (expected NAME_A.txt, ..., or OGB's raw/, split/...)."
        )
    if len(layouts) > 1:
        names = shown(", ".join(sorted({layout.name for layout in layouts})))
        raise SmixupError(f"{len(layouts)} datasets at once ({names}); import them one by one.")
    return layouts[0]


def _name_of_ogb_set(folder: Path) -> str:
    """Return the set that a folder is called by."""
    called = folder.name.lower().replace("_", "-")
    for name, published in OGB_SETS.items():
        if called in (name, published.archive):
            return name
    raise SmixupError(
        f"it holds OGB's files in a folder '{shown(folder.name)}', which does not tell the set: "
        "call the folder by the name of a set, such as ogbg-moltox21 or tox21."
    )


def _in(top: Path, pattern: str) -> list[Path]:
    """Return files in a folder that are no by-products of a system, as in `__MACOSX/`."""
    names = [path.relative_to(top) for path in top.rglob(pattern) if path.is_file()]
    hidden = [name for name in names if re.search(r"(^|/)(\.|__MACOSX)", name.as_posix())]
    return sorted(top / name for name in {*names} - {*hidden})


@contextmanager
def working_folder(root: Path) -> Iterator[Path]:
    """Give a temporary folder on the same disk as the data."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        with unfinished_folder(root / "import") as folder:
            yield folder
    finally:
        with suppress(OSError):
            root.rmdir()  # if nothing is in it


def unpack(path: Path, target: Path, large: bool = False) -> None:
    """Unpack the plain files of a zip or a tar into a new folder, which the caller removes."""
    target.mkdir(parents=True)
    packed = path.stat().st_size
    most = float("inf") if large else min(UNPACKED, max(SMALL, RATIO * packed))
    size = 0

    def count(more: int) -> None:
        nonlocal size
        size += more
        if size > most:
            raise SmixupError(
                f"the archive has {in_words(packed)} and unpacks to {in_words(size)} or more: if "
                "you trust it, allow that by --large (in Python large=True)."
            )

    def plain(entry: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
        count(entry.size)
        return tarfile.data_filter(entry, folder) if entry.isfile() else None

    with readable(path, " Is it a whole zip or tar archive?"):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                count(sum(entry.file_size for entry in archive.infolist()))
                archive.extractall(target)
        else:
            with tarfile.open(path) as entries:
                entries.extractall(target, filter=plain)


def _download(url: str, target: Path) -> None:
    """Fetch a file within a size, whole or not at all."""
    request = Request(url, headers={"User-Agent": "smixup", "Accept-Encoding": "identity"})
    size = 0
    try:
        with urlopen(request, timeout=SILENCE) as answer, target.open("wb") as file:
            if urlsplit(answer.url).scheme != "https":
                raise SmixupError(f"the publisher leads to {shown(answer.url)}.")
            while block := answer.read(BLOCK):
                size += file.write(block)
                if size > SIZE:
                    raise SmixupError(f"the publisher sends more than {in_words(SIZE)}.")
            if answer.headers.get("Content-Length") not in (None, str(size)):
                raise SmixupError("the download is cut short.")
    except (OSError, HTTPException, ValueError) as reason:
        words = shown(reason, 200)
        raise SmixupError(f"the download failed ({words}).") from reason
