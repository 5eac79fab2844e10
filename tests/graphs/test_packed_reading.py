"""Columns become the graphs that were packed, whether they are gathered or cut out in one piece."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from packed_kinds import KINDS, assert_identical

from smixup.errors import SmixupError
from smixup.graphs import Graphs, pack
from smixup.graphs.packed_columns import Columns
from smixup.graphs.packed_reading import read_graphs, read_targets


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_are_the_same_gathered_or_in_one_piece(
    kind: str, graphs: Graphs, tmp_path: Path
) -> None:
    graphs = KINDS[kind](graphs)
    columns = pack(graphs, tmp_path / "set").columns
    for first, end in ((0, 7), (2, 5), (6, 7), (3, 3)):
        places = np.arange(first, end)
        in_one_piece = read_graphs(columns, places, neighbours=True)
        assert_identical(in_one_piece, read_graphs(columns, places, neighbours=False))
        expected = graphs[first:end].replace(ids=torch.arange(end - first))
        assert_identical(in_one_piece, expected)


def test_graphs_may_be_read_twice_and_in_any_order(graphs: Graphs, tmp_path: Path) -> None:
    columns = pack(graphs, tmp_path / "set").columns
    found = read_graphs(columns, np.array([5, 0, 5]), neighbours=False)
    assert_identical(found, graphs[[5, 0, 5]].replace(ids=torch.arange(3)))


def test_class_numbers_become_one_hot_and_shares_stay(graphs: Graphs, tmp_path: Path) -> None:
    hard = pack(graphs, tmp_path / "hard").columns
    assert hard["y"].ndim == 1
    assert torch.equal(read_targets(hard, slice(None)), graphs.y)
    assert torch.equal(read_targets(hard, np.array([3, 1])), graphs.y[[3, 1]])
    soft = pack(KINDS["soft"](graphs), tmp_path / "soft").columns
    assert soft["y"].ndim == 2
    assert torch.equal(read_targets(soft, slice(1, 3)), KINDS["soft"](graphs).y[1:3])


SPOILT: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray], str]] = {
    "an edge to a node that is another graph's": (
        "adj.column",
        lambda column: column + 100,
        r"adj\.column\.npy joins nodes that no graph has",
    ),
    "an edge to a node before the first": (
        "adj.column",
        lambda column: column - 1,
        r"adj\.column\.npy joins nodes that no graph has",
    ),
    "edges of a node that are another graph's": (
        "adj.count",
        lambda count: np.roll(count, 1),
        r"adj\.column\.npy joins nodes that no graph has",
    ),
    "a class too many": ("y", lambda y: y + 1, r"y\.npy holds classes that there are not"),
    "a class below zero": (
        "y",
        lambda y: y.astype(np.int64) - 2,
        r"y\.npy holds classes that there are not",
    ),
}


@pytest.mark.parametrize("case", SPOILT)
def test_numbers_that_cannot_be_are_damage(case: str, graphs: Graphs, tmp_path: Path) -> None:
    name, change, told = SPOILT[case]
    file = pack(graphs, tmp_path / "set").folder / f"{name}.npy"
    np.save(file, change(np.load(file)))
    with pytest.raises(SmixupError, match=f"{told}.*pack them again"):
        read_graphs(Columns(tmp_path / "set"), np.arange(7), neighbours=True)
