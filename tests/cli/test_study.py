"""`smixup study motif` prints the table of what its file holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from smixup.cli.study import app
from smixup.experiments import motif_study


def test_the_table_is_all_that_stands_on_stdout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def study(file: Path, seeds: int, workers: int, report: object) -> list[dict[str, object]]:
        asked.update(file=file, seeds=seeds, workers=workers)
        where = {"backbone": "gin", "train_graphs": 20, "label_noise": 0.0}
        return [{"arm": "Vanilla", "seed": seed, "test": 0.5 + seed / 10, **where} for seed in range(2)]

    monkeypatch.setattr(motif_study, "run_study", study)
    result = CliRunner().invoke(app, ["motif", "--out", str(tmp_path / "s.jsonl"), "--seeds", "2", "--workers", "1"])
    assert result.exit_code == 0
    assert asked == {"file": tmp_path / "s.jsonl", "seeds": 2, "workers": 1}
    assert result.stdout.startswith("**GCN**")
    assert "55.00 ± 7.07 (n = 2)" in result.stdout
    assert "not run" in result.stdout
