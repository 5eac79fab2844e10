"""Runs after each other on one dataset read it once, and have the results of runs alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.run import run as run_alone
from smixup.app.sweeps import kept_open as module
from smixup.app.sweeps.kept_open import kept_open, run
from smixup.datasets.catalogue import open_or_load

SMALL = {"epochs": 2, "dataset_options": {"num_graphs": 40}}
QUICK = {"matcher.max_steps": 1, "matcher.hidden_channels": 4, "matcher.num_layers": 1}


class Reader:
    """Counts what is read."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, name: str, root: Path | None, **options: Any) -> Any:
        self.names.append(name)
        return open_or_load(name, root, **options)


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_kept", {})


def test_the_same_data_is_read_once() -> None:
    read, config = Reader(), configure("MOTIF", **SMALL)
    first = kept_open(config, None, read)
    assert kept_open(replace(config, seed=3, method="drop-edge"), None, read) is first
    assert read.names == ["MOTIF"]


def test_other_options_and_another_root_are_other_data(tmp_path: Path) -> None:
    read, config = Reader(), configure("MOTIF", **SMALL)
    kept_open(config, None, read)
    kept_open(replace(config, dataset_options={"num_graphs": 41}), None, read)
    kept_open(config, None, read)
    kept_open(config, tmp_path, read)
    assert len(read.names) == 4, "one dataset is kept, not all of them"


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    file, read = tmp_path / "molecules.csv", Reader()
    rows = [f"{'C' * n}O,{n % 2}" for n in range(1, 9)]

    def config() -> RunConfig:
        return configure(str(file), dataset_options={"target": "active"})

    file.write_text("\n".join(["smiles,active", *rows]), encoding="utf-8")
    first = kept_open(config(), None, read)
    file.write_text("\n".join(["smiles,active", *rows, "CN,1"]), encoding="utf-8")
    second = kept_open(config(), None, read)
    assert (len(first.graphs), len(second.graphs), len(read.names)) == (8, 9, 2)


def test_no_run_leaves_a_trace_on_the_next() -> None:
    """Whatever the methods do to their graphs, each run is that of a process of its own."""
    for method, settings in (("s-mixup", QUICK), ("vanilla", {}), ("s-mixup", QUICK)):
        config = configure("MOTIF", "gin", method, method_settings=settings, **SMALL)
        ours, alone = run(config), run_alone(config)
        assert ours.curves == alone.curves
        assert ours.predictions == alone.predictions
