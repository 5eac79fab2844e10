"""Training from disk is training from memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import Augmentation, DropEdge
from smixup.classifiers import GIN, Classifier
from smixup.errors import UsageError
from smixup.graphs import Graphs, pack
from smixup.progress import Progress
from smixup.training import (
    CheckpointFile,
    Interrupted,
    Splits,
    TrainSettings,
    fit,
)

SETTINGS = TrainSettings(epochs=4, learning_rate=0.01, batch_size=16, seed=5)


def fresh(seed: int = 0) -> Classifier:
    torch.manual_seed(seed)
    return GIN(3, 2, hidden_channels=8, num_layers=2, dropout=0.2)


def same(one: Classifier, two: Classifier) -> bool:
    return all(map(torch.equal, one.state_dict().values(), two.state_dict().values()))


@pytest.fixture
def on_disk(splits: Splits, tmp_path: Path) -> Splits:
    """The same splits as subsets of one packed set."""
    whole = Graphs.cat([splits.train, splits.validation, splits.test])  # type: ignore[list-item]
    packed = pack(whole.replace(ids=torch.arange(60)), tmp_path / "set")
    parts = torch.arange(60).split([40, 10, 10])
    return Splits(*(packed.subset(part) for part in parts))  # type: ignore[arg-type]


@pytest.mark.parametrize("method", [Augmentation, lambda: DropEdge(seed=1)])
def test_training_from_disk_is_training_from_memory(
    splits: Splits, on_disk: Splits, method: Callable[[], Augmentation], tmp_path: Path
) -> None:
    memory, disk = fresh(), fresh()
    expected = fit(memory, splits, method(), SETTINGS)
    found = fit(disk, on_disk, method(), SETTINGS)
    assert found.history.curves == expected.history.curves
    assert torch.equal(found.test.logits, expected.test.logits) and same(memory, disk)

    def stop(progress: Progress) -> None:
        if (progress.stage, progress.done) == ("training", 2):
            raise KeyboardInterrupt

    file = CheckpointFile(tmp_path / "state.safetensors", "run")
    with pytest.raises(Interrupted):
        fit(fresh(), on_disk, method(), SETTINGS, stop, file)
    again = fit(fresh(), on_disk, method(), SETTINGS, checkpoint=file, resume=True)
    assert again.history.curves == expected.history.curves


@pytest.mark.parametrize("name", [name for name in METHODS if name not in SAME_NODES])
def test_every_method_trains_from_disk_or_says_why_not(name: str, on_disk: Splits) -> None:
    few = {"matcher.max_steps": 2, "matcher.hidden_channels": 4, "partners": 2}
    method = make_method(name, 0, few if name in ("s-mixup", "s-cut") else {})
    if method.grows:
        with pytest.raises(UsageError, match="load it into memory"):
            fit(fresh(), on_disk, method, SETTINGS)
    else:
        assert fit(fresh(), on_disk, method, replace(SETTINGS, epochs=2)).history.epochs == 2
