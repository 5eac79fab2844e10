"""`smixup doctor` tells what is there."""

from __future__ import annotations

import json
from pathlib import Path
from tomllib import loads

import pytest
import torch
from typer.testing import CliRunner

import smixup
from smixup.app.cli import doctor
from smixup.app.cli.main import app
from smixup.app.runs import checkup
from smixup.app.runs.checkup import Finding


def test_json(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["doctor", "--root", str(tmp_path), "--json"])
    found = json.loads(result.stdout)
    assert found["versions"]["smixup"] == smixup.__version__
    assert torch.__version__.startswith(found["versions"]["torch"]), "or with +cu130 behind it"
    assert found["versions"]["threads"] == torch.get_num_threads()
    assert found["devices"][0] == "cpu"
    assert found["data_root"] == str(tmp_path)
    assert found["datasets"] == ["MOTIF"]


def test_every_extra_of_the_project_is_listed() -> None:
    project = loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    written = {
        extra: {each.partition(">")[0] for each in packages}
        for extra, packages in extras.items()
        if extra not in ("dev", "docs", "release")
    }
    assert {extra: set(packages) for extra, packages in doctor.EXTRAS.items()} == written


def test_text_says_how_to_install_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(doctor.EXTRAS, "chem", ("no-such-package",))
    result = CliRunner().invoke(app, ["doctor", "--root", str(tmp_path)], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "Ready." in result.stdout
    assert "no-such-package missing" in result.stdout
    assert "for molecules from SMILES: pip install 'smixup[chem]'." in result.stdout


def test_it_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Finding("torch is 1.0.", True), Finding("for molecules: chem.", False)]
    monkeypatch.setattr(checkup, "checkup", lambda extras, root: found)
    result = CliRunner().invoke(app, ["doctor", "--root", str(tmp_path)])
    assert result.exit_code == 1
    *_, first, second, third, fourth = result.stdout.splitlines()
    assert (first, second) == ("Not ready:", "  torch is 1.0.")
    assert (third, fourth) == ("To be installed if you need it:", "  for molecules: chem.")
