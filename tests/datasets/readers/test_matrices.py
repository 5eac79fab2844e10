"""Matrices become graphs on the same nodes, weights of both signs among them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from smixup import Identity, SMixup
from smixup.classifiers import GCN, GIN
from smixup.datasets.readers.matrices import read_matrices
from smixup.datasets.readers.matrix_files import stack_of_arrays
from smixup.errors import SmixupError, UsageError


def correlations(graphs: int = 6, nodes: int = 5, seed: int = 0) -> np.ndarray:
    """Correlations of random signals, in double precision; their diagonal is one."""
    random = np.random.default_rng(seed)
    return np.stack([np.corrcoef(random.normal(size=(nodes, 9))) for _ in range(graphs)])


def dense(graphs: Any, place: int) -> np.ndarray:
    one = graphs[[place]]
    return (one.adj @ torch.eye(one.num_nodes)).numpy()


@pytest.fixture
def stack(tmp_path: Path) -> Path:
    np.savez(tmp_path / "brains.npz", matrices=correlations(), y=np.array(["a", "b"] * 3))
    return tmp_path / "brains.npz"


def test_entries_become_signed_weights_and_rows_features(stack: Path) -> None:
    found, expected = read_matrices(stack), correlations()
    for matrix in expected:
        np.fill_diagonal(matrix, 0)
    assert found.graphs.sizes.tolist() == [5] * 6
    for place in range(6):
        assert np.allclose(dense(found.graphs, place), expected[place], atol=1e-6)
        assert np.allclose(found.graphs[[place]].x, expected[place], atol=1e-6)
    assert (found.graphs.adj.to_sparse().weight < 0).any()
    assert found.graphs.adj.to_sparse().symmetric
    assert found.task is not None and found.task.to_dict()["names"] == ("a", "b")
    assert found.graphs.labels.tolist() == [0, 1] * 3


def test_notes_tell_what_was_done(stack: Path) -> None:
    notes = " ".join(read_matrices(stack).notes)
    for words in ("same 5 nodes", "--set matcher=identity", "profile", "diagonal", "negative"):
        assert words in notes
    again = " ".join(read_matrices(stack, like=read_matrices(stack).reading).notes)
    assert "diagonal" in again
    assert "matcher=identity" not in again, "advice to who trains is none to who predicts"


@pytest.mark.parametrize("directed", [False, True])
def test_density_keeps_the_strongest_share(tmp_path: Path, directed: bool) -> None:
    given = np.random.default_rng(1).normal(size=(3, 6, 6))
    given = given if directed else given + given.transpose(0, 2, 1)
    np.savez(tmp_path / "a.npz", a=given, y=np.arange(3))
    found = read_matrices(tmp_path / "a.npz", density=0.4)
    for place in range(3):
        np.fill_diagonal(given[place], 0)
        kept, sizes = dense(found.graphs, place), np.abs(given[place])
        assert np.count_nonzero(kept) == 12
        assert sizes[kept.T != 0].min() > sizes[(kept.T == 0) & (sizes > 0)].max()
        assert np.allclose(kept.T[kept.T != 0], given[place][kept.T != 0])
    assert any("not symmetric" in note for note in found.notes) == directed


def test_threshold_and_sign_choose_edges(stack: Path) -> None:
    given = correlations()
    strong = dense(read_matrices(stack, threshold=0.3).graphs, 2) != 0
    assert np.array_equal(strong, (np.abs(given[2]) >= 0.3) & ~np.eye(5, dtype=bool))
    positive = dense(read_matrices(stack, sign="positive").graphs, 2)
    assert np.array_equal(positive != 0, (given[2] > 0) & ~np.eye(5, dtype=bool))
    assert (dense(read_matrices(stack, sign="absolute").graphs, 2) >= 0).all()


def test_an_entry_is_an_edge_from_its_row_to_its_column(tmp_path: Path) -> None:
    matrix = np.zeros((1, 3, 3))
    matrix[0, 0, 2] = 0.5
    np.savez(tmp_path / "a.npz", a=matrix, y=[0])
    edge_index, weight = read_matrices(tmp_path / "a.npz").graphs.adj.to_sparse().edges()
    assert edge_index.tolist() == [[0], [2]] and weight.tolist() == [0.5]


def test_features_are_a_choice(stack: Path) -> None:
    assert read_matrices(stack, features="none").graphs.x.shape == (30, 0)
    region = read_matrices(stack, features="region").graphs
    assert torch.equal(region[[3]].x, torch.eye(5, dtype=torch.uint8))
    x = np.random.default_rng(0).normal(size=(6, 5, 2))
    np.savez(stack, matrices=correlations(), y=np.zeros(6, int), x=x, extra=np.ones(3))
    given = read_matrices(stack)
    assert np.allclose(given.graphs[[4]].x, x[4], atol=1e-6)
    assert "the array 'extra' of brains.npz is not used." in given.notes


def test_a_stack_with_a_table_in_its_order(tmp_path: Path) -> None:
    np.save(tmp_path / "brains.npy", correlations(3))
    (tmp_path / "labels.csv").write_text("subject,age,sex\ns1,30.5,f\ns2,41.0,m\ns3,22.0,f\n")
    found = read_matrices(tmp_path / "brains.npy", target="age")
    assert found.graphs.y.flatten().tolist() == [30.5, 41.0, 22.0] and found.metric == "mae"
    assert found.table["subject"] == ("s1", "s2", "s3") and found.table["sex"] == ("f", "m", "f")
    assert read_matrices(tmp_path, target="age").graphs.fingerprint() == found.graphs.fingerprint()


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


def test_new_matrices_are_read_alike(stack: Path, tmp_path: Path) -> None:
    before = read_matrices(stack, density=0.5, features="region").reading
    np.save(tmp_path / "new.npy", correlations(2, seed=5))
    found = read_matrices(tmp_path / "new.npy", like=before)
    assert found.graphs.num_classes == 0 and found.graphs.num_features == 5
    assert np.count_nonzero(dense(found.graphs, 0)) == 10
    np.save(tmp_path / "new.npy", correlations(2, nodes=4))
    with pytest.raises(SmixupError, match="matrices have 4 nodes, but those read before had 5"):
        read_matrices(tmp_path / "new.npy", like=before)


def test_rounding_is_no_direction(tmp_path: Path) -> None:
    given = correlations(2)
    given[0, 0, 1] += 1e-9
    given[1, 0, 1] += 0.1
    np.savez(tmp_path / "a.npz", a=given.astype(np.float64), y=[0, 1])
    notes = read_matrices(tmp_path / "a.npz").notes
    assert any("1 matrices are not symmetric" in note for note in notes)


def test_signed_weights_train_with_the_identity(tmp_path: Path) -> None:
    """A mix of signed matrices is their weighted mean, and both backbones learn from it."""
    given, y = correlations(40, 8), np.arange(40) % 2
    given[y == 1, :3, :3] += 0.8
    np.savez(tmp_path / "a.npz", a=given, y=y)
    for backbone, sign in ((GIN, "keep"), (GCN, "keep"), (GCN, "absolute")):
        graphs = read_matrices(tmp_path / "a.npz", sign=sign).graphs.renumbered()
        torch.manual_seed(0)
        model, augment = backbone(8, 2), SMixup(Identity(), seed=0)
        augment.fit(graphs)
        mixed = augment.on_batch(graphs)
        new = mixed[len(graphs) :] if len(mixed) > len(graphs) else mixed
        rows = new.adj @ torch.eye(8).repeat(len(new), 1)
        assert torch.allclose(new.x, rows, atol=1e-5) == (sign == "keep")  # the rows have signs
        optimizer = torch.optim.Adam(model.parameters(), 0.01)
        for _ in range(40):
            mixed = augment.on_batch(graphs)
            loss = F.cross_entropy(model(mixed), mixed.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = (model(graphs).argmax(1) == graphs.labels).float().mean()
        assert accuracy > 0.9, (backbone, sign)


def broken(**arrays: Any) -> dict[str, Any]:
    return {"a": correlations(2), "y": np.arange(2)} | arrays


def nan_at(*place: int) -> np.ndarray:
    given = correlations(2)
    given[place] = np.nan
    return given


BROKEN: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a number that is none": (
        broken(a=nan_at(1, 2, 3)),
        {},
        "matrix 1 holds nan in row 3, column 4, where a finite number is needed",
    ),
    "not square": (broken(a=np.ones((2, 3, 4))), {}, r"matrix 0 has the shape \[3, 4\]"),
    "no stack": (broken(a=np.ones((3, 3))), {}, r"holds a \[3, 3\], y \[2\]: one array of shape"),
    "several stacks": (broken(b=correlations(2)), {}, "by the option array"),
    "an array that is not there": (broken(), {"array": "z"}, "has no array 'z'; it has a, y"),
    "too few targets": (broken(y=np.arange(3)), {}, r"'y' of a.npz has the shape \[3\], but there"),
    "complex numbers": (broken(a=np.ones((2, 2, 2), complex)), {}, "matrix 0 holds complex128"),
    "no graphs": (broken(a=np.ones((0, 2, 2)), y=np.arange(0)), {}, "with one graph at least"),
    "both rules": (broken(), {"density": 0.1, "threshold": 0.1}, "threshold and density both"),
    "a density of percents": (broken(), {"density": 10}, "density must be above 0 and at most 1"),
    "unknown features": (
        broken(),
        {"features": "row"},
        "features must be profile, region, none or",
    ),
    "features that are missing": (broken(), {"features": "given"}, "needs an array x of numbers"),
    "unknown sign": (broken(), {"sign": "both"}, "sign must be keep, absolute or positive"),
    "no targets": ({"a": correlations(2)}, {}, "there are no targets: put a table labels.csv"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_stacks_are_refused_by_one_sentence(case: str, tmp_path: Path) -> None:
    arrays, options, told = BROKEN[case]
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(SmixupError, match=told):
        read_matrices(tmp_path / "a.npz", **options)


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


def test_sizes_that_differ_and_tables_that_do_not_fit_are_told(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", correlations(1)[0])
    np.save(tmp_path / "b.npy", correlations(1, nodes=4)[0])
    (tmp_path / "labels.csv").write_text("file,y\na,0\nb,1\n")
    with pytest.raises(
        SmixupError, match=r"b.npy has the shape \[4, 4\], where \[5, 5\] is needed"
    ):
        read_matrices(tmp_path)
    (tmp_path / "c.csv").touch()
    with pytest.raises(SmixupError, match=r"holds a.npy and c.csv: put files of one kind"):
        read_matrices(tmp_path)
    np.save(tmp_path / "s.npy", correlations(3))
    with pytest.raises(SmixupError, match=r"labels.csv has 2 rows, but there are 3 matrices"):
        read_matrices(tmp_path / "s.npy")
    np.savez(tmp_path / "s.npz", a=correlations(2), y=[0, 1])
    with pytest.raises(UsageError, match=r"stand in labels.csv and in an array y"):
        read_matrices(tmp_path / "s.npz")


def test_names_of_nodes_must_be_as_many(tmp_path: Path) -> None:
    stack = stack_of_arrays({"a": correlations(2), "regions": np.array(["l", "r"])}, "it", None)
    assert stack.regions == ("l", "r")
    np.savez(tmp_path / "a.npz", a=correlations(2), y=[0, 1], regions=["l", "r"])
    with pytest.raises(SmixupError, match="2 names of nodes are given for 5 nodes"):
        read_matrices(tmp_path / "a.npz")


def test_a_stack_along_its_last_axis_is_told(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", m=np.moveaxis(correlations(3), 0, -1), y=[0, 1, 0])
    with pytest.raises(SmixupError, match=r"\[5, 5, 3\].* save np\.moveaxis\(m, -1, 0\)"):
        read_matrices(tmp_path / "a.npz")


def test_graphs_without_edges_are_told(tmp_path: Path) -> None:
    stack = correlations(3)
    stack[1] = np.eye(5)
    np.savez(tmp_path / "a.npz", m=stack, y=[0, 1, 0])
    found = read_matrices(tmp_path / "a.npz")
    assert "1 graph has no edges." in found.notes
    with pytest.raises(UsageError, match="threshold=7 leaves no edge in any matrix"):
        read_matrices(tmp_path / "a.npz", threshold=7)
    new = read_matrices(tmp_path / "a.npz", like=found.reading, threshold=7)
    assert "3 graphs have no edges." in new.notes


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
