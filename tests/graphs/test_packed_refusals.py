"""A packed set is whole, or it is said what is wrong; what cannot be packed is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from packed_kinds import attributed, soft, written
from torch_geometric.data import Data

from smixup import GraphMatcher, files
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, PackedWriter, open_packed, pack


def without_symmetric(manifest: dict[str, Any]) -> dict[str, Any]:
    adj = {name: value for name, value in manifest["adj"].items() if name != "symmetric"}
    return manifest | {"adj": adj}


def adj_with(**changes: object) -> Callable[[Any], Any]:
    return lambda manifest: manifest | {"adj": manifest["adj"] | changes}


# A column or the manifest, how it is spoilt, and what is said when the set is opened or read.
SPOILT: list[tuple[str, Callable[[Any], Any], str]] = [
    ("ptr", lambda ptr: ptr[[0, 2, 1, *range(3, len(ptr))]], "does not hold offsets"),
    ("ptr", lambda ptr: np.maximum(ptr, 1), "does not hold offsets"),
    ("ptr", lambda ptr: ptr / 2, "holds no whole numbers"),
    ("ptr", lambda ptr: ptr + (ptr > 0), r"x\.npy has the shape \[30, 3\]"),
    ("adj.column", lambda column: column + 0.5, r"adj\.column\.npy holds no whole numbers"),
    ("adj.column", lambda column: column + 100, r"adj\.column\.npy joins nodes that no graph has"),
    ("adj.column", lambda column: column + 1, r"adj\.column\.npy joins nodes that no graph has"),
    ("adj.column", lambda column: column - 1, r"adj\.column\.npy joins nodes that no graph has"),
    ("adj.count", lambda count: count.astype(float), r"adj\.count\.npy holds no whole numbers"),
    ("adj.count", lambda count: np.roll(count, 1), "joins nodes that no graph has"),
    ("x", lambda x: x[:-1], r"x\.npy has the shape"),
    ("x", lambda x: x[:, :, None], r"x\.npy has the shape"),
    ("x", lambda x: x.astype(complex), r"x\.npy: it holds no plain numbers"),
    ("y", lambda y: y + 1, r"y\.npy holds classes that there are not"),
    ("y", lambda y: y.astype(np.int64) - 2, r"y\.npy holds classes that there are not"),
    ("manifest", lambda told: told | {"graphs": -1}, r"ptr\.npy has the shape"),
    ("manifest", lambda told: told | {"classes": 2**31}, "classes is 2147483648"),
    ("manifest", lambda told: told | {"classes": "2"}, "classes is '2'"),
    ("manifest", lambda told: told | {"version": 99}, "another version of smixup"),
    ("manifest", lambda told: {"format": told["format"], "version": 1}, r"packed\.json"),
    ("manifest", without_symmetric, "KeyError.*symmetric"),
    ("manifest", adj_with(symmetric=3), "symmetric is 3"),
    ("manifest", adj_with(weight=7), r"packed\.json"),
    ("manifest", adj_with(weight=""), r"\.weight\.npy"),
]


def test_files_that_contradict_each_other_are_damage(graphs: Graphs, tmp_path: Path) -> None:
    for number, (name, change, message) in enumerate(SPOILT):
        folder = tmp_path / str(number)
        pack(graphs, folder)
        if name == "manifest":
            file = folder / "packed.json"
            file.write_text(json.dumps(change(json.loads(file.read_text()))))
        else:
            np.save(folder / f"{name}.npy", change(np.load(folder / f"{name}.npy")))
        with pytest.raises(SmixupError, match=f"{message}.*pack them again"):
            open_packed(folder)[:]


@pytest.mark.parametrize("file", ["x.npy", "adj.column.npy", "y.npy", "adj.weight.npy", "p"])
def test_a_file_that_is_cut_short_or_missing(graphs: Graphs, tmp_path: Path, file: str) -> None:
    pack(graphs, tmp_path / "set")
    path = tmp_path / "set" / ("packed.json" if file == "p" else file)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(SmixupError, match=f"{path.name}.*pack them again"):
        open_packed(tmp_path / "set")
    path.unlink()
    with pytest.raises(
        SmixupError, match=rf"{path.name}.*pack them again|there is no packed\.json"
    ):
        open_packed(tmp_path / "set")


def test_a_full_disk_is_told_in_one_sentence_and_leaves_nothing(
    graphs: Graphs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for place in ((PackedWriter, "_append"), (files, "swap_folder")):
        with (
            pytest.raises(SmixupError, match=r"cannot write packed graphs to .*: No space left"),
            monkeypatch.context() as patch,
        ):
            patch.setattr(*place, full)
            pack(graphs, tmp_path / "set")
        assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_packed_or_selected_is_refused(graphs: Graphs, tmp_path: Path) -> None:
    whole, rich = pack(graphs, tmp_path / "set"), attributed(graphs)
    narrow = rich.replace(edge_attrs=rich.edge_attrs | {"bond": rich.edge_attrs["bond"][:, :1]})
    coded = [Data(torch.tensor([[2], [0]]), torch.tensor([[0], [1]]), y=torch.tensor([0]))]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("...")
    (tmp_path / "file").write_text("")
    new = tmp_path / "new"

    def with_x(dtype: torch.dtype) -> Graphs:
        return graphs.replace(x=graphs.x.to(dtype))

    written_cases = [
        (
            (graphs, graphs.replace(x=graphs.x[:, :2])),
            r"'x' is .*\[2\] in some .*\[3\] in those before",
        ),
        ((graphs, with_x(torch.uint8)), r"'x' is torch.uint8 of .* make them alike"),
        ((rich, graphs), r"'bond' is missing in some graphs and torch.float32 of"),
        ((rich, narrow), r"'bond' is .* make them alike"),
        (
            (soft(graphs), soft(graphs).replace(y=graphs.y[:, :1])),
            "targets have 1 to 2",
        ),
        ((graphs, graphs.replace(has_classes=False)), "'y' is 2 values in some graphs and classes"),
        ((graphs.replace(degree_encoding=torch.sqrt),), "made of degrees"),
        ((with_x(torch.bfloat16),), "'x' is torch.bfloat16"),
        ((with_x(torch.cfloat),), "'x' is torch.complex64, which cannot be packed"),
        ((), "there are no graphs to pack"),
    ]
    for parts, message in written_cases:
        with pytest.raises(SmixupError, match=message):
            written(new, *parts)
        assert not new.exists()
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: pack([], new), "no graphs to pack"),
        (lambda: pack(coded, new), "encode"),
        (lambda: pack(coded, new, encode="one-hot"), "say how many values"),
        (lambda: pack(3, new), "not int"),  # type: ignore[arg-type]
        (lambda: pack(graphs, tmp_path / "mine"), "exists and holds no packed graphs"),
        (lambda: pack(graphs, tmp_path / "file" / "set"), "cannot write packed graphs"),
        (lambda: open_packed(tmp_path / "mine"), r"holds no packed graphs: there is no packed\.j"),
        (lambda: GraphMatcher().fit(whole), "graphs in memory are needed"),  # type: ignore[arg-type]
        (lambda: pack(graphs.replace(has_classes=False), new).labels, "the targets are values"),
    ]
    for call, message in calls:
        with pytest.raises(SmixupError, match=message):
            call()
    assert issubclass(UsageError, SmixupError)
    assert (tmp_path / "mine" / "thesis.tex").is_file()
    for index in ([7], [-8]):
        for select in (whole.__getitem__, whole.subset):
            with pytest.raises(IndexError, match=r"outside of 0 to 6"):
                select(index)
    for wrong in ([0.5], torch.tensor([True, False]), [[0, 1]], 3):
        with pytest.raises(TypeError, match="are selected by"):
            whole[wrong]  # type: ignore[index]
