"""Two processes train the model that one process trains."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from multiprocessing.reduction import ForkingPickler

import pytest
import torch

from smixup.augment import Augmentation
from smixup.classifiers import GCN
from smixup.errors import SmixupError, UsageError
from smixup.training import Splits, TrainSettings, fit, loop
from smixup.training.parallel import SingleProcess, launch, make_fabric


@pytest.mark.slow
def test_two_processes_equal_one(splits: Splits) -> None:
    """Batches of 13, 13, 13 and 1 graphs: shares are unequal, and one is empty."""
    settings = TrainSettings(epochs=3, learning_rate=0.01, batch_size=13)
    models, results = [], []
    for devices in (1, 2):
        torch.manual_seed(0)
        model = GCN(3, 2, hidden_channels=8, num_layers=2)
        results.append(fit(model, splits, Augmentation(), replace(settings, devices=devices)))
        models.append(model)
    for one, two in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(two, one, rtol=1e-5, atol=1e-5)
    one, two = (torch.tensor(result.history.curves["train_loss"]) for result in results)
    torch.testing.assert_close(two, one, rtol=1e-5, atol=1e-5)


def test_an_error_of_ours_keeps_its_kind_and_message() -> None:
    def fail(fabric: object) -> None:
        raise UsageError("no such thing")

    fabric = make_fabric(TrainSettings(epochs=1, learning_rate=0.1, batch_size=1))
    with pytest.raises(UsageError, match="no such thing"):
        launch(fabric, fail)


def test_generators_go_to_another_process_as_they_are() -> None:
    launch(
        make_fabric(TrainSettings(epochs=1, learning_rate=0.1, batch_size=1)), lambda fabric: None
    )
    random = torch.Generator().manual_seed(4)
    torch.rand(3, generator=random)
    sent = bytes(ForkingPickler.dumps({"random": random}))
    expected = torch.rand(5, generator=random)
    assert torch.equal(torch.rand(5, generator=pickle.loads(sent)["random"]), expected)


def test_one_process_trains_as_a_fabric_of_one_does(
    splits: Splits, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lightning_fabric import Fabric

    settings = TrainSettings(epochs=3, learning_rate=0.01, batch_size=13)
    curves = []
    for make in (make_fabric, lambda settings: Fabric(accelerator="cpu", devices=1)):
        monkeypatch.setattr(loop, "make_fabric", make)
        torch.manual_seed(0)
        model = GCN(3, 2, hidden_channels=8, num_layers=2, dropout=0.5)
        curves.append(fit(model, splits, Augmentation(), settings).history.curves)
    assert isinstance(make_fabric(settings), SingleProcess)
    assert curves[0] == curves[1]


def test_auto_takes_a_gpu_if_there_is_one() -> None:
    settings = TrainSettings(epochs=1, learning_rate=0.1, batch_size=1, accelerator="auto")
    kind = "cuda" if torch.cuda.is_available() else "cpu"
    assert make_fabric(settings).device.type == kind


def test_several_processes_need_lightning_fabric(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightning_fabric", None)
    with pytest.raises(
        SmixupError, match=r"needs lightning-fabric, .*: pip install 'smixup\[lab\]'"
    ):
        make_fabric(TrainSettings(epochs=1, learning_rate=0.01, batch_size=1, devices=2))


@pytest.mark.slow
def test_training_on_one_cpu_does_not_import_lightning_fabric() -> None:
    code = (
        "import sys; from smixup.app.runs.config import configure; from smixup.app.runs.run import "
        "run\n"
        "run(configure('MOTIF', epochs=1, dataset_options={'num_graphs': 30}))\n"
        "sys.exit('lightning_fabric' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
