"""The text files of the TU collection are read strictly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from smixup.datasets.tu_text import TUText, read_tu
from smixup.errors import SmixupError


def test_tables_as_they_are(tiny: Path) -> None:
    text = read_tu(tiny, "TINY")
    assert text.sizes.tolist() == [3, 2, 1]
    assert text.classes.tolist() == [1, 0, 1]
    assert text.node_attributes[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    counts, neighbours = text.neighbours()
    assert counts.tolist() == [1, 2, 1, 1, 1, 0]
    assert neighbours.tolist() == [1, 0, 2, 1, 4, 3]


def test_one_hot_labels_keep_gaps_and_columns(make_tu: Callable[..., Path]) -> None:
    text = read_tu(make_tu(node_labels="0,5\n2,5\n0,6\n0,5\n0,5\n2,6\n"), "TINY")
    found = text.one_hot_labels()
    assert found.dtype == np.uint8
    assert found.tolist() == [
        *([1, 0, 0, 1, 0], [0, 0, 1, 1, 0], [1, 0, 0, 0, 1]),
        *([1, 0, 0, 1, 0], [1, 0, 0, 1, 0], [0, 0, 1, 0, 1]),
    ]
    assert read_tu(make_tu(node_labels="3\n" * 6), "TINY").one_hot_labels().tolist() == [[1]] * 6


def test_no_labels_no_attributes_no_edges(tmp_path: Path) -> None:
    for part, lines in {"A": "", "graph_indicator": "1\n2\n", "graph_labels": "0\n0\n"}.items():
        (tmp_path / f"B_{part}.txt").write_text(lines)
    text = read_tu(tmp_path, "B")
    assert text.one_hot_labels().shape == (2, 0)
    assert text.node_attributes.shape == (2, 0)
    counts, neighbours = text.neighbours()
    assert counts.tolist() == [0, 0]
    assert neighbours.size == 0


def test_an_edge_listed_many_times_counts_once() -> None:
    edges = np.array([[1, 2]] * 300 + [[2, 2]] * 256)
    empty = np.zeros((2, 0))
    text = TUText(
        np.array([1, 1]),
        edges,
        np.array([0]),
        empty.astype(int),
        empty,
        np.zeros((1, 0)),
        np.zeros((len(edges), 0), int),
        np.zeros((len(edges), 0)),
    )
    assert text.neighbours()[1].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("part", "lines", "message"),
    [
        ("A", "1, 2\n2, 9\n", r"TINY_A\.txt names a node outside 1 to 6 in line 2"),
        ("A", "0, 1\n", r"TINY_A\.txt names a node outside 1 to 6 in line 1"),
        ("A", "1, 2\n2, 1\n3, 4\n", r"TINY_A\.txt joins two different graphs in line 3"),
        ("A", "1, 2\n2, x\n", r"TINY_A\.txt cannot be read: .* in line 2, column 2"),
        ("A", "1, 2\n2\n", r"TINY_A\.txt cannot be read: .* in line 2"),
        ("A", "1\n2\n", r"TINY_A\.txt has 1 columns, expected 2"),
        ("graph_indicator", "1\n1\n3\n3\n3\n3\n", "number the graphs 1, 2"),
        ("graph_indicator", "1\n2\n1\n2\n2\n3\n", "number the graphs 1, 2"),
        ("graph_indicator", "", "number the graphs 1, 2"),
        ("graph_labels", "1\n2\n", r"graph_labels\.txt has 2 lines .* call for 3"),
        ("graph_labels", "1\n2.5\n1\n", r"graph_labels\.txt cannot be read: .* in line 2"),
        ("node_labels", "1\n", r"node_labels\.txt has 1 lines .* call for 6"),
        ("node_labels", "1.5\n" * 6, r"node_labels\.txt cannot be read"),
        ("node_attributes", "1\n", r"node_attributes\.txt has 1 lines .* call for 6"),
        ("node_attributes", "nan\n" * 6, r"node_attributes\.txt holds numbers that are not"),
    ],
)
def test_bad_files(make_tu: Callable[..., Path], part: str, lines: str, message: str) -> None:
    with pytest.raises(SmixupError, match=message):
        read_tu(make_tu(**{part: lines}), "TINY")


def test_a_missing_file(make_tu: Callable[..., Path]) -> None:
    with pytest.raises(SmixupError, match=r"TINY_graph_labels\.txt"):
        read_tu(make_tu(graph_labels=None), "TINY")
