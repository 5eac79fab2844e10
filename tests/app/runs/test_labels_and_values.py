"""Runs on labels and values, from a packed folder to a store, by the names and the direction of
their scores.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from smixup.app.cli.main import app
from smixup.app.runs.config import configure
from smixup.app.runs.run import run
from smixup.app.sweeps.exported import from_line, to_line, to_row
from smixup.app.sweeps.job import Job, Outcome
from smixup.app.sweeps.store import Store
from smixup.app.tables.cell import Candidate, Cell
from smixup.datasets import Dataset, load_dataset
from smixup.datasets.packed_set import pack_dataset
from smixup.errors import UsageError
from smixup.graphs import pack
from smixup.tasks import Labels, Values

NAN = math.nan
SMALL = {"epochs": 2, "num_layers": 1, "hidden_channels": 4, "batch_size": 16}
FEW_STEPS = {f"matcher.{name}": value for name, value in SMALL.items() if name != "epochs"}
FEW_STEPS |= {"matcher.max_steps": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sizes of graphs as values, and what is true of them as labels; with gaps."""
    path, graphs = tmp_path_factory.mktemp("sets"), load_dataset("MOTIF", num_graphs=80).graphs
    sizes = graphs.sizes.float()
    values = torch.stack([100 * sizes, sizes / 100], 1)
    values[3, 1] = NAN
    labels = torch.stack([sizes > sizes.median(), torch.arange(80) % 3 == 0], 1).float()
    labels[::7, 1] = NAN
    for name, y, metric, task in (
        ("values", values, "rmse", Values(("size", "hundredth"))),
        ("labels", labels, "rocauc", Labels(("large", "third"))),
    ):
        kept = graphs.replace(y=y, has_classes=False)
        pack_dataset(Dataset(name, kept, metric, task=task), path / name)
    pack(graphs.replace(y=values[:, :1], has_classes=False), path / "untold")
    return path


@pytest.mark.parametrize("method", ["vanilla", "s-mixup", "submix"])
@pytest.mark.parametrize("name", ["values", "labels", "untold"])
def test_a_packed_set_trains(folder: Path, name: str, method: str) -> None:
    settings = FEW_STEPS if method == "s-mixup" else {}
    result = run(configure(str(folder / name), "gin", method, method_settings=settings, **SMALL))
    metrics = {"values": "rmse", "labels": "rocauc", "untold": "mae"}
    assert result.metric == metrics[name]
    assert math.isfinite(result.test)
    assert math.isnan(result.calibration_error)
    curve = result.curves["validation"]
    assert result.validation == (max(curve) if name == "labels" else min(curve))


@pytest.mark.parametrize("split", ["fold", "few"])
@pytest.mark.parametrize("name", ["values", "untold"])
def test_values_are_split_by_their_size(folder: Path, name: str, split: str) -> None:
    numbers = {"num_folds": 4} if split == "fold" else {"train_graphs": 20}
    config = configure(str(folder / name), "gin", split=split, **SMALL, **numbers)
    assert math.isfinite(run(config).test)


def test_rare_labels_count_more_on_demand(folder: Path) -> None:
    labels, values = (str(folder / name) for name in ("labels", "values"))
    plain, balanced = (run(configure(labels, balanced=each, **SMALL)) for each in (False, True))
    assert plain.curves["train_loss"] != balanced.curves["train_loss"]
    with pytest.raises(UsageError, match="the targets of values are values: leave it out"):
        run(configure(values, balanced=True, **SMALL))


def test_rare_classes_count_more_on_demand() -> None:
    options = {"dataset_options": {"num_graphs": 60}}
    plain, balanced = (
        run(configure("MOTIF", balanced=each, **SMALL, **options)) for each in (False, True)
    )
    assert plain.curves["train_loss"] != balanced.curves["train_loss"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label_corruption": 0.2}, "not classes: leave the corruption out"),
        ({"method": "g-mixup"}, "GMixup draws graphs between the graphons.*not classes"),
        ({"metric": "accuracy"}, "accuracy is no score of values; take one of mae"),
    ],
)
def test_what_needs_classes_says_so(folder: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(configure(str(folder / "values"), **SMALL, **changes))  # type: ignore[arg-type]


def test_a_store_chooses_by_the_lower_error(folder: Path, store: Store) -> None:
    rates = (0.02, 1e-7)
    candidates = [
        Candidate({"rate": rate}, [configure(str(folder / "values"), learning_rate=rate, **SMALL)])
        for rate in rates
    ]
    with store.writing() as writer:
        for candidate in candidates:
            job = Job.of(candidate.configs[0])
            writer.keep(job, Outcome(job.id, run(candidate.configs[0]), None, 1.0, "here"))
    records = store.records()
    filled = Cell("gin", "row", "column", candidates).choose(records)
    errors = [each.result.validation for each in records.values() if each.result]
    assert filled.scores("validation") == {0: min(errors)}
    assert filled.score("test").title == "test rmse"
    for record in records.values():
        again = from_line(to_line(to_row(record)))
        assert again.result is not None
        assert again.result.metric == "rmse"
        assert math.isnan(again.result.calibration_error)


@pytest.mark.parametrize("name", ["values", "labels"])
def test_the_command_line(folder: Path, name: str) -> None:
    words = ["train", "--dataset", str(folder / name), "--epochs", "2", "--num-layers", "1"]
    shown = CliRunner().invoke(app, words, env={"COLUMNS": "120"})
    assert shown.exit_code == 0, shown.output
    assert {"values": "test rmse", "labels": "test rocauc"}[name] in shown.stdout
    assert "nan" not in shown.stdout
    assert "calibration" not in shown.stdout
    told = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert told["metric"] in ("rmse", "rocauc")
