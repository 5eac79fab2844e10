"""What is exported reads back as what was kept, with its place and the choice."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from smixup.app.sweeps.record import Record
from smixup.app.sweeps.store import Store
from smixup.app.tables.experiment import Experiment
from smixup.app.tables.export import rows, to_csv, to_json_lines
from smixup.app.tables.result import ResultTable
from smixup.app.tables.scope import Scope

Filled = tuple[ResultTable, dict[str, Record]]
COLUMNS = (
    "experiment,row,column,selected,id,state,dataset,backbone,method,seed,test,validation,test_loss,"
    "calibration_error,accuracy,rocauc,brier,temperature,scaled_loss,scaled_brier,"
    "scaled_calibration_error,best_epoch,epochs,seconds,training_seconds,config,versions,metric,error,host,"
    "finished,data,predictions"
)
SCOPE = Scope(datasets=("MOTIF",), backbones=("gin",), seeds=2)


@pytest.fixture
def filled(toy: Experiment, keep: Callable[..., str], store: Store) -> Filled:
    vanilla, mixup, other = toy.grid(SCOPE)
    for config in vanilla.configs:
        keep(config, test=0.125)
    for candidate in mixup.candidates:
        for config in candidate.configs:
            keep(config, validation=0.9 if candidate.settings == {"alpha": 1.0} else 0.4)
    keep(other.configs[0], error='it said: "no", twice,\nand left')
    return toy.render(SCOPE, store.records()), store.records()


def check(found: list[dict[str, Any]]) -> None:
    """The runs of the fixture, with values as JSON has them."""
    assert [row["row"] for row in found] == ["Vanilla"] * 2 + ["M-Mixup"] * 4 + [
        "no alignment, lambda in [0, 1]"
    ]
    assert [row["selected"] for row in found] == [True] * 2 + [False] * 2 + [True] * 2 + [False]
    assert {row["experiment"] for row in found} == {"toy"}
    assert {row["column"] for row in found} == {"MOTIF, 20 %"}
    assert [row["seed"] for row in found] == [0, 1, 0, 1, 0, 1, 0]
    assert [row["config"]["method_settings"] for row in found[2:5:2]] == [{"alpha": 0.2}, {}]
    assert found[0]["test"] == 0.125
    assert found[0]["versions"] == {"torch": "2"}
    failed = found[-1]
    assert (failed["state"], failed["error"]) == ("failed", 'it said: "no", twice,\nand left')


def test_json_lines_with_curves(filled: Filled, store: Store) -> None:
    text = to_json_lines(*filled, store.curves(), {})
    found = [json.loads(line) for line in text.splitlines()]
    check(found)
    assert found[0]["curves"] == {"test_loss": [2.0, 1.0]}
    assert found[-1]["curves"] is None
    assert found[-1]["test"] is None
    assert text.endswith("\n")


def test_csv(filled: Filled) -> None:
    found: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(to_csv(*filled, {}))))
    for row in found:
        assert row["selected"] in ("True", "False")
        row |= {name: json.loads(row[name]) for name in ("config", "versions", "seed")}
        row |= {"selected": row["selected"] == "True", "test": float(row["test"] or "nan")}
    check(found)
    assert ",".join(found[0]) == COLUMNS


def test_every_field_of_a_run_is_there(filled: Filled) -> None:
    table, records = filled
    for row in rows(table, records):
        kept = vars(records[row["id"]])
        result = kept.pop("result")
        assert kept.items() <= row.items()
        if result is None:
            assert row["test"] is row["training_seconds"] is row["metric"] is None
        else:
            found = result.scores()
            assert found.pop("seconds") == row["training_seconds"]
            assert found.items() <= row.items()


def test_of_nothing_there_is_a_header(toy: Experiment) -> None:
    empty = toy.render(SCOPE, {})
    assert to_json_lines(empty, {}, {}, {}) == ""
    header = to_csv(empty, {}, {}).splitlines()
    assert len(header) == 1
    assert header[0].split(",")[0] == "experiment"


def test_what_json_cannot_say_is_null(
    toy: Experiment, keep: Callable[..., str], store: Store
) -> None:
    keep(toy.runs(SCOPE)[0], test_loss=float("inf"))
    text = to_json_lines(toy.render(SCOPE, store.records()), store.records(), store.curves(), {})
    found = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert (found["test_loss"], found["curves"]) == (None, {"test_loss": [2.0, None]})
    assert found["infinite"] == [[["test_loss"], 1], [["curves", "test_loss", 1], 1]]
