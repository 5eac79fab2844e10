"""Rows of a table find their graphs, and targets their task."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from smixup.datasets.base import Reading
from smixup.datasets.readers.label_table import (
    answers,
    answers_of_array,
    beside,
    matched_rows,
    no_answers,
)
from smixup.errors import SmixupError, UsageError
from smixup.tasks import Classes, Labels, Values

TABLE = {"graph": ("a", "b", "c"), "y": ("1", "0", "1"), "age": ("1.5", "", "3.0")}


def test_rows_are_put_in_the_order_of_the_graphs(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("y,file\n1,a.x\n0,b\n")
    table, key, rows = matched_rows(tmp_path / "labels.csv", ["b.x", "a.x"], "file")
    assert key == "file" and rows == [1, 0]
    found = answers(table, rows, key, None, "", None, "labels.csv")
    assert found.y.argmax(1).tolist() == [0, 1] and found.table["file"] == ("b", "a.x")


def test_an_index_names_graphs_only_if_it_does(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(",file,kind\n0,a.x,p\n1,b.x,q\n")
    table, key, rows = matched_rows(path, ["b.x", "a.x"], None)
    assert (key, rows) == ("file", [1, 0])
    path.write_text(",kind\na,p\nb,q\n")  # as a data frame is written whose index has the names
    table, key, rows = matched_rows(path, ["b.x", "a.x"], None)
    assert (key, rows) == ("column 1", [1, 0])
    assert answers(table, rows, key, None, "", None, "labels.csv").targets == ("kind",)
    path.write_text(",file,kind\n0,A.x,p\n1,b.x,q\n")
    with pytest.raises(SmixupError, match=r"'a.x' in column 'file': there it is 'A.x'"):
        matched_rows(path, ["b.x", "a.x"], None)


def test_targets_are_named_or_usual() -> None:
    rows = [2, 0, 1]
    found = answers(TABLE, rows, "graph", "age", "", None, "it")
    assert found.task == Values(("age",)) and found.targets == ("age",)
    assert torch.nan_to_num(found.y, -1).flatten().tolist() == [3, 1.5, -1]
    assert answers(TABLE, rows, "graph", None, "", None, "it").targets == ("y",)
    assert answers(TABLE, rows, "graph", "y,age", "values", None, "it").y.shape == (3, 2)
    with pytest.raises(UsageError, match="it has no target 'z'; it has y, age"):
        answers(TABLE, rows, "graph", "z", "", None, "it")


def test_names_that_hardly_repeat_are_no_classes() -> None:
    table = {"graph": tuple("abcdefghijkl"), "name": tuple("ABCDEFGHIJKL")}
    with pytest.raises(UsageError, match="it: target 'name' has 12 different entries in 12 rows"):
        answers(table, range(12), "graph", None, "", None, "it")
    assert answers(table, range(12), "graph", None, "classes", None, "it").task.width == 12
    with pytest.raises(UsageError, match="too many for classes: take task=values"):
        answers_of_array(range(12), 12, "", None)


def test_the_task_of_earlier_files_holds_and_targets_may_be_missing() -> None:
    classes = Reading("any", {"target": ["y"]}, {"task": Classes((0, 1, 2)).to_dict()})
    found = answers(TABLE, [0, 1, 2], "graph", ["y"], "", classes, "it")
    assert found.y.tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    for without in ({"graph": ("a",)}, {"graph": ("a",), "y": ("",)}):
        found = answers(without, [0], "graph", ["y"], "", classes, "it")
        assert found.y.shape == (1, 0) and found.notes == ("the targets are not known.",)
    labels = Reading("any", {}, {"task": Labels(("y", "z")).to_dict()})
    some = answers(TABLE, [0, 1, 2], "graph", ["y", "z"], "", labels, "it").y
    assert some[:, 0].tolist() == [1, 0, 1] and bool(some[:, 1].isnan().all())
    assert no_answers(2, labels, "").y.shape == (2, 0)
    with pytest.raises(UsageError, match="there are no targets: do this"):
        no_answers(2, None, "do this")


def test_a_table_is_found_beside_or_named(tmp_path: Path) -> None:
    assert beside(tmp_path, ("labels",), None) is None
    (tmp_path / "labels.tsv").touch()
    assert beside(tmp_path, ("graphs", "labels"), None) == tmp_path / "labels.tsv"
    assert beside(Path("/"), ("x",), str(tmp_path / "labels.tsv")) == tmp_path / "labels.tsv"
