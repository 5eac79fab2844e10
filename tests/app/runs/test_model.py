"""A model that is kept is that of the run, and says of the test split what the run said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import smixup
from smixup.app.runs.config import configure
from smixup.app.runs.data import choose_split
from smixup.app.runs.model import member_file, train
from smixup.app.runs.run import run
from smixup.datasets import load_dataset
from smixup.datasets.features import encode_features
from smixup.errors import Interrupted, SmixupError
from smixup.models import load_model
from smixup.progress import Progress

OPTIONS = {"num_graphs": 60, "features": "degree"}
SMALL: dict[str, Any] = {"epochs": 3, "batch_size": 16, "hidden_channels": 8, "num_layers": 2}
FEW: dict[str, Any] = SMALL | {"split": "few", "train_graphs": 20}
CONFIG = configure("MOTIF", dataset_options=OPTIONS, **FEW)
DATASET = load_dataset("MOTIF", **OPTIONS)


def test_it_is_the_model_of_the_run(tmp_path: Path) -> None:
    kept = train(CONFIG)
    plain, (again,) = run(CONFIG), kept.results
    for name in ("test", "validation", "best_epoch", "temperature", "curves", "predictions"):
        assert getattr(again, name) == getattr(plain, name)
    model = load_model(kept.model.save(tmp_path / "model"))
    scores = model.about["scores"]
    assert (scores["test"], scores["validation"]) == (plain.test, plain.validation)
    split = choose_split(DATASET, CONFIG)
    assert torch.equal(
        model.encoder(DATASET.graphs).x, encode_features(DATASET.graphs, split.train).x
    )
    test = DATASET.graphs[split.test]
    right = model.logits(test).argmax(1) == test.labels
    assert float(right.double().mean()) == pytest.approx(plain.test, abs=1e-6)
    assert model.about["split"]["test"] == len(split.test)
    assert "smixup train MOTIF" in model.card


def test_members_share_the_split_and_are_averaged() -> None:
    kept = train(CONFIG, members=3)
    assert [each["seed"] for each in kept.model.about["members"]] == [0, 1, 2]
    assert "--ensemble 3" in kept.model.about["command"]
    alone = [run(replace(CONFIG, seed=seed, split_seed=0)) for seed in (1, 2)]
    assert [each.curves for each in kept.results[1:]] == [each.curves for each in alone]
    graphs = DATASET.graphs
    single = [replace(kept.model, members=(each,)).logits(graphs) for each in kept.model.members]
    expected = torch.stack([each.softmax(1) for each in single]).mean(0)
    torch.testing.assert_close(kept.model.logits(graphs).softmax(1), expected)


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    file, epochs = tmp_path / "run.safetensors", list[Progress]()
    whole = train(CONFIG, members=2)

    def stop(progress: Progress) -> None:
        epochs.append(progress)
        if len(epochs) == 5:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        train(CONFIG, members=2, report=stop, checkpoint=file)
    second = member_file(file, 1)
    assert second is not None
    assert second.exists()
    again = train(CONFIG, members=2, checkpoint=file, resume=True)
    assert torch.equal(again.model.calibration.scores, whole.model.calibration.scores)
    assert torch.equal(again.model.logits(DATASET.graphs), whole.model.logits(DATASET.graphs))


def test_one_function_for_names_and_graphs_in_memory(tmp_path: Path) -> None:
    """The same graphs by name, in memory and on disk give the same model."""
    by_name = smixup.train("MOTIF", dataset_options=OPTIONS, root=tmp_path, **FEW)
    in_memory = smixup.train(DATASET, out=tmp_path / "model", root=tmp_path, **FEW)
    assert in_memory.model.encoder == by_name.model.encoder
    expected = by_name.model.logits(DATASET.graphs)
    torch.testing.assert_close(load_model(tmp_path / "model").logits(DATASET.graphs), expected)
    of_pyg = smixup.train(smixup.to_pyg(DATASET.graphs), root=tmp_path, **FEW)
    assert of_pyg.results[0].epochs == 3


def test_before_training_data_and_places_are_looked_at(tmp_path: Path) -> None:
    told, y = list[str](), torch.eye(3)[(torch.arange(60) % 20 == 0).long()]
    odd = replace(DATASET, graphs=DATASET.graphs.replace(y=y), notes=("two files were skipped.",))

    def check(progress: Progress) -> None:
        assert told

    changes = SMALL | {"split": "fold", "num_folds": 3}
    kept = smixup.train(odd, root=tmp_path, tell=told.append, report=check, **changes)
    assert kept.notes == tuple(told)
    assert told[0] == "two files were skipped."
    assert told[1].startswith("95% of the graphs are of one class")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(SmixupError):
        smixup.train("MOTIF", out=tmp_path / "mine", epochs=10**6)
