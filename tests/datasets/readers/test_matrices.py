"""Matrices become graphs on the same nodes: which entries are edges, against a loop over all."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import torch

from smixup import Graphs, read_graphs
from smixup.datasets.readers.matrices import read_matrices
from smixup.errors import SmixupError, UsageError


def correlations(graphs: int = 6, nodes: int = 5, seed: int = 0) -> np.ndarray:
    """Correlations of random signals, in double precision; their diagonal is one."""
    random = np.random.default_rng(seed)
    return np.stack([np.corrcoef(random.normal(size=(nodes, 9))) for _ in range(graphs)])


def dense(graphs: Graphs, place: int) -> np.ndarray:
    return graphs[[place]].adj.to_dense().numpy()


@pytest.fixture
def stack(tmp_path: Path) -> Path:
    np.savez(tmp_path / "brains.npz", matrices=correlations(), y=np.array(["a", "b"] * 3))
    return tmp_path / "brains.npz"


def test_entries_become_signed_weights_and_rows_features(stack: Path) -> None:
    found, expected = read_matrices(stack), correlations()
    for place, matrix in enumerate(expected):
        np.fill_diagonal(matrix, 0)
        assert np.allclose(dense(found.graphs, place), matrix, atol=1e-6)
        assert np.allclose(found.graphs[[place]].x, matrix, atol=1e-6)
    assert found.graphs.sizes.tolist() == [5] * 6
    assert (found.graphs.adj.weight < 0).any()
    assert found.graphs.adj.symmetric
    assert found.task.to_dict()["names"] == ("a", "b")
    assert found.graphs.labels.tolist() == [0, 1] * 3
    for words in ("same 5 nodes", "--set matcher=identity", "profile", "negative"):
        assert words in " ".join(found.notes)


def test_features_are_a_choice(stack: Path) -> None:
    assert read_matrices(stack, features="none").graphs.x.shape == (30, 0)
    region = read_matrices(stack, features="region").graphs
    assert torch.equal(region[[3]].x, torch.eye(5, dtype=torch.uint8))
    x, regions = np.random.default_rng(0).normal(size=(6, 5, 2)), np.array(list("abcde"))
    np.savez(stack, m=correlations(), y=np.zeros(6, int), x=x, extra=np.ones(3), regions=regions)
    given = read_matrices(stack)
    assert np.allclose(given.graphs[[4]].x, x[4], atol=1e-6)
    assert "the array 'extra' is not used." in given.notes
    assert given.node_names[2] == tuple("abcde")


def test_a_stack_with_a_table_in_its_order(tmp_path: Path) -> None:
    np.save(tmp_path / "brains.npy", correlations(3))
    (tmp_path / "labels.csv").write_text("subject,age,sex\ns1,30.5,f\ns2,41.0,m\ns3,22.0,f\n")
    found = read_matrices(tmp_path / "brains.npy", target="age")
    assert found.graphs.y.flatten().tolist() == [30.5, 41.0, 22.0] and found.metric == "mae"
    assert found.table["subject"] == ("s1", "s2", "s3") and found.table["sex"] == ("f", "m", "f")
    assert read_matrices(tmp_path, target="age").graphs.fingerprint() == found.graphs.fingerprint()
    (tmp_path / "labels.csv").write_text("subject,age\ns1,30.5\n")
    with pytest.raises(SmixupError, match=r"labels.csv has 1 rows?, but there are 3 graphs"):
        read_matrices(tmp_path)


def test_new_matrices_are_read_alike(stack: Path, tmp_path: Path) -> None:
    before = read_matrices(stack, density=0.5, features="region").reading
    np.save(tmp_path / "new.npy", correlations(2, seed=5))
    found = read_matrices(tmp_path / "new.npy", like=before)
    assert found.graphs.num_classes == 0 and found.graphs.num_features == 5
    assert np.count_nonzero(dense(found.graphs, 0)) == 10
    assert "matcher=identity" not in " ".join(found.notes), "advice to who trains"
    np.save(tmp_path / "new.npy", correlations(2, nodes=4))
    with pytest.raises(SmixupError, match="matrices have 4 nodes, but those read before 5"):
        read_matrices(tmp_path / "new.npy", like=before)


Edges = dict[tuple[int, int], float]


def slowly(matrix: np.ndarray, threshold: float | None, density: float | None, sign: str) -> Edges:
    """The edges (from, to) of one symmetric or directed matrix with their weights."""
    n, symmetric = len(matrix), np.array_equal(matrix, matrix.T)
    weights: Edges = {}
    for i, j in itertools.product(range(n), repeat=2):
        value = float(matrix[i, j])
        value = abs(value) if sign == "absolute" else value
        value = max(value, 0.0) if sign == "positive" else value
        if i != j and value != 0 and (threshold is None or abs(value) >= threshold):
            weights[i, j] = value
    if density is None:
        return weights
    ends = [(i, j) for i, j in sorted(weights) if i < j or not symmetric]
    ends.sort(key=lambda pair: -abs(weights[pair]))
    kept = ends[: max(round(density * (n * (n - 1) // (2 if symmetric else 1))), 1)]
    kept += [(j, i) for i, j in kept] if symmetric else []
    return {pair: weights[pair] for pair in kept}


@pytest.mark.parametrize("sign", ["keep", "absolute", "positive"])
@pytest.mark.parametrize("cut", [{}, {"threshold": 0.4}, {"density": 0.3}])
@pytest.mark.parametrize("directed", [False, True])
def test_edges_are_those_of_a_loop_over_all_entries(
    sign: str, cut: dict[str, float], directed: bool
) -> None:
    given = np.random.default_rng(3).normal(size=(4, 5, 5)).astype(np.float32)
    given = given if directed else given + given.transpose(0, 2, 1)
    read = read_graphs({"m": given, "y": [0, 1, 0, 1]}, sign=sign, **cut)
    edge_index, weight = read.graphs.adj.edges()
    found = {
        (int(source), int(target)): float(value)
        for source, target, value in zip(*edge_index, weight, strict=True)
    }
    expected: Edges = {}
    for place, matrix in enumerate(given):
        edges = slowly(matrix, cut.get("threshold"), cut.get("density"), sign)
        expected |= {(i + 5 * place, j + 5 * place): value for (i, j), value in edges.items()}
    assert found == pytest.approx(expected)
    assert read.graphs.adj.symmetric is not directed
    notes = " ".join(read.notes)
    negative = 100 * sum(value < 0 for value in expected.values()) / len(expected)
    assert (f"{negative:.0f} % of the weights are negative" in notes) is (negative > 0)
    assert ("4 matrices are not symmetric" in notes) is directed
    beside = given * (1 - np.eye(5, dtype=np.float32))
    assert torch.equal(read.graphs.x, torch.from_numpy(beside.reshape(20, 5)))


def test_what_was_noticed() -> None:
    whole, empty, tilted = np.ones((3, 3)), np.zeros((3, 3)), np.ones((3, 3))
    tilted[0, 1] += 1e-7  # rounding is no direction
    whole[0, 0] = np.nan  # the correlation of a constant signal with itself
    found = read_graphs(np.stack([whole, empty, tilted]), y=[0, 1, 0], features="none")
    assert found.graphs.adj.to_dense()[:3, :3].tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert np.isnan(whole[0, 0]), "the input was changed"
    notes = " ".join(found.notes)
    for words in "graphs without edges: 1.":
        assert words in notes
    with pytest.raises(UsageError, match="threshold=2 leaves no edge"):
        read_graphs(np.stack([empty, tilted]), y=[0, 1], threshold=2)


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


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
def test_names_of_rows_and_columns_are_told_from_numbers(delimiter: str, tmp_path: Path) -> None:
    rows = [["left", "right"], ["1", "-.5"], ["-5e-1", "nan"]]
    named = [["", *rows[0]], ["left", *rows[1]], ["right", *rows[2]]]
    tables = [rows[1:], rows, named] if delimiter != " " else [rows[1:], rows]
    for table in tables:
        text = "\n".join(delimiter.join(row) for row in table) + "\n"
        (tmp_path / "a.csv").write_text(text)
        (tmp_path / "labels.csv").write_text("file,y\na,0\n")
        found = read_matrices(tmp_path, target="y")
        assert dense(found.graphs, 0).tolist() == [[0, -0.5], [-0.5, 0]]
        assert found.node_names == (None if table is tables[0] else [("left", "right")])
