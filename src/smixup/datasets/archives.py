"""A publisher's archive or folder, or one fetched from there: checked first, then moved into place
in one step. Neither archives nor servers are trusted.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import socket
import stat
import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path, PurePosixPath, PureWindowsPath
from threading import Thread
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener, getproxies

from smixup.datasets.layout import data_root
from smixup.datasets.layouts import NAME, find_layout, is_wanted, tu_url
from smixup.datasets.text import require_regular
from smixup.errors import SmixupError
from smixup.files import OLD, hidden_state, swap_folder, sweep_leftovers, unfinished_folder
from smixup.memory import in_words
from smixup.shown import shown

IMPORT = "import"
BLOCK = 1 << 20
UNPACKED, RATIO, SMALL = 4 << 30, 100, 64 << 20
"""Bytes that an archive may unpack to, and how many times its own size, unless it is small."""
ENTRIES = 100_000
HEADER = 1 << 24  # bytes of a tar at once: what its headers ask for may be more than memory
REACH, SILENCE, SECONDS, SIZE = 0.7, 30.0, 1800.0, 1 << 30
"""Of a download: seconds to find the server, without a byte, and in all; bytes."""
COMPRESSED: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError),
    *(OSError, RuntimeError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    MemoryError,
)
"""What the readers of archives raise where one is damaged, some of it by accident."""


def import_archive(path: Path, root: Path | None = None, large: bool = False) -> str:
    """Import a zip, tar or folder in its publisher's layout, and return the dataset's name.

    Texts are brought into one form: no mark before UTF-8, lines that end in a newline. Nothing is
    kept unless every check passes and graphs can be made of the files. A dataset of the same name
    under the root is replaced, with everything that was computed from it, and only once the new one
    has passed.

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


def fetch(name: str, url: str, root: Path) -> None:
    """Download a dataset and import it under the root.

    Raises:
        SmixupError: naming the dataset, its URL and the import command, within a second if there is
            no network.
    """
    try:
        _download_and_import(name, url, root)
    except SmixupError as reason:
        raise SmixupError(
            f"{name} is not under {root} and could not be fetched from {url}: {reason} Download it "
            "elsewhere and run: smixup data import PATH."
        ) from reason


def fetch_unlisted(name: str, root: Path) -> str:
    """Download a dataset of the TU collection that is known by its publisher only, and return its
    name.
    """
    if not NAME.fullmatch(name):
        raise SmixupError(f"'{shown(name)}' cannot be the name of a dataset.")
    _download_and_import(name, tu_url(name), root)
    return name


def _install(path: Path, root: Path, expected: str | None = None, large: bool = False) -> str:
    """Import an archive; if a name is expected, another dataset is refused."""
    try:
        with working_folder(root) as folder:
            source = path
            if not path.is_dir():
                source = folder / "unpacked"
                unpack(path, source, is_wanted, large)
            layout = find_layout(source)
            if expected is not None and layout.name != expected:
                raise SmixupError(f"it holds {shown(layout.name)}, not {expected}.")
            layout.require()
            for file, target in layout.files().items():
                staged = folder / "staged" / target
                staged.parent.mkdir(parents=True, exist_ok=True)
                layout.copy(file, staged)
            layout.under(folder / "staged").load()
            swap_folder(folder / "staged" / layout.name, root / layout.name)
    except OSError as reason:
        place = shown(reason.filename, 300)
        raise SmixupError(f"{reason.strerror or reason} ({place}).") from reason
    return layout.name


@contextmanager
def working_folder(root: Path) -> Iterator[Path]:
    """Give a temporary folder on the same disk as the data, and leave nothing of it behind; sweep
    what killed imports left.
    """
    created = [folder for folder in (root, *root.parents) if not folder.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
        sweep(root)
        with unfinished_folder(root / IMPORT) as folder:
            yield folder
    except BaseException:
        for folder in created:
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        raise


def sweep(root: Path) -> None:
    """Remove what killed imports left under a data root, and put back a dataset that one of them
    had moved aside.
    """
    for path in list(root.glob(".*")) if root.is_dir() else ():
        with suppress(OSError):
            name, state = hidden_state(path.name)
            if state == OLD or name == IMPORT:
                sweep_leftovers(root / name)


# --- unpacking


@dataclass
class Unpacked:
    """Counts the bytes that come out of an archive of `packed` bytes; refuses what no dataset
    needs, unless it is `unlimited`.
    """

    packed: int
    unlimited: bool = False
    size: int = 0

    def add(self, size: int) -> None:
        """Count more bytes."""
        self.size += size
        most = min(UNPACKED, max(SMALL, RATIO * self.packed))
        if self.size > most and not self.unlimited:
            raise SmixupError(
                f"the archive has {in_words(self.packed)} and unpacks to {in_words(self.size)} or "
                "more: if you trust it, allow that by --large (in Python large=True)."
            )


def unpack(
    path: Path, target: Path, wanted: Callable[[str], bool] | None = None, large: bool = False
) -> None:
    """Unpack a zip or a tar, compressed or not, into `target`.

    Args:
        path: of the archive.
        target: a folder to be made.
        wanted: tells of the name of an entry whether it is; the others are passed over.
        large: allow any size.

    Raises:
        SmixupError: if it is neither, is damaged, is larger than it may be, or has an entry that is
            no plain file or lies outside of the target; what was unpacked until then is for the
            caller to remove.
    """
    target.mkdir(parents=True)
    count, accepts = Unpacked(path.stat().st_size, large), wanted or (lambda name: True)
    try:
        if zipfile.is_zipfile(path):
            _unpack_zip(path, target, accepts, count)
        else:
            _unpack_tar(path, target, accepts, count)
    except SmixupError:
        raise
    except DAMAGE as reason:
        words = str(reason) or type(reason).__name__
        raise SmixupError(f"the archive cannot be unpacked ({shown(words, 200)}).") from reason


def _unpack_zip(path: Path, target: Path, wanted: Callable[[str], bool], count: Unpacked) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        for place, entry in enumerate(entries):
            kind = stat.S_IFMT(entry.external_attr >> 16)
            # `filename` ends before a NUL, and `orig_filename` does not.
            _check(entry.orig_filename, kind in (0, stat.S_IFREG, stat.S_IFDIR), place)
        chosen = [entry for entry in entries if not entry.is_dir() and wanted(entry.filename)]
        for entry in chosen:
            count.add(entry.file_size)
        for entry in chosen:
            with archive.open(entry) as file:
                _write(file, target / entry.filename, entry.file_size)


def _unpack_tar(path: Path, target: Path, wanted: Callable[[str], bool], count: Unpacked) -> None:
    with path.open("rb") as file:
        first = file.read(6)
    open_ = next((call for mark, call in COMPRESSED.items() if first.startswith(mark)), open)
    with open_(path, "rb") as stream:  # type: ignore[call-arg]
        counted: Any = _Counted(stream, count)
        try:
            archive = tarfile.open(fileobj=counted, mode="r:")  # noqa: SIM115
        except tarfile.ReadError as reason:
            raise SmixupError(
                "it is neither a zip nor a tar archive, or it is damaged."
            ) from reason
        with archive:
            for place, entry in enumerate(archive):
                plain = (entry.isfile() or entry.isdir()) and not entry.issparse()
                _check(entry.name, plain, place)
                if entry.isfile() and wanted(entry.name):
                    content = archive.extractfile(entry)
                    assert content is not None
                    _write(content, target / entry.name, entry.size)


class _Counted:
    """What comes out of a compressed tar, counted as it is read, or passed over."""

    def __init__(self, stream: IO[bytes], count: Unpacked) -> None:
        self._stream, self._count, self.tell = stream, count, stream.tell

    def seek(self, place: int) -> int:
        while (ahead := place - self.tell()) > 0:
            if not self.read(min(ahead, BLOCK)):
                return self.tell()
        return self._stream.seek(place)

    def read(self, size: int) -> bytes:
        if size > HEADER:
            raise tarfile.ReadError("a header of it is longer than any name")
        content = self._stream.read(size)
        self._count.add(max(self.tell() - self._count.size, 0))
        return content


def _check(name: str, plain: bool, place: int) -> None:
    """Refuse an entry that is no plain file or folder inside of the target."""
    windows = PureWindowsPath(name)
    parts = {*windows.parts, *PurePosixPath(name).parts}
    if windows.drive or windows.root or ".." in parts or "\0" in name:
        raise SmixupError(f"the archive holds a path that leads outside: {shown(name)}.")
    if not name.strip("./\\"):
        raise SmixupError(f"the archive holds an entry without a name: '{shown(name)}'.")
    if not plain:
        raise SmixupError(f"the archive holds what is no plain file: {shown(name)}.")
    if place > ENTRIES:
        raise SmixupError(f"the archive holds more than {ENTRIES:,} entries.")


def _write(file: IO[bytes], target: Path, size: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as out:
        shutil.copyfileobj(file, out)
    if target.stat().st_size != size:
        raise EOFError("it is cut short")


# --- downloading


def is_reachable(url: str, seconds: float = REACH) -> bool:
    """Tell whether the host of a URL, or the proxy in front of it, takes connections."""
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    gate = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else parts
    port = gate.port or (443 if gate.scheme == "https" else 80)
    answered: list[bool] = []

    def knock() -> None:
        with suppress(OSError, UnicodeError):
            socket.create_connection((gate.hostname or "", port), seconds).close()
            answered.append(True)

    thread = Thread(target=knock, daemon=True)  # looking up a name knows no limit
    thread.start()
    thread.join(seconds)
    return bool(answered)


def _download_and_import(name: str, url: str, root: Path) -> None:
    if not is_reachable(url):
        raise SmixupError("the publisher cannot be reached.")
    with working_folder(root) as folder:
        _download(url, folder / "archive")
        _install(folder / "archive", root, expected=name)


def _download(url: str, target: Path) -> None:
    """Fetch a file within a time and a size, whole or not at all."""
    request = Request(url, headers={"User-Agent": "smixup", "Accept-Encoding": "identity"})
    end, size = time.monotonic() + SECONDS, 0
    try:
        with (
            build_opener(_Redirects).open(request, timeout=SILENCE) as answer,
            target.open("wb") as file,
        ):
            while block := answer.read1(BLOCK):
                size += file.write(block)
                if size > SIZE:
                    raise SmixupError(f"the publisher sends more than {in_words(SIZE)}.")
                if time.monotonic() > end:
                    raise TimeoutError
            if answer.headers.get("Content-Length") not in (None, str(size)):
                raise SmixupError("the download broke off.")
    except HTTPError as reason:
        reason.close()
        words = shown(reason.reason)
        raise SmixupError(f"the publisher answers {reason.code} ({words}).") from reason
    except TimeoutError as reason:
        raise SmixupError("the publisher does not answer in time.") from reason
    except (OSError, HTTPException, ValueError) as reason:
        words = shown(getattr(reason, "reason", reason), 200)
        raise SmixupError(f"the download broke off ({words}).") from reason


class _Redirects(HTTPRedirectHandler):
    """Follows servers that send elsewhere, but not from https to less."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        before, after = (urlsplit(address).scheme for address in (req.full_url, newurl))
        if after != "https" and (before == "https" or after != "http"):
            raise SmixupError(f"the publisher leads from {before} to {shown(after) or 'nowhere'}.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
