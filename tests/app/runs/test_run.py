"""A run is a function of its configuration, from data to score."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from smixup.app.runs.build import make_method
from smixup.app.runs.config import SPLITS, RunConfig, configure
from smixup.app.runs.predictions import from_bytes
from smixup.app.runs.run import RunResult, initial_model, prepare, run
from smixup.datasets import Dataset, load_dataset
from smixup.datasets.archives import import_archive
from smixup.datasets.splits import nested_split
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.progress import Progress
from smixup.training import Interrupted, fit

SMALL = {"num_graphs": 60, "features": "degree"}


def small(**changes: Any) -> RunConfig:
    return configure(
        "MOTIF", **({"epochs": 3, "batch_size": 16, "dataset_options": SMALL} | changes)
    )


def comparable(result: RunResult) -> dict[str, Any]:
    return {name: value for name, value in vars(result).items() if name != "seconds"}


@pytest.mark.parametrize("backbone", ["gcn", "gin"])
def test_the_same_configuration_twice_is_equal_to_the_bit(backbone: str) -> None:
    config = small(backbone=backbone, dropout=0.2)
    first = run(config)
    torch.manual_seed(5)
    assert comparable(run(config)) == comparable(first)
    assert (first.metric, first.epochs) == ("accuracy", 3)
    assert first.test == first.curves["test"][first.best_epoch - 1]
    assert first.validation == max(first.curves["validation"])
    apart = {"curves": first.curves, "predictions": first.predictions}
    assert first.scores() | apart == vars(first)
    assert not first.scores().keys() & apart.keys()


def test_the_seed_changes_split_and_weights() -> None:
    assert run(small(seed=1)).curves != run(small()).curves


def test_an_interrupted_run_resumes_to_the_same_result(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    config, file = small(dropout=0.2), tmp_path / "run.safetensors"
    with pytest.raises(Interrupted, match=str(file)):
        run(config, report=stop, checkpoint=file)
    assert comparable(run(config, checkpoint=file, resume=True)) == comparable(run(config))
    with pytest.raises(SmixupError, match="other settings"):
        run(replace(config, learning_rate=0.5), checkpoint=file, resume=True)


def test_teachers_change_the_labels_of_what_a_method_makes() -> None:
    settings = {"matcher": "identity", "matcher.partial": True}
    config = small(method="s-mixup", method_settings=settings)
    plain, taught = run(config), run(replace(config, teachers=1))
    assert plain.epochs == taught.epochs == 3
    assert taught.curves["train_loss"] != plain.curves["train_loss"]
    assert comparable(run(replace(config, teachers=1))) == comparable(taught)
    assert run(replace(config, teachers=2)).curves != taught.curves


def test_a_run_is_not_resumed_on_other_data(tmp_path: Path) -> None:
    """Another set is imported under the name, with all labels changed, while a run waits."""
    parts = {}
    parts["A"] = "".join(f"{i}, {i + 1}\n{i + 1}, {i}\n" for i in range(1, 80, 2))
    parts["graph_indicator"] = "".join(f"{1 + i // 2}\n" for i in range(80))
    parts["node_labels"] = "".join(f"{i % 3}\n" for i in range(80))

    def imported(first: int) -> None:
        labels = "".join(f"{(i + first) % 2}\n" for i in range(40))
        folder = tmp_path / "published"
        folder.mkdir(exist_ok=True)
        for part, text in (parts | {"graph_labels": labels}).items():
            (folder / f"PAIRS_{part}.txt").write_text(text)
        import_archive(folder, tmp_path / "root")

    imported(0)
    config, file = configure("PAIRS", root=tmp_path / "root", epochs=3), tmp_path / "state"

    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        run(config, tmp_path / "root", stop, file)
    imported(1)
    with pytest.raises(SmixupError, match="other settings or on other data"):
        run(config, tmp_path / "root", checkpoint=file, resume=True)
    imported(0)
    assert run(config, tmp_path / "root", checkpoint=file, resume=True).epochs == 3


def test_a_place_for_the_state_is_tried_before_training(tmp_path: Path) -> None:
    config, seen = configure("MOTIF", epochs=1, dataset_options={"num_graphs": 30}), list[object]()
    (tmp_path / "notes.txt").write_text("mine")
    for place, words in (("notes.txt", "is there and is no checkpoint"), ("", "Is a directory")):
        with pytest.raises(SmixupError, match=words):
            run(config, report=seen.append, checkpoint=tmp_path / place)
    assert seen == []
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_state_that_cannot_be_written_costs_a_warning_not_the_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configure("MOTIF", epochs=2, dataset_options={"num_graphs": 30})

    def full(*arguments: object) -> None:
        raise SmixupError("cannot write the checkpoint: No space left on device.")

    monkeypatch.setattr("smixup.checkpoint.write_whole", full)
    with pytest.warns(UserWarning, match="the state of the run is not kept: cannot write"):
        found = run(config, checkpoint=tmp_path / "state")
    assert comparable(found) == comparable(run(config))


@pytest.mark.parametrize("stage", ["teacher 1 of 1", "training"])
def test_a_run_with_teachers_resumes_to_the_same_result(stage: str, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if (progress.stage, progress.done) == (stage, 2):
            raise KeyboardInterrupt

    config, file = small(teachers=1, dropout=0.2), tmp_path / "run.safetensors"
    with pytest.raises(Interrupted, match=str(tmp_path)):
        run(config, report=stop, checkpoint=file)
    assert comparable(run(config, checkpoint=file, resume=True)) == comparable(run(config))
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("method", ["vanilla", "m-mixup"])
def test_without_teachers_a_run_is_one_call_of_fit(method: str) -> None:
    config = small(method=method, dropout=0.2)
    data = prepare(load_dataset("MOTIF", **SMALL), config)
    model = initial_model(data.train, config)
    expected = fit(model, data, make_method(method, 0, {}), config.train_settings())
    assert run(config).curves == expected.history.curves


def test_label_corruption_reaches_the_training_split_alone() -> None:
    config = small(label_corruption=0.5)
    dataset = load_dataset("MOTIF", **SMALL)
    clean, corrupted = prepare(dataset, small()), prepare(dataset, config)
    assert int((clean.train.labels != corrupted.train.labels).sum()) == round(
        0.5 * len(clean.train)
    )
    assert torch.equal(clean.validation.y, corrupted.validation.y)
    assert torch.equal(clean.test.y, corrupted.test.y)


def test_splits() -> None:
    dataset = load_dataset("MOTIF", **SMALL)
    parts = prepare(dataset, small())
    assert [len(each) for each in (parts.train, parts.validation, parts.test)] == [48, 6, 6]
    folds = [prepare(dataset, small(split="fold", num_folds=5, fold=fold)) for fold in range(5)]
    assert sum(len(each.test) for each in folds) == 60
    with pytest.raises(
        UsageError, match="MOTIF has no official split: choose random, fold, few or"
    ):
        prepare(dataset, small(split="official"))
    with pytest.raises(UsageError) as told:
        prepare(replace(dataset, table={"day": ("1",) * 60}), small(split="official"))
    assert {name for name in SPLITS if name in str(told.value)} == set(SPLITS), "all are named"


def test_nested_folds() -> None:
    dataset = load_dataset("MOTIF", **SMALL)
    nested = {"split": "nested", "num_folds": 5, "split_seed": 0}
    tested = []
    for fold in range(5):
        data = prepare(dataset, small(**nested, fold=fold, seed=fold))
        split = nested_split(dataset.graphs.labels, 5, fold, seed=0)
        for name, positions in vars(split).items():
            assert torch.equal(getattr(data, name).ids, positions)
        tested += split.test.tolist()
    assert sorted(tested) == list(range(60))


@pytest.mark.parametrize("method", ["vanilla", "m-mixup"])
def test_training_anew_learns_from_the_validation_graphs_too(method: str) -> None:
    config = small(method=method, epochs=6)
    once, twice = run(config), run(replace(config, refit=True))
    for name in ("validation", "best_epoch", "epochs", "temperature"):
        assert getattr(twice, name) == getattr(once, name), "what chooses is the same"
    assert twice.curves["train_loss"] == once.curves["train_loss"]
    assert twice.test_loss != once.test_loss
    assert twice.test_loss == twice.curves["test_loss"][twice.best_epoch - 1]
    predicted = from_bytes(twice.predictions)
    assert np.nanmean(predicted.correct) == pytest.approx(twice.test)


def test_few_graphs_to_train_and_all_others_to_test() -> None:
    dataset = load_dataset("MOTIF", **SMALL)
    sizes = {"train": 9, "validation": 9, "test": 42}
    data = prepare(dataset, small(split="few", train_graphs=9))
    assert {name: len(getattr(data, name)) for name in sizes} == sizes
    assert data.train.labels.bincount().tolist() == [3, 3, 3]
    data = prepare(dataset, small(split="few", train_graphs=9, validation_graphs=12))
    assert (len(data.validation), len(data.test)) == (12, 39)
    with pytest.raises(UsageError, match="leave none of 60 to test"):
        prepare(dataset, small(split="few", train_graphs=30))


def test_the_features_of_three_graphs_serve_all() -> None:
    """Degrees that the training graphs do not have fall into the last column."""
    config = small(split="few", train_graphs=3, seed=1)
    data = prepare(load_dataset("MOTIF", **SMALL), config)
    largest = int(data.train.adj.row_sums().max())
    assert int(data.test.adj.row_sums().max()) > largest, "this seed proves nothing"
    assert data.test.num_features == largest + 1
    assert (data.test.x.sum(1) == 1).all()
    assert 0 <= run(config).test <= 1


@pytest.mark.parametrize("method", ["vanilla", "m-mixup"])
def test_testing_at_the_best_epochs_alone_changes_no_result(method: str) -> None:
    few = small(method=method, split="few", train_graphs=12, epochs=12)
    seldom, always = run(few), run(replace(few, test_every_epoch=True))
    ours, theirs = (
        {key: value for key, value in comparable(each).items() if key != "curves"}
        for each in (seldom, always)
    )
    assert ours == theirs
    assert str(seldom.curves) != str(always.curves), "some epochs were not tested"
    assert seldom.curves["validation"] == always.curves["validation"]


def test_methods_at_one_seed_start_from_the_same_weights() -> None:
    graphs = prepare(load_dataset("MOTIF", **SMALL), small()).train
    one, two, other = (initial_model(graphs, small(seed=seed)) for seed in (0, 0, 1))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert not all(
        torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True)
    )


def test_edges_that_a_backbone_does_not_take_are_left_out_of_all_splits(graphs: Graphs) -> None:
    bonded = graphs.replace(edge_attrs={"edge_attr": (graphs.adj, graphs.adj)})
    for backbone, width in (("gin", 0), ("gine", 2)):
        config = configure("MOTIF", backbone, "vanilla")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            data = prepare(Dataset("BONDED", bonded), config)
        assert [each.num_edge_features for each in (data.train, data.validation, data.test)] == [
            width
        ] * 3
        assert ["of BONDED: use" in str(each.message) for each in said] == [True] * (width == 0)


def test_a_backbone_for_features_of_edges_refuses_a_set_without() -> None:
    config = configure("MOTIF", "gine", "vanilla", epochs=1, dataset_options={"num_graphs": 12})
    with pytest.raises(SmixupError, match=r"these graphs have none: use the backbone gin\.$"):
        run(config)
