"""The files of a set are whole, and stay those that were opened, or it is said what is wrong."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packed_kinds import assert_identical

from smixup.errors import SmixupError
from smixup.graphs import Graphs, open_packed, pack


def test_another_process_opens_the_files_itself(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set").subset([3, 1])
    _ = packed[:]
    sent = pickle.dumps(packed)
    assert len(sent) < 2000
    assert_identical(pickle.loads(sent)[:], graphs[[3, 1]])


def test_a_set_that_is_replaced_stays_what_it_was(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set")
    sent = pickle.dumps(packed)
    pack(graphs[:2], tmp_path / "set")
    assert_identical(packed[:], graphs)
    with pytest.raises(SmixupError, match="were replaced while they were in use"):
        pickle.loads(sent)


def test_it_is_found_from_another_folder(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    packed = pack(graphs, "set")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert_identical(pickle.loads(pickle.dumps(packed))[:], graphs)


def test_no_packed_set(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"holds no packed graphs: there is no packed\.json"):
        open_packed(tmp_path)


@pytest.mark.parametrize("file", ["x.npy", "adj.column.npy", "y.npy", "ptr.npy", "adj.weight.npy"])
def test_a_file_that_is_cut_short_or_missing(graphs: Graphs, tmp_path: Path, file: str) -> None:
    pack(graphs, tmp_path / "set")
    path = tmp_path / "set" / file
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(SmixupError, match=f"{file}.*pack them again"):
        open_packed(tmp_path / "set")
    path.unlink()
    with pytest.raises(SmixupError, match=f"{file}.*pack them again"):
        open_packed(tmp_path / "set")


def test_a_manifest_of_another_version_or_none(graphs: Graphs, tmp_path: Path) -> None:
    pack(graphs, tmp_path / "set")
    path = tmp_path / "set" / "packed.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
    with pytest.raises(SmixupError, match="another version of smixup: pack them again"):
        open_packed(tmp_path / "set")
    path.write_text(json.dumps({"format": "smixup packed graphs", "version": 1}))
    with pytest.raises(SmixupError, match=r"packed\.json.*pack them again"):
        open_packed(tmp_path / "set")
    path.write_text("{")
    with pytest.raises(SmixupError, match=r"packed\.json.*pack them again"):
        open_packed(tmp_path / "set")


def spoilt(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    if name == "manifest":
        (path,) = folder.glob("*.json")
        path.write_text(json.dumps(change(json.loads(path.read_text()))))
    else:
        np.save(folder / f"{name}.npy", change(np.load(folder / f"{name}.npy")))


SPOILT: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "offsets that go down": (
        "ptr",
        lambda ptr: ptr[[0, 2, 1, *range(3, len(ptr))]],
        "hold offsets",
    ),
    "offsets that begin late": ("ptr", lambda ptr: np.maximum(ptr, 1), "does not hold offsets"),
    "offsets that are no integers": ("ptr", lambda ptr: ptr / 2, "does not hold offsets"),
    "ends of edges that are no integers": (
        "adj.column",
        lambda column: column + 0.5,
        r"adj\.column\.npy holds no whole numbers",
    ),
    "numbers of edges that are no integers": (
        "adj.count",
        lambda count: count.astype(float),
        r"adj\.count\.npy holds no whole numbers",
    ),
    "another number of nodes": ("ptr", lambda ptr: ptr + (ptr > 0), "number of nodes differ"),
    "a row too few": ("x", lambda x: x[:-1], r"x\.npy has the shape"),
    "a dimension too many": ("x", lambda x: x[:, :, None], r"x\.npy has the shape"),
    "fewer graphs than none": ("manifest", lambda told: told | {"graphs": -1}, "graphs is -1"),
    "classes without end": (
        "manifest",
        lambda told: told | {"classes": 2**31},
        "classes is 2147483648",
    ),
    "classes that are text": ("manifest", lambda told: told | {"classes": "2"}, "classes is '2'"),
    "symmetry that is not told": (
        "manifest",
        lambda told: told | {"adj": {k: v for k, v in told["adj"].items() if k != "symmetric"}},
        "KeyError.*symmetric",
    ),
    "symmetry that is a number": (
        "manifest",
        lambda told: told | {"adj": told["adj"] | {"symmetric": 3}},
        "symmetric is 3",
    ),
    "a weight that is a number": (
        "manifest",
        lambda told: told | {"adj": told["adj"] | {"weight": 7}},
        "weight is 7",
    ),
}


@pytest.mark.parametrize("case", SPOILT)
def test_columns_that_contradict_the_manifest(case: str, graphs: Graphs, tmp_path: Path) -> None:
    name, change, words = SPOILT[case]
    pack(graphs, tmp_path / "set")
    spoilt(tmp_path / "set", name, change)
    with pytest.raises(SmixupError, match=words):
        open_packed(tmp_path / "set")
