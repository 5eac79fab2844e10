"""A run with a saved matcher fits none, and refuses one that may have seen its test graphs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from smixup.app.runs.command import train_command
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.fit_matcher import fit_matcher
from smixup.app.runs.registry import MATCHERS
from smixup.app.runs.run import run
from smixup.app.sweeps.identity import run_id
from smixup.app.sweeps.job import Job, execute
from smixup.app.sweeps.order import matcher_key
from smixup.errors import SmixupError, UsageError
from smixup.matching import LearnedMatcher

MOTIFS = {"num_graphs": 60}
SMALL = {"num_layers": 1, "hidden_channels": 4, "max_steps": 2, "batch_size": 4}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "kept"
    fit_matcher("motif", folder, seed=1, settings=SMALL, dataset_options=MOTIFS)
    return folder


def config_of(folder: Path, **changes: Any) -> RunConfig:
    shared = {"epochs": 2, "batch_size": 16, "dataset_options": MOTIFS, "seed": 1}
    shared["method_settings"] = {"matcher": str(folder), "partners": 2}
    return configure("MOTIF", method="s-mixup", **(shared | changes))


def test_it_trains_as_if_it_were_fitted_in_the_run(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {f"matcher.{name}": value for name, value in SMALL.items()} | {"partners": 2}
    fitted = run(config_of(kept, method_settings=settings))

    def fit(*arguments: object) -> None:
        raise AssertionError("it is fitted already")

    monkeypatch.setattr(LearnedMatcher, "fit", fit)
    assert run(config_of(kept)).curves == fitted.curves


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 2},
        {"split": "fold"},
        {"train_graphs": 40},
        {"label_corruption": 0.2},
        {"dataset_options": {"num_graphs": 70}},
    ],
)
def test_other_training_graphs_are_refused(kept: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(SmixupError, match="fitted on other graphs than this training split"):
        run(config_of(kept, **changes))


def test_the_files_of_the_matcher_are_part_of_the_run(kept: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    shutil.copytree(kept, folder)
    first = config_of(folder)
    assert first.method_settings == {"partners": 2, "matcher": str(folder)}
    assert run_id(first) == run_id(RunConfig(**first.to_dict()))
    before = first.fingerprint(), run_id(first)
    fit_matcher("motif", folder, 1, settings=SMALL | {"max_steps": 3}, dataset_options=MOTIFS)
    assert config_of(folder) == first, "the same words"
    assert config_of(folder).fingerprint() != before[0]
    assert run_id(config_of(folder)) != before[1], "another run"


def test_the_code_of_its_kind_is_part_of_the_run(kept: Path, tmp_path: Path) -> None:
    fit_matcher("motif", tmp_path / "s", 1, None, SMALL, dataset_options=MOTIFS, name="siamese")
    assert MATCHERS.module(str(kept)) == "smixup.matching.graph_matcher"
    assert MATCHERS.module(str(tmp_path / "s")) == "smixup.matching.siamese"


def test_a_sweep_takes_it_too(kept: Path, tmp_path: Path) -> None:
    config = config_of(kept)
    assert matcher_key(config) is None, "there is nothing to fit first"
    outcome = execute(Job.of(config, workspace=tmp_path))
    assert outcome.error is None
    assert outcome.result is not None
    assert not (tmp_path / "matchers").exists()


def test_the_command_names_the_folder(kept: Path) -> None:
    assert f"--set matcher={kept}" in train_command(config_of(kept))


def test_it_has_no_settings_of_its_own(kept: Path) -> None:
    settings = {"matcher": str(kept), "matcher.scale": 2}
    with pytest.raises(UsageError, match="has no settings, so 'scale' cannot be set"):
        configure("MOTIF", method="s-mixup", method_settings=settings)


def test_a_folder_without_a_matcher(tmp_path: Path) -> None:
    with pytest.raises(
        SmixupError, match=r"there is no saved matcher in .*matcher\.json is missing"
    ):
        config_of(tmp_path).fingerprint()
    with pytest.raises(UsageError, match="unknown matcher"):
        config_of(tmp_path / "nowhere")
