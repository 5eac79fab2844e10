"""Matrices in files of NumPy and of text; whatever else is in them is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from correlations import correlations, dense

from smixup.datasets.readers.matrices import read_matrices
from smixup.datasets.readers.matrix_files import matrix_files, open_stack, stack_of_arrays
from smixup.errors import SmixupError


@pytest.mark.parametrize("ending", ["npy", "csv"])
def test_a_folder_of_one_file_each(tmp_path: Path, ending: str) -> None:
    for place, matrix in enumerate(correlations(3)):
        path = tmp_path / f"sub-{place}.{ending}"
        np.save(path, matrix) if ending == "npy" else np.savetxt(path, matrix, delimiter=",")
    (tmp_path / "labels.csv").write_text("file,group\nsub-2,p\nsub-0,c\nsub-1,p\n")
    found = read_matrices(tmp_path)
    assert found.graphs.labels.tolist() == [0, 1, 1]
    assert np.allclose(dense(found.graphs, 1) + np.eye(5), correlations(3)[1], atol=1e-6)
    assert found.table["file"] == ("sub-0", "sub-1", "sub-2")


def test_text_may_name_rows_and_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",left,right\nleft,1,-0.5\nright,-0.5,1\n")
    (tmp_path / "b.csv").write_text(",left,right\nleft,1,0.5\nright,0.5,1\n")
    (tmp_path / "labels.csv").write_text("file,y\na,0\nb,1\n")
    found = read_matrices(tmp_path)
    assert dense(found.graphs, 0).tolist() == [[0, -0.5], [-0.5, 0]]
    assert found.reading is not None and found.reading.vocabulary["regions"] == ["left", "right"]
    (tmp_path / "b.csv").write_text(",right,left\nleft,1,0.5\nright,0.5,1\n")
    with pytest.raises(SmixupError, match=r"b.csv names other columns than a.csv"):
        read_matrices(tmp_path)


class Planted:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("/tmp/smixup-planted"),))


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_objects_are_never_read(ending: str, tmp_path: Path) -> None:
    path, mark = tmp_path / f"a.{ending}", Path("/tmp/smixup-planted")
    if ending == "npy":
        path.write_bytes(pickle.dumps(Planted()))
    else:
        np.savez(path, a=correlations(2), y=np.array([Planted(), Planted()], dtype=object))
    with pytest.raises(
        SmixupError, match=f"a.{ending} holds Python objects, or is no file of NumPy"
    ):
        read_matrices(path)
    assert not mark.exists()


TEXTS = {
    "a word": ("1,0.5\nx,1\n0,0\n", "'x' in line 2, column 1 of a.csv is no number"),
    "ten as Python writes it": ("1,0.5\n1_0,1\n", "'1_0' in line 2, column 1 of a.csv is no"),
    "a line too short": (
        "1,2,3\n1,2\n1,2,3\n",
        "line 2 of a.csv has 2 cells, where the last has 3",
    ),
    "nothing": ("\n", "a.csv is empty"),
    "a line too short, and a word": (
        "1,2,3\n1,x\n1,2,3\n",
        "line 2 of a.csv has 2 cells, where the last has 3",
    ),
    "not square": ("1,2\n3,4\n5,6\n", r"a.csv has the shape \[3, 2\]"),
}


@pytest.mark.parametrize("case", TEXTS)
def test_broken_text_is_refused_with_its_place(case: str, tmp_path: Path) -> None:
    text, told = TEXTS[case]
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "b.csv").write_text(text)
    (tmp_path / "labels.csv").write_text("file,y\na,0\nb,1\n")
    with pytest.raises(SmixupError, match=told):
        read_matrices(tmp_path)


def test_files_that_are_no_matrices_are_told(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("file,y\na,0\n")
    with pytest.raises(SmixupError, match=r"holds no matrices \(.npy, .npz or .csv\)"):
        read_matrices(tmp_path)
    np.savez(tmp_path / "a.npz", a=correlations(2))
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(SmixupError, match=r"a.npy is no .npy file, but several arrays"):
        read_matrices(tmp_path)
    (tmp_path / "a.npy").unlink()
    (tmp_path / "a.csv").write_bytes(b"1,0\n0,1\xff\n")
    with pytest.raises(SmixupError, match=r"a.csv .*UTF-8"):
        read_matrices(tmp_path)


def test_a_stack_along_its_last_axis_is_told(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", m=np.moveaxis(correlations(3), 0, -1), y=[0, 1, 0])
    with pytest.raises(SmixupError, match=r"\[5, 5, 3\].* save np\.moveaxis\(m, -1, 0\)"):
        read_matrices(tmp_path / "a.npz")


def test_files_that_hold_nothing_or_objects_are_told(tmp_path: Path) -> None:
    for name in ("a.npy", "a.npz"):
        (tmp_path / name).touch()
        with pytest.raises(SmixupError, match=f"{name} is empty: save the matrices again"):
            read_matrices(tmp_path / name)
    (tmp_path / "a.npz").write_bytes(b"PK..")
    with pytest.raises(SmixupError, match=r"a\.npz is damaged, or not written by np\.savez"):
        read_matrices(tmp_path / "a.npz")
    objects = np.empty(2, object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    with pytest.raises(SmixupError, match=r"a\.npy holds Python objects"):
        read_matrices(tmp_path / "a.npy")


def test_a_gap_in_the_first_line_is_no_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0,1\n1,0\n")
    (tmp_path / "b.csv").write_text("0,\n1,0\n")
    (tmp_path / "labels.csv").write_text("file,y\na,0\nb,1\n")
    with pytest.raises(SmixupError, match=r"'' in line 1, column 2 of b.csv is no number"):
        read_matrices(tmp_path)


def test_the_same_matrices_are_found_in_every_kind_of_file(tmp_path: Path) -> None:
    given = correlations(3)
    places = {name: tmp_path / name for name in ("npy", "npz", "csv", "one")}
    for place in places.values():
        place.mkdir()
    np.save(places["one"] / "all.npy", given)
    np.savez(places["npz"] / "all.npz", all=given)
    for number, matrix in enumerate(given):
        np.save(places["npy"] / f"{number}.npy", matrix)
        np.savetxt(places["csv"] / f"{number}.csv", matrix, delimiter=";", fmt="%.17g")
    for kind, place in places.items():
        stack = open_stack(place if kind != "npz" else place / "all.npz", None)
        assert np.array_equal(np.stack(stack.matrices), given), kind
    assert open_stack(places["npy"], None).names == ("0.npy", "1.npy", "2.npy")
    assert open_stack(places["one"], None).name(2) == "matrix 2"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
def test_names_of_rows_and_columns_are_told_from_numbers(delimiter: str, tmp_path: Path) -> None:
    rows = [["left", "right"], ["1", "-.5"], ["-5e-1", "nan"]]
    named = [["", *rows[0]], ["left", *rows[1]], ["right", *rows[2]]]
    tables = [rows[1:], rows, named] if delimiter != " " else [rows[1:], rows]
    for table in tables:
        (tmp_path / "a.csv").write_text("\n".join(delimiter.join(row) for row in table) + "\n")
        stack = open_stack(tmp_path, None)
        assert stack.regions == (() if table is tables[0] else ("left", "right"))
        expected = np.array([[1, -0.5], [-0.5, np.nan]])
        assert np.array_equal(stack.matrices[0], expected, equal_nan=True)


def test_tables_and_hidden_files_are_no_matrices(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "labels.csv", ".hidden.csv", "readme.txt"):
        (tmp_path / name).write_text("1\n")
    assert [path.name for path in matrix_files(tmp_path)] == ["a.csv", "b.csv"]


def test_arrays_beside_the_matrices_are_told_apart() -> None:
    arrays = {"a": correlations(2), "x": np.ones((2, 5, 1)), "names": np.array(["p", "q"])}
    stack = stack_of_arrays(arrays | {"more": np.ones(3)}, "the file", None)
    assert stack.names == ("p", "q")
    assert stack.name(1) == "q"
    assert stack.beside.keys() == {"x", "names"}
    assert stack.notes == ("the array 'more' of the file is not used.",)
    chosen = stack_of_arrays(arrays | {"b": np.zeros((2, 3, 3))}, "the file", "b")
    assert chosen.matrices[0].shape == (3, 3)
    assert chosen.notes == ("the array 'a' of the file is not used.",)


@pytest.mark.parametrize(
    ("arrays", "array", "told"),
    [
        ({}, None, r"it holds nothing: one array of shape \[graphs, nodes, nodes\] is needed"),
        ({"a": np.ones((2, 2))}, "a", r"'a' of it has the shape \[2, 2\], where \[graphs, nodes"),
        ({"a": np.ones((2, 2, 2)), "names": np.array("p")}, None, r"'names' of it has the shape"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    arrays: dict[str, np.ndarray], array: str | None, told: str
) -> None:
    with pytest.raises(SmixupError, match=told):
        stack_of_arrays(arrays, "it", array)
