"""Zip and tar archives: bytes, entries and headers of them are damaged."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from ..harness import Malformed
from ..mutators import Files, raw
from .tu_files import TUFiles, good_sets, imported, plain_tu

NAMES = (
    *(
        "../x",
        "/x",
        "C:\\x",
        "",
        ".",
        "/",
        "x/../../y",
        "T/x.bin",
        "._T_A.txt",
        "T/T_A.txt",
        "a\0b",
    ),
    *("n" * 300, "T/" * 40 + "x", "\x1b[31m", "__MACOSX/T_A.txt", "T\\T_A.txt", "x/"),
)
KINDS = (
    tarfile.SYMTYPE,
    tarfile.LNKTYPE,
    tarfile.FIFOTYPE,
    tarfile.CHRTYPE,
    b"S",
    b"x",
    b"L",
    b"Z",
)
PAX = ("GNU.sparse.size", "GNU.sparse.map", "GNU.sparse.major", "size", "path", "linkpath", "mtime")
VALUES = ("nan", "-1", "x", "1,2", str(2**70), "0", "../x", "")


class Archives(TUFiles):
    name = "archives"

    def good(self) -> Sequence[Files]:
        sets = [
            {f"T/T_{part}.txt": text.encode() for part, text in each.items()}
            for each in good_sets()
        ]
        made = []
        for each in sets[:3]:
            made += [{"a.zip": zipped(each)}, {"a.tar": tarred(each, "w")}]
        return [*made, {"a.tar": tarred(sets[0], "w:gz")}, {"a.tar": tarred(sets[0], "w:xz")}]

    def damage(self, random: Random, files: Files) -> Files:
        ((name, content),) = files.items()
        if random.random() < 0.55:
            for _ in range(random.choice((1, 1, 2, 4))):
                content = raw(random, content)
            return {name: content}
        sets = random.choice(good_sets())
        entries = {f"T/T_{part}.txt": text.encode() for part, text in sets.items()}
        odd = random.choice((lambda: odd_zip(random, entries), lambda: odd_tar(random, entries)))()
        return {"a.bin": raw(random, odd) if random.random() < 0.2 else odd}

    def read(self, folder: Path) -> Any:
        (path,) = folder.iterdir()
        return imported(path, self.work / "root")

    def plain(self, files: Files) -> Any:
        (content,) = files.values()
        try:
            entries = entries_of(content)
        except Exception as reason:
            raise Malformed(repr(reason)) from reason
        wanted = {name: content for name, content in entries.items() if not _is_by_product(name)}
        return plain_tu(wanted)


def _is_by_product(name: str) -> bool:
    """Nobody unpacks what an operating system adds, so that it may be damaged."""
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def entries_of(content: bytes) -> Files:
    """Read all entries of an archive by Python's own modules, without a look at their names."""
    stream = io.BytesIO(content)
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as archive:
            for each in archive.infolist():
                archive.open(each).close()
            texts = (each for each in archive.infolist() if each.filename.endswith(".txt"))
            wanted = (each for each in texts if not _is_by_product(each.filename))
            return {each.filename: archive.read(each) for each in wanted}
    stream.seek(0)
    with tarfile.open(fileobj=stream) as archive:
        files = ((each.name, archive.extractfile(each)) for each in archive.getmembers())
        return {name: file.read() for name, file in files if file is not None}


def zipped(entries: Files) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def tarred(entries: Files, mode: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def odd_zip(random: Random, entries: Files) -> bytes:
    """Return a zip with an odd entry: its name, kind, size or method."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
        odd = zipfile.ZipInfo("x")
        odd.filename = random.choice(NAMES)
        odd.external_attr = random.choice((0, 0, 0o120777 << 16, 0o010644 << 16, 0o020644 << 16))
        content = random.choice((b"", b"x", bytes(1 << 20), b"1, 2\n" * 1000))
        archive.writestr(odd, content, random.choice((0, 8, 12, 14)))
        if random.random() < 0.4:
            entry = random.choice(archive.infolist())
            entry.file_size = random.choice((0, 1, 2**31, 2**40))
    return stream.getvalue()


def odd_tar(random: Random, entries: Files) -> bytes:
    """Return a tar with an odd entry: its name, kind, size or further headers."""
    stream = io.BytesIO()
    mode = random.choice(("w", "w", "w:gz", "w:bz2"))
    form = random.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT))
    with tarfile.open(fileobj=stream, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, content in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        odd = tarfile.TarInfo(random.choice((*NAMES, "T/T_A.txt", "T/x.bin"))[:90])
        odd.type = random.choice((tarfile.REGTYPE, tarfile.DIRTYPE, *KINDS))
        odd.linkname = "/etc/passwd"
        if form == tarfile.PAX_FORMAT:
            odd.pax_headers = {random.choice(PAX): random.choice(VALUES)}
        content = random.choice((b"", b"x", b"1, 2\n" * 1000, bytes(1 << 20)))
        odd.size = random.choice((len(content), len(content), 0, 2**33, 2**40))
        archive.addfile(odd, io.BytesIO(content) if odd.size <= len(content) else None)
    return stream.getvalue()
