"""Matrices lose nothing but digits on their way to the page."""

from __future__ import annotations

import json

import numpy as np
import torch

from smixup.app.pages.explorer.entries import Entries, short


def test_what_is_not_zero_is_listed_by_row_and_column() -> None:
    matrix = np.array([[0.0, 0.25, 0.0], [-1.5, 0.0, 2.0]])
    assert Entries.of(matrix) == Entries([0, 1, 1], [1, 0, 2], [0.25, -1.5, 2])


def test_what_rounds_to_zero_is_left_out() -> None:
    assert Entries.of(np.array([[0.00004, 0.00006]])) == Entries([0], [1], [0.0001])


def test_an_undirected_edge_is_listed_once_and_a_loop_never() -> None:
    adj = torch.tensor([[1.0, 0.5, 0.0], [0.5, 0.0, 1.0], [0.0, 1.0, 0.0]])
    assert Entries.above(adj) == Entries([0, 1], [1, 2], [0.5, 1])


def test_whole_numbers_are_written_without_a_point() -> None:
    assert json.dumps(short(np.array([1.0, 0.5, -2.0]))) == "[1, 0.5, -2]"
