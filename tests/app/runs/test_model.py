"""A model that is kept is that of the run, and says of the test split what the run said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import smixup
from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.data import choose_split
from smixup.app.runs.model import Kept, member_file, train_model
from smixup.app.runs.run import run
from smixup.datasets import Dataset, load_dataset
from smixup.datasets.features import encode_features
from smixup.errors import Interrupted, SmixupError
from smixup.models import load_model
from smixup.progress import Progress

OPTIONS = {"num_graphs": 60, "features": "degree"}
SMALL: dict[str, Any] = {"epochs": 3, "batch_size": 16, "hidden_channels": 8, "num_layers": 2}
FEW: dict[str, Any] = SMALL | {"split": "few", "train_graphs": 20}


@pytest.fixture
def config() -> RunConfig:
    return configure("MOTIF", dataset_options=OPTIONS, **FEW)


@pytest.fixture
def dataset() -> Dataset:
    return load_dataset("MOTIF", **OPTIONS)


def test_it_is_the_model_of_the_run(config: RunConfig, dataset: Dataset, tmp_path: Path) -> None:
    kept = train_model(config)
    plain, (again,) = run(config), kept.results
    for name in ("test", "validation", "best_epoch", "temperature", "curves", "predictions"):
        assert getattr(again, name) == getattr(plain, name)
    model = load_model(kept.model.save(tmp_path / "model"))
    scores = model.about["scores"]
    assert (scores["test"], scores["validation"]) == (plain.test, plain.validation)
    split = choose_split(dataset, config)
    assert torch.equal(
        model.encoder(dataset.graphs).x, encode_features(dataset.graphs, split.train).x
    )
    test = dataset.graphs[split.test]
    right = model.logits(test).argmax(1) == test.labels
    assert float(right.double().mean()) == pytest.approx(plain.test, abs=1e-6)
    assert model.about["split"]["test"] == len(split.test)
    assert "smixup train MOTIF" in model.card


def test_members_share_the_split_and_are_averaged(config: RunConfig, dataset: Dataset) -> None:
    kept = train_model(config, members=3)
    assert [each["seed"] for each in kept.model.about["members"]] == [0, 1, 2]
    assert "--ensemble 3" in kept.model.about["command"]
    alone = [run(replace(config, seed=seed, split_seed=0)) for seed in (1, 2)]
    assert [each.curves for each in kept.results[1:]] == [each.curves for each in alone]
    graphs = dataset.graphs
    single = [replace(kept.model, members=(each,)).logits(graphs) for each in kept.model.members]
    expected = torch.stack([each.softmax(1) for each in single]).mean(0)
    torch.testing.assert_close(kept.model.logits(graphs).softmax(1), expected)


def test_it_goes_on_where_it_was_stopped(
    config: RunConfig, dataset: Dataset, tmp_path: Path
) -> None:
    file, epochs = tmp_path / "run.safetensors", list[Progress]()
    whole = train_model(config, members=2)

    def stop(progress: Progress) -> None:
        epochs.append(progress)
        if len(epochs) == 5:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        train_model(config, 2, report=stop, checkpoint=file)
    second = member_file(file, 1)
    assert second is not None
    assert second.exists()
    again = train_model(config, 2, checkpoint=file, resume=True)
    assert torch.equal(again.model.calibration.scores, whole.model.calibration.scores)
    assert torch.equal(again.model.logits(dataset.graphs), whole.model.logits(dataset.graphs))


@pytest.mark.parametrize("change", [{"refit": True}, {"teachers": 1}])
def test_other_ways_to_train(config: RunConfig, change: dict[str, Any]) -> None:
    config = replace(config, **change)
    kept = train_model(config)
    assert kept.results[0].test == run(config).test
    assert kept.model.calibration.numbers == [20]


def test_one_function_for_names_and_graphs_in_memory(dataset: Dataset, tmp_path: Path) -> None:
    """The same graphs by name, in memory and on disk give the same model."""
    by_name = smixup.train("MOTIF", dataset_options=OPTIONS, root=tmp_path, **FEW)
    in_memory = smixup.train(dataset, out=tmp_path / "model", root=tmp_path, **FEW)
    graphs = dataset.graphs
    packed = smixup.train(smixup.to_pyg(graphs), root=tmp_path, **FEW)
    assert isinstance(by_name, Kept)
    assert in_memory.model.encoder == by_name.model.encoder
    expected = by_name.model.logits(graphs)
    torch.testing.assert_close(load_model(tmp_path / "model").logits(graphs), expected)
    assert packed.results[0].epochs == 3


def test_what_data_has_to_tell_is_told_before_training(dataset: Dataset, tmp_path: Path) -> None:
    told, y = list[str](), torch.eye(3)[(torch.arange(60) % 20 == 0).long()]
    odd = replace(dataset, graphs=dataset.graphs.replace(y=y), notes=("two files were skipped.",))

    def check(progress: Progress) -> None:
        assert told

    changes = SMALL | {"split": "fold", "num_folds": 3}
    kept = smixup.train(odd, root=tmp_path, tell=told.append, report=check, **changes)
    assert kept.notes == tuple(told)
    assert told[0] == "two files were skipped."
    assert told[1].startswith("95% of the graphs are of one class")


def test_what_could_only_fail_after_training_fails_before(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(SmixupError):
        smixup.train("MOTIF", out=tmp_path / "mine", epochs=10**6)
    with pytest.raises(SmixupError, match="number of models in an ensemble"):
        smixup.train("MOTIF", members=0)
