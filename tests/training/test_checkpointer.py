"""The state goes to disk when the last one there is old, and when the run is stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from smixup.augment import Augmentation
from smixup.checkpoint import CheckpointFile
from smixup.classifiers import GCN
from smixup.errors import SmixupError
from smixup.training import checkpointer as module
from smixup.training.checkpointer import Checkpointer, resume_from
from smixup.training.evaluation import Evaluation
from smixup.training.history import History
from smixup.training.state import TrainState


@pytest.fixture
def state() -> TrainState:
    model = GCN(3, 2, hidden_channels=4, num_layers=1)
    return TrainState(
        model, torch.optim.Adam(model.parameters()), Augmentation(), torch.Generator()
    )


def test_writes_now_and_then(
    state: TrainState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(module.time, "perf_counter", lambda: now)
    file, history = CheckpointFile(tmp_path / "run", "a"), History()
    keeper = Checkpointer(state, history, file)
    history.record(1.0, Evaluation(1, 0), Evaluation(1, 0))
    now = module.SECONDS_BETWEEN_WRITES - 1
    keeper.snapshot()
    assert not file.path.exists()
    now += 2
    keeper.snapshot()
    assert len(file.read()[1]["curves"]["train_loss"]) == 1


def test_an_interruption_writes_the_last_snapshot_not_the_present_state(
    state: TrainState, tmp_path: Path
) -> None:
    file, history = CheckpointFile(tmp_path / "run", "a"), History()
    keeper = Checkpointer(state, history, file)
    before = state.model.head[0].bias.detach().clone()
    with torch.no_grad():
        state.model.head[0].bias.add_(1)
    history.record(1.0, Evaluation(1, 0), Evaluation(1, 0))
    assert "after epoch 0" in str(keeper.interrupted())
    assert torch.equal(file.read()[0]["model.head.0.bias"], before)


def test_a_place_that_fails_is_a_warning_and_training_goes_on(
    state: TrainState, tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    keeper = Checkpointer(state, History(), CheckpointFile(tmp_path / "run", "a"))
    with pytest.warns(UserWarning, match="state of the run is not kept: cannot") as warned:
        keeper.write()
        keeper.write()
    assert len(warned) == 1, "said once"
    told = str(keeper.interrupted())
    assert told.startswith("interrupted; its state is not kept: cannot write the checkpoint")


def test_a_run_goes_on_from_its_file_and_from_no_other(state: TrainState, tmp_path: Path) -> None:
    file, history = CheckpointFile(tmp_path / "run.safetensors", "f"), History()
    history.record(1.0, Evaluation(0.5, 0.5))
    Checkpointer(state, history, file).write()
    weights = {name: tensor.clone() for name, tensor in state.model.state_dict().items()}
    state.model.head[0].weight.data.zero_()
    found = History()
    resume_from(file, state, found)
    assert found.curves["validation"] == [0.5]
    assert all(torch.equal(weights[name], each) for name, each in state.model.state_dict().items())
    tensors, notes = file.read()
    for missing in tensors:
        file.write({name: each for name, each in tensors.items() if name != missing}, notes)
        with pytest.raises(SmixupError, match="does not hold the state of this run"):
            resume_from(file, state, History())
    file.write(tensors, {"curves": 3})
    with pytest.raises(SmixupError, match="does not hold the state of this run"):
        resume_from(file, state, History())


def test_without_a_file_nothing_is_kept(state: TrainState) -> None:
    keeper = Checkpointer(state, History(), None)
    keeper.snapshot()
    keeper.write()
    assert keeper.last == ({}, {})
    assert "nothing was kept" in str(keeper.interrupted())
