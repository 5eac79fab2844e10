"""An import keeps a whole checked dataset, or nothing; archives are unpacked inside or refused."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import zipfile
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request
from urllib.response import addinfourl

import numpy as np
import pytest

from smixup.datasets import load_dataset, sources
from smixup.datasets.catalogue import data_fingerprint
from smixup.datasets.sources import fetch, import_archive, unpack
from smixup.datasets.tables import read_integers, read_table
from smixup.datasets.tu import tu_dataset
from smixup.errors import SmixupError, UsageError
from smixup.memory import set_budget


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_every_kind_of_archive(tiny: Path, root: Path, tmp_path: Path, kind: str) -> None:
    (tiny / "setup.sh").write_text("rm")
    path = tiny
    if kind != "folder":
        path = Path(shutil.make_archive(str(tmp_path / "TINY"), kind, tiny.parent, "TINY"))
    assert import_archive(path, root) == "TINY"
    kept = sorted(each.name for each in root.rglob("*") if each.is_file())
    assert kept == sorted(each.name for each in tiny.glob("TINY_*.txt")), "files of the layout"
    assert len(tu_dataset("TINY", root).graphs) == 3
    assert import_archive(root / "TINY", root) == "TINY", "from its own place"


def test_importing_again_replaces_the_set_and_a_refusal_leaves_it(
    make_tu: Callable[..., Path], root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert data_fingerprint("TINY", root) == "", "nothing is there"
    import_archive(make_tu(), root)
    first = data_fingerprint("TINY", root)
    assert len(first) == 16
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    (tmp_path / "TINY.zip").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(SmixupError, match=r"TINY\.zip was not imported: .*cannot be read"):
        import_archive(tmp_path / "TINY.zip", root)

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device", str(target))

    other = make_tu(graph_labels="0\n1\n2\n")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", full)
        with pytest.raises(SmixupError, match="No space left on device"):
            import_archive(other, root)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    assert tu_dataset("TINY", root).graphs.labels.tolist() == [1, 0, 1]
    import_archive(other, root)
    assert tu_dataset("TINY", root).graphs.labels.tolist() == [0, 1, 2]
    assert data_fingerprint("TINY", root) not in ("", first)


def test_a_root_that_cannot_be(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    for path, target, words in (
        (tiny, tmp_path / "file" / "root", "was not imported"),
        (tmp_path / "absent.zip", tmp_path / "root", "no file or folder"),
        (tmp_path / "pipe", tmp_path / "root", "no file or folder"),
    ):
        with pytest.raises(SmixupError, match=words):
            import_archive(path, target)
    assert not (tmp_path / "root").exists()


def make_zip(path: Path, entries: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return path


def test_nothing_is_unpacked_outside(tmp_path: Path) -> None:
    for number, name in enumerate(["../out.txt", "/etc/out.txt", "a/../../out.txt"]):
        inner = tmp_path / str(number)
        unpack(make_zip(tmp_path / "a.zip", {"ok.txt": "", name: "x"}), inner)
        assert len(list(inner.rglob("*.txt"))) == 2
    assert len(list(tmp_path.rglob("*out.txt"))) == 3


def test_bombs_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = make_zip(tmp_path / "a.zip", {"a.txt": "x" * 1000, "b.txt": "x"})
    monkeypatch.setattr("smixup.datasets.sources.LARGEST", 1000)
    with pytest.raises(SmixupError, match=r"a\.zip would unpack to 1,001 bytes"):
        unpack(bomb, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_what_does_not_fit_into_memory_is_refused(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "m.npz", matrices=np.zeros((100, 200, 200)), y=np.zeros(100))
    table = tmp_path / "a.csv.gz"
    table.write_bytes(gzip.compress(b"1,2\n" * 10**6, 1))
    reads = [(table, read_integers), (table, read_table)]
    reads += [(tmp_path / "m.npz", load_dataset)]
    set_budget("1MB")
    try:
        for path, read in reads:
            with pytest.raises(SmixupError, match=f"{path.name}.* needs about .* of memory"):
                read(path)
    finally:
        set_budget(None)


def test_a_set_that_a_killed_import_moved_aside_is_found(tiny: Path, root: Path) -> None:
    import_archive(tiny, root)
    (root / "TINY").rename(root / ".TINY.old")
    assert len(load_dataset("TINY", root).graphs) == 3


def test_a_dataset_is_fetched_by_its_name_once(
    tiny: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: dict[str, bytes] = {}

    def urlopen(request: Request, timeout: float) -> addinfourl:
        name = request.full_url.removeprefix("https://www.chrsmrrs.com/graphkerneldatasets/")
        if name not in answers:
            raise HTTPError(request.full_url, 404, "Not Found", Message(), None)
        return addinfourl(io.BytesIO(answers[name]), Message(), request.full_url)

    monkeypatch.setattr(sources, "urlopen", urlopen)
    path = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tiny.parent, "TINY"))
    content = path.read_bytes()
    answers["TINY.zip"] = content[:-50]
    with pytest.raises(SmixupError, match=r"Is it a whole zip.*smixup data import PATH"):
        fetch("TINY", root)
    assert not root.exists()
    answers["TINY.zip"] = content
    assert len(load_dataset("TINY", root).graphs) == 3
    answers.clear()
    assert len(load_dataset("tiny", root).graphs) == 3, "in any case, and without the network"
    words = r"unknown dataset 'NCI2'\. Did you mean 'NCI1'\?.*404.*smixup data import"
    with pytest.raises(UsageError, match=words):
        load_dataset("NCI2", root)
