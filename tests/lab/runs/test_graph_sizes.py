"""Sizes are told without loading a dataset."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.lab.runs.graph_sizes import average_nodes


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
