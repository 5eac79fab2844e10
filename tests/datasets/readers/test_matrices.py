"""Matrices become graphs on the same nodes, weights of both signs among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from correlations import correlations, dense

from smixup import Identity, SMixup
from smixup.classifiers import GCN, GIN
from smixup.datasets.readers.matrices import read_matrices
from smixup.datasets.readers.matrix_files import stack_of_arrays
from smixup.errors import SmixupError, UsageError


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


def test_new_matrices_are_read_alike(stack: Path, tmp_path: Path) -> None:
    before = read_matrices(stack, density=0.5, features="region").reading
    np.save(tmp_path / "new.npy", correlations(2, seed=5))
    found = read_matrices(tmp_path / "new.npy", like=before)
    assert found.graphs.num_classes == 0 and found.graphs.num_features == 5
    assert np.count_nonzero(dense(found.graphs, 0)) == 10
    np.save(tmp_path / "new.npy", correlations(2, nodes=4))
    with pytest.raises(SmixupError, match="matrices have 4 nodes, but those read before had 5"):
        read_matrices(tmp_path / "new.npy", like=before)


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
