"""Training from disk is training from memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from smixup.app.runs.config import configure
from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.app.runs.run import run
from smixup.augment import Augmentation, DropEdge, SMixup
from smixup.classifiers import GCN, GIN, Classifier
from smixup.errors import UsageError
from smixup.graphs import Graphs, pack
from smixup.training import CheckpointFile, Interrupted, Splits, TrainSettings, fit

SETTINGS = TrainSettings(epochs=3, learning_rate=0.01, batch_size=16)
FEW_STEPS = {"matcher.max_steps": 2, "matcher.hidden_channels": 4, "partners": 2}


def fresh() -> Classifier:
    torch.manual_seed(3)
    return GIN(3, 2, hidden_channels=8, num_layers=2)


@pytest.fixture
def on_disk(splits: Splits, tmp_path: Path) -> Splits:
    """The same splits as subsets of one packed set."""
    assert isinstance(splits.train, Graphs)
    whole = Graphs.cat([splits.train, splits.validation, splits.test])  # type: ignore[list-item]
    packed = pack(whole.replace(ids=torch.arange(60)), tmp_path / "set")
    parts = torch.arange(60).split([40, 10, 10])
    return Splits(*(packed.subset(part) for part in parts))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", [Augmentation, lambda: DropEdge(seed=1)])
def test_to_the_bit(splits: Splits, on_disk: Splits, method: Callable[[], Augmentation]) -> None:
    memory, disk = fresh(), fresh()
    expected = fit(memory, splits, method(), SETTINGS)
    found = fit(disk, on_disk, method(), SETTINGS)
    assert found.history.curves == expected.history.curves
    assert torch.equal(found.test.logits, expected.test.logits)
    assert torch.equal(found.validation.logits, expected.validation.logits)
    for name, tensor in memory.state_dict().items():
        assert torch.equal(tensor, disk.state_dict()[name]), name


def test_s_mixup_but_for_rounding(
    splits: Splits, on_disk: Splits, tiny: Callable[..., object]
) -> None:
    results = [
        fit(fresh(), data, SMixup(tiny(), seed=2, partners=2), SETTINGS)  # type: ignore[arg-type]
        for data in (splits, on_disk)
    ]
    expected, found = (torch.tensor(each.history.curves["train_loss"]) for each in results)
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in METHODS if name not in SAME_NODES])
def test_every_method_trains_from_disk_or_says_why_not(name: str, on_disk: Splits) -> None:
    settings = FEW_STEPS if name in ("s-mixup", "s-cut") else {}
    method = make_method(name, 0, settings)
    if method.grows:
        with pytest.raises(UsageError, match="load it into memory"):
            fit(fresh(), on_disk, method, SETTINGS)
    else:
        assert fit(fresh(), on_disk, method, SETTINGS).history.epochs == 3


def test_it_resumes(on_disk: Splits, tmp_path: Path) -> None:
    def stop(progress: object) -> None:
        if getattr(progress, "done", 0) == 2:
            raise KeyboardInterrupt

    whole = fit(fresh(), on_disk, DropEdge(seed=1), SETTINGS)
    file = CheckpointFile(tmp_path / "state.safetensors", "run")
    with pytest.raises(Interrupted):
        fit(fresh(), on_disk, DropEdge(seed=1), SETTINGS, stop, file)
    again = fit(fresh(), on_disk, DropEdge(seed=1), SETTINGS, checkpoint=file, resume=True)
    assert again.history.curves == whole.history.curves


@pytest.mark.slow
def test_two_processes(on_disk: Splits, warm: None) -> None:
    models = []
    for devices in (1, 2):
        torch.manual_seed(0)
        model = GCN(3, 2, hidden_channels=8, num_layers=2)
        fit(model, on_disk, Augmentation(), replace(SETTINGS, devices=devices))
        models.append(model)
    for one, two in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(two, one, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("features", ["constant", "degree"])
def test_a_run_from_a_folder_is_the_run_by_name(features: str, tmp_path: Path) -> None:
    from smixup.datasets import load_dataset
    from smixup.datasets.packed_set import pack_dataset

    options = {"num_graphs": 40, "features": features}
    pack_dataset(load_dataset("MOTIF", None, **options), tmp_path / "motif")
    settings = {"epochs": 2, "batch_size": 8, "batch_norm": True, "learning_rate": 0.01}
    settings |= {"label_corruption": 0.2}
    by_name = run(configure("MOTIF", "gcn", dataset_options=options, **settings))
    config = configure(str(tmp_path / "motif"), "gcn", **settings)
    found = run(config)
    assert found.curves == by_name.curves
    assert found.test == by_name.test


def test_what_is_in_a_folder_counts_for_a_run(splits: Splits, tmp_path: Path) -> None:
    assert isinstance(splits.train, Graphs)
    pack(splits.train, tmp_path / "set")
    before = configure(str(tmp_path / "set")).fingerprint()
    pack(splits.train, tmp_path / "set")
    assert configure(str(tmp_path / "set")).fingerprint() == before
    pack(splits.train[:39], tmp_path / "set")
    assert configure(str(tmp_path / "set")).fingerprint() != before


def test_a_packed_dataset_keeps_its_preset(splits: Splits, tmp_path: Path) -> None:
    assert isinstance(splits.train, Graphs)
    pack(splits.train, tmp_path / "set", notes={"name": "REDDIT-MULTI-5K"})
    found, expected = configure(str(tmp_path / "set")), configure("REDDIT-MULTI-5K")
    names = ("epochs", "learning_rate", "batch_size", "num_layers", "hidden_channels", "split")
    assert [getattr(found, name) for name in names] == [getattr(expected, name) for name in names]
    pack(splits.train, tmp_path / "own")
    assert configure(str(tmp_path / "own")).epochs == configure("UNHEARD-OF").epochs
