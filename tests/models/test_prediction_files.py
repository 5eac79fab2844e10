"""Every kind of file holds the same columns."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from smixup.errors import SmixupError, UsageError
from smixup.models.prediction_files import require_apart, require_place, write_columns

COLUMNS = {
    "name": ['a "b", c', "ü\nnew"],
    "prediction": ["x", 3],
    "p_x": list(np.array([0.1, 1 / 3], dtype=np.float32)),
    "high": [np.float32("inf"), np.float32(2)],
}


def test_csv(tmp_path: Path) -> None:
    path = write_columns(COLUMNS, str(tmp_path / "new" / "p.csv"))
    assert path is not None
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"name": 'a "b", c', "prediction": "x", "p_x": "0.1", "high": "inf"}
    assert rows[1]["name"] == "ü\nnew"
    assert np.float32(rows[1]["p_x"]) == np.float32(1 / 3), "all digits that count"


def test_json_lines(tmp_path: Path) -> None:
    path = write_columns(COLUMNS, str(tmp_path / "p.jsonl"))
    assert path is not None
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert rows[0] == {"name": 'a "b", c', "prediction": "x", "p_x": 0.1, "high": "inf"}
    assert rows[1]["prediction"] == 3


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = write_columns(COLUMNS, str(tmp_path / "p.parquet"))
    found = parquet.read_table(path).to_pydict()
    assert found["prediction"] == ["x", "3"], "a column has one type"
    assert found["p_x"] == pytest.approx([0.1, 1 / 3])


def test_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_columns({"graph": [0], "prediction": ["a"]}, "-") is None
    assert capsys.readouterr().out == "graph,prediction\n0,a\n"


def test_other_files_and_places_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"are written to .csv, .tsv, .jsonl, .parquet or -, not"):
        write_columns(COLUMNS, "p.xlsx")
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "p.csv", tmp_path):
        with pytest.raises(SmixupError, match="cannot write the predictions"):
            require_place(str(path))
    require_place(str(tmp_path / "a" / "b.csv"))
    assert not (tmp_path / "a").exists()


def test_data_is_not_written_over(tmp_path: Path) -> None:
    data, folder = tmp_path / "new.csv", tmp_path / "mails"
    folder.mkdir()
    (folder / "graphs.csv").touch()
    data.touch()
    for path, source in ((data, data), (folder / "graphs.csv", folder)):
        with pytest.raises(UsageError, match="is data that is read: name another file"):
            require_apart(str(path), str(source))
    for path, source in (("-", str(data)), (str(folder / "p.csv"), str(folder))):
        require_apart(path, source)
    require_apart(str(data), str(folder))
