"""A model that is kept is that of the run, and says of the test split what the run said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from smixup.app.runs.config import RunConfig, configure
from smixup.app.runs.kept_model import member_file, train_model
from smixup.app.runs.opened import choose_split, open_run
from smixup.app.runs.run import run
from smixup.datasets import load_dataset
from smixup.datasets.packed_set import pack_dataset
from smixup.interrupt import Interrupted
from smixup.models import load_model
from smixup.progress import Progress

OPTIONS = {"num_graphs": 60, "features": "degree"}


@pytest.fixture
def config() -> RunConfig:
    sizes = {"epochs": 3, "batch_size": 16, "hidden_channels": 8, "num_layers": 2}
    return configure("MOTIF", dataset_options=OPTIONS, split="few", train_graphs=20, **sizes)


def test_it_is_the_model_of_the_run(config: RunConfig, tmp_path: Path) -> None:
    kept = train_model(config, command="smixup train MOTIF --out model")
    plain, (again,) = run(config), kept.results
    for name in ("test", "validation", "best_epoch", "temperature", "curves", "predictions"):
        assert getattr(again, name) == getattr(plain, name)
    model = load_model(kept.model.save(tmp_path / "model"))
    scores = model.about["scores"]
    assert (scores["test"], scores["validation"]) == (plain.test, plain.validation)
    dataset = load_dataset("MOTIF", **OPTIONS)
    split = choose_split(dataset, config)
    encoded = open_run(config).graphs
    assert torch.equal(model.encoder(dataset.graphs).x, encoded.x), "as training saw them"
    test = dataset.graphs[split.test]
    right = model.logits(test).argmax(1) == test.labels
    assert float(right.double().mean()) == pytest.approx(plain.test, abs=1e-6)
    assert model.about["split"]["test"] == len(split.test)
    assert "smixup train MOTIF --out model" in model.card


def test_members_share_the_split_and_are_averaged(config: RunConfig) -> None:
    kept = train_model(config, members=3)
    seeds = [each["seed"] for each in kept.model.about["members"]]
    assert seeds == [0, 1, 2]
    alone = [run(replace(config, seed=seed, split_seed=0)) for seed in (1, 2)]
    assert [each.curves for each in kept.results[1:]] == [each.curves for each in alone]
    graphs = load_dataset("MOTIF", **OPTIONS).graphs
    single = [replace(kept.model, members=(each,)).logits(graphs) for each in kept.model.members]
    expected = torch.stack([each.softmax(1) for each in single]).mean(0)
    torch.testing.assert_close(kept.model.logits(graphs).softmax(1), expected)


def test_it_goes_on_where_it_was_stopped(config: RunConfig, tmp_path: Path) -> None:
    file = tmp_path / "run.safetensors"
    whole, epochs = train_model(config, members=2), []

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
    graphs = load_dataset("MOTIF", **OPTIONS).graphs
    assert torch.equal(again.model.logits(graphs), whole.model.logits(graphs))


def test_graphs_on_disk_have_the_same_model(config: RunConfig, tmp_path: Path) -> None:
    pack_dataset(load_dataset("MOTIF", **OPTIONS), tmp_path / "packed")
    packed = configure(
        str(tmp_path / "packed"),
        **{name: getattr(config, name) for name in ("epochs", "batch_size", "hidden_channels")},
        num_layers=2,
        split="few",
        train_graphs=20,
    )
    found, memory = train_model(packed).model, train_model(config).model
    assert found.encoder == memory.encoder
    graphs = load_dataset("MOTIF", **OPTIONS).graphs
    torch.testing.assert_close(found.logits(graphs), memory.logits(graphs))


@pytest.mark.parametrize("change", [{"refit": True}, {"teachers": 1}])
def test_other_ways_to_train(config: RunConfig, change: dict[str, object]) -> None:
    config = replace(config, **change)  # type: ignore[arg-type]
    kept = train_model(config)
    assert kept.results[0].test == run(config).test
    assert kept.model.calibration.numbers == [20]
