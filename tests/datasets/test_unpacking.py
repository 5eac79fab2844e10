"""Archives are unpacked inside the target or refused."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from smixup.datasets.unpacking import unpack
from smixup.errors import SmixupError

HOSTILE = [
    "../out.txt",
    "/etc/out.txt",
    "a/../../out.txt",
    "..\\out.txt",
    "C:\\out.txt",
    "\\\\host\\out.txt",
]


def make_zip(path: Path, entries: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return path


def make_tar(path: Path, entries: list[tarfile.TarInfo], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for entry in entries:
            archive.addfile(entry, io.BytesIO(b"x" * entry.size))
    return path


def entry(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, "/etc/passwd"
    return info


def test_zip_with_folders(tmp_path: Path) -> None:
    unpack(
        make_zip(tmp_path / "a.zip", {"d/": "", "d/e/f.txt": "text", "g.txt": "more"}),
        tmp_path / "out",
    )
    assert (tmp_path / "out/d/e/f.txt").read_text() == "text"
    assert (tmp_path / "out/g.txt").read_text() == "more"


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar_however_compressed(tmp_path: Path, mode: str) -> None:
    path = make_tar(
        tmp_path / "a.tar", [entry("d", tarfile.DIRTYPE), entry("d/f.txt", size=3)], mode
    )
    unpack(path, tmp_path / "out")
    assert (tmp_path / "out/d/f.txt").read_text() == "xxx"


@pytest.mark.parametrize("name", HOSTILE)
def test_paths_that_lead_outside(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    for path in (
        make_zip(tmp_path / "a.zip", {"ok.txt": "", name: "x"}),
        make_tar(tmp_path / "a.tgz", [entry(name)]),
    ):
        with pytest.raises(SmixupError, match="leads outside"):
            unpack(path, inner / path.stem / path.suffix)
    assert not list(tmp_path.rglob("*out.txt"))


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices_in_a_tar(tmp_path: Path, kind: bytes) -> None:
    with pytest.raises(SmixupError, match="link or a device: bad"):
        unpack(make_tar(tmp_path / "a.tar", [entry("bad", kind)]), tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_symbolic_links_in_a_zip(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("bad")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(SmixupError, match="link or a device: bad"):
        unpack(tmp_path / "a.zip", tmp_path / "out")


def test_truncated_archives(tmp_path: Path) -> None:
    text = "".join(f"{i * i}\n" for i in range(5000))
    whole = make_zip(tmp_path / "a.zip", {"a.txt": text, "b.txt": text}).read_bytes()
    (tmp_path / "short.zip").write_bytes(whole[: len(whole) // 2])
    tar = make_tar(tmp_path / "a.tar", [entry("a.txt", size=5000)], "w").read_bytes()
    (tmp_path / "short.tar").write_bytes(tar[:3000])
    (tmp_path / "short.tgz").write_bytes(
        make_tar(tmp_path / "a.tgz", [entry("a", size=10**6)]).read_bytes()[:600]
    )
    for name in ("short.zip", "short.tar", "short.tgz"):
        with pytest.raises(SmixupError, match=r"damaged|cannot be unpacked"):
            unpack(tmp_path / name, tmp_path / "out" / name)


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.txt": "".join(f"{i * i}\n" for i in range(5000))})
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(SmixupError, match="cannot be unpacked"):
        unpack(path, tmp_path / "out")


def test_something_else_altogether(tmp_path: Path) -> None:
    for content in (b"", b"not an archive", bytes(range(256)) * 10):
        (tmp_path / "a.zip").write_bytes(content)
        with pytest.raises(SmixupError, match="neither a zip nor a tar"):
            unpack(tmp_path / "a.zip", tmp_path / f"out{len(content)}")


def test_more_than_the_disk_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_zip(tmp_path / "bomb.zip", {"a.txt": "0" * 10**6})
    monkeypatch.setattr(
        "smixup.datasets.unpacking.shutil.disk_usage", lambda _: type("Usage", (), {"free": 10**5})
    )
    with pytest.raises(SmixupError, match="1,000,000 bytes"):
        unpack(path, tmp_path / "out")


def test_the_same_file_twice(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "a.tar", [entry("a.txt", size=1), entry("a.txt", size=2)])
    with pytest.raises(SmixupError, match="cannot be unpacked"):
        unpack(path, tmp_path / "out")


def test_a_folder_of_a_zip_that_has_another_name_in_its_own_place_is_refused(
    tmp_path: Path,
) -> None:
    """Its list calls a file `d/` and something behind a NUL: no file would come of it."""
    path = make_zip(tmp_path / "a.zip", {"d/_long.txt": "text", "g.txt": "more"})
    first, _, rest = path.read_bytes().partition(b"PK\1\2")
    path.write_bytes(first + b"PK\1\2" + rest.replace(b"d/_long.txt", b"d/\0long.txt"))
    with pytest.raises(SmixupError, match="leads outside"):
        unpack(path, tmp_path / "out")
    path.write_bytes(first + b"PK\1\2" + rest.replace(b"d/_long.txt", b"d/_long.tx/"))
    with pytest.raises(SmixupError, match=r"cannot be unpacked .*differ"):
        unpack(path, tmp_path / "two")


@pytest.mark.parametrize("kind", ["old GNU", "pax 1.0"])
def test_a_file_with_holes_is_refused_before_it_is_written(tmp_path: Path, kind: str) -> None:
    """Ten kilobytes that would be two gigabytes of zeros."""
    path, hollow = tmp_path / "a.tar", tarfile.TarInfo("T/T_A.txt")
    if kind == "old GNU":
        hollow.type, hollow.size = tarfile.GNUTYPE_SPARSE, 512
        block = bytearray(hollow.tobuf(tarfile.GNU_FORMAT))
        block[386:410] = b"%011o\0%011o\0" % (2**31 - 512, 512)  # where its only part lies
        block[483:495] = b"%011o\0" % 2**31
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
        path.write_bytes(bytes(block) + bytes(512) + bytes(1024))
    else:
        hollow.pax_headers = {
            "GNU.sparse.major": "1",
            "GNU.sparse.minor": "0",
            "GNU.sparse.name": "T/T_A.txt",
            "GNU.sparse.realsize": str(2**31),
        }
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
            hollow.size = 512
            archive.addfile(hollow, io.BytesIO(b"0\n".ljust(512, b"\0")))
    with pytest.raises(SmixupError, match=r"holds a file with holes: T/T_A\.txt"):
        unpack(path, tmp_path / "out")
    assert not any(each.is_file() for each in (tmp_path / "out").rglob("*"))


def test_headers_that_make_no_sense_are_one_sentence(tmp_path: Path) -> None:
    odd = entry("T/T_A.txt", size=3)
    odd.pax_headers = {"GNU.sparse.size": "nan"}
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(odd, io.BytesIO(b"1\n2"))
    with pytest.raises(SmixupError, match=r"the archive (cannot be|holds a file with holes)"):
        unpack(path, tmp_path / "out")
    nameless = zipfile.ZipInfo("x")
    nameless.filename = ""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive_of_one:
        archive_of_one.writestr(nameless, "1")
    with pytest.raises(SmixupError, match="an entry without a name"):
        unpack(tmp_path / "a.zip", tmp_path / "two")
