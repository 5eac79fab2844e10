"""Which entries of a matrix become edges, against a slow loop over all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from correlations import correlations, dense

from smixup.datasets.readers.matrices import read_matrices
from smixup.datasets.readers.matrix_edges import EdgeRule, edges_of
from smixup.datasets.readers.matrix_files import Stack
from smixup.errors import SmixupError, UsageError


@pytest.fixture
def stack(tmp_path: Path) -> Path:
    np.savez(tmp_path / "brains.npz", matrices=correlations(), y=np.array(["a", "b"] * 3))
    return tmp_path / "brains.npz"


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


def test_rounding_is_no_direction(tmp_path: Path) -> None:
    given = correlations(2)
    given[0, 0, 1] += 1e-9
    given[1, 0, 1] += 0.1
    np.savez(tmp_path / "a.npz", a=given.astype(np.float64), y=[0, 1])
    notes = read_matrices(tmp_path / "a.npz").notes
    assert any("1 matrices are not symmetric" in note for note in notes)


def slowly(matrix: np.ndarray, threshold: float | None, density: float | None, sign: str) -> dict:
    """The edges (from, to) of one symmetric or directed matrix with their weights."""
    n, symmetric = len(matrix), np.array_equal(matrix, matrix.T)
    weights = {}
    for i in range(n):
        for j in range(n):
            value = float(matrix[i, j])
            value = abs(value) if sign == "absolute" else value
            value = max(value, 0.0) if sign == "positive" else value
            if i != j and value != 0 and (threshold is None or abs(value) >= threshold):
                weights[i, j] = value
    if density is None:
        return weights
    ends = [(i, j) for i, j in sorted(weights) if i < j or not symmetric]
    ends.sort(key=lambda pair: -abs(weights[pair]))
    possible = n * (n - 1) // (2 if symmetric else 1)
    kept = ends[: max(round(density * possible), 1)]
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
    options = {"threshold": None, "density": None, "sign": sign} | cut
    adj, profiles, seen = edges_of(Stack(list(given)), 5, EdgeRule.of(options), True)
    edge_index, weight = adj.edges()
    found = {
        (int(source), int(target)): float(value)
        for source, target, value in zip(*edge_index, weight, strict=True)
    }
    expected: dict[tuple[int, int], float] = {}
    for place, matrix in enumerate(given):
        for (i, j), value in slowly(matrix, options["threshold"], options["density"], sign).items():
            expected[i + 5 * place, j + 5 * place] = value
    assert found == pytest.approx(expected)
    assert seen.entries == len(expected)
    assert seen.negative == sum(value < 0 for value in expected.values())
    assert (seen.directed, adj.symmetric) == ((4, False) if directed else (0, True))
    beside = given * (1 - np.eye(5, dtype=np.float32))
    assert seen.largest == pytest.approx(np.abs(beside).max())
    assert torch.equal(profiles, torch.from_numpy(beside.reshape(20, 5)))


def test_rows_are_kept_only_for_those_who_ask() -> None:
    rule = EdgeRule(None, None, "keep")
    assert edges_of(Stack(list(correlations(2))), 5, rule, False)[1].numel() == 0


def test_what_was_noticed() -> None:
    whole, empty, tilted = np.ones((3, 3)), np.zeros((3, 3)), np.ones((3, 3))
    tilted[0, 1] += 1e-7
    _, _, seen = edges_of(Stack([whole, empty, tilted]), 3, EdgeRule(None, None, "keep"), False)
    assert (seen.diagonal, seen.empty, seen.rounded, seen.directed) == (True, 1, 1, 0)
    assert (seen.entries, seen.negative, seen.largest) == (12, 0, pytest.approx(1.0))


def test_a_diagonal_of_any_kind_is_left_out() -> None:
    """The correlation of a constant signal with itself is NaN."""
    matrix = np.full((2, 2), 0.5)
    np.fill_diagonal(matrix, np.nan)
    adj, _, seen = edges_of(Stack([matrix]), 2, EdgeRule(None, None, "keep"), False)
    assert adj.to_dense().tolist() == [[0.0, 0.5], [0.5, 0.0]]
    assert seen.diagonal
    assert np.isnan(matrix[0, 0]), "the input was changed"


@pytest.mark.parametrize(
    ("matrix", "told"),
    [
        (np.zeros((3, 3)), r"b has the shape \[3, 3\], where \[2, 2\] is needed as a has"),
        (np.full((2, 2), 1e39), r"b holds 1e\+39 in row 1, column 2, where a finite number"),
        (np.full((2, 2), "x"), "b holds <U1 where real numbers are needed"),
    ],
)
def test_matrices_that_hold_something_else_are_refused(matrix: np.ndarray, told: str) -> None:
    stack = Stack([np.zeros((2, 2)), matrix], ("a", "b"))
    with pytest.raises(SmixupError, match=told):
        edges_of(stack, 2, EdgeRule(None, None, "keep"), False)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"sign": "both"}, "sign must be keep, absolute or positive"),
        ({"threshold": 0.1, "density": 0.1}, "threshold and density both say which edges to keep"),
        ({"threshold": -1.0}, "threshold must be"),
        ({"density": 1.5}, "density must be above 0 and at most 1"),
    ],
)
def test_rules_that_cannot_be_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        EdgeRule.of({"threshold": None, "density": None, "sign": "keep"} | options)
