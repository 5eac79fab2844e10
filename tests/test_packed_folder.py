"""A folder of packed graphs can be told from any other, without torch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from smixup.errors import SmixupError
from smixup.graphs import Graphs, pack
from smixup.packed_folder import MANIFEST, digest_of, is_packed, read_manifest


def test_which_folders_are_packed(graphs: Graphs, tmp_path: Path) -> None:
    pack(graphs, tmp_path / "set")
    assert is_packed(tmp_path / "set")
    assert not is_packed(tmp_path)
    assert not is_packed("MOTIF")


def test_the_digest_is_that_of_the_content(graphs: Graphs, tmp_path: Path) -> None:
    others = (graphs.replace(x=graphs.x + 1), graphs[:6], graphs.replace(y=graphs.y.flip(1)))
    found = []
    for number, each in enumerate((graphs, graphs, *others)):
        pack(each, tmp_path / str(number))
        found.append(digest_of(str(tmp_path / str(number))))
    assert found[0] == found[1]
    assert len(set(found)) == 4
    assert digest_of("MOTIF") == ""


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match="holds no packed graphs"):
        read_manifest(tmp_path)
    for content in ("", "[]", "{}", json.dumps({"format": "another", "version": 1})):
        (tmp_path / MANIFEST).write_text(content)
        with pytest.raises(SmixupError, match="pack them again"):
            read_manifest(tmp_path)


def test_no_torch() -> None:
    code = "import sys, smixup.packed_folder; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
