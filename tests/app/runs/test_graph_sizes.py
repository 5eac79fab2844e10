"""Sizes are told without loading a dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.app.runs.graph_sizes import average_nodes, graph_count
from smixup.datasets import load_dataset
from smixup.graphs import pack


def imported(root: Path, name: str, indicator: str, labels: str) -> None:
    folder = root / name / "raw"
    folder.mkdir(parents=True)
    for part, text in (("A", ""), ("graph_indicator", indicator), ("graph_labels", labels)):
        (folder / f"{name}_{part}.txt").write_text(text)


def test_the_papers_figure_where_it_has_one(tmp_path: Path) -> None:
    assert average_nodes("reddit-b", tmp_path) == pytest.approx(429.63)


def test_counted_in_the_files_otherwise(tmp_path: Path) -> None:
    imported(tmp_path, "OWN", "1\n" * 30 + "2\n" * 50, "0\n1\n")
    assert average_nodes("own", tmp_path) == 40


@pytest.mark.parametrize("name", ["MOTIF", "MUTAG", "nobody knows"])
def test_unknown_where_there_are_no_files(tmp_path: Path, name: str) -> None:
    assert average_nodes(name, tmp_path) is None


def test_graphs_are_counted_where_they_are(tmp_path: Path) -> None:
    imported(tmp_path, "OWN", "1\n2\n3\n", "0\n1\n0")
    assert graph_count("own", tmp_path) == 3, "the last line need not end"
    pack(load_dataset("MOTIF", num_graphs=12).graphs, tmp_path / "packed")
    assert graph_count(str(tmp_path / "packed")) == 12


def test_files_prevail_over_the_papers_figure(tmp_path: Path) -> None:
    assert graph_count("imdb-b", tmp_path) == 1000
    imported(tmp_path, "IMDB-BINARY", "1\n2\n", "0\n1\n")
    assert graph_count("imdb-b", tmp_path) == 2


def test_generated_graphs_are_as_many_as_asked_for(tmp_path: Path) -> None:
    assert graph_count("motif", tmp_path) == len(load_dataset("MOTIF").graphs)
    assert graph_count("MOTIF", tmp_path, {"num_graphs": 60, "seed": 3}) == 60
    assert graph_count("THREADS-5K", tmp_path) == 4999


@pytest.mark.parametrize("name", ["MUTAG", "nobody knows"])
def test_a_number_that_nobody_knows_is_none(tmp_path: Path, name: str) -> None:
    assert graph_count(name, tmp_path) is None
