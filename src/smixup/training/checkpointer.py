"""When the state of a run is kept."""

from __future__ import annotations

import time
from typing import Any

from smixup.checkpoint import CheckpointFile, Tensors
from smixup.training.history import History
from smixup.training.interrupt import Interrupted
from smixup.training.state import TrainState

SECONDS_BETWEEN_WRITES = 60.0


class Checkpointer:
    """Holds the state as of the last complete epoch, in memory and now and then on disk.

    An interruption may come anywhere inside an epoch; what is written then is the snapshot from
    before it.

    Args:
        state: the moving parts of the run.
        history: its curves.
        file: where to write; None keeps nothing.
    """

    def __init__(self, state: TrainState, history: History, file: CheckpointFile | None) -> None:
        self.state, self.history, self.file = state, history, file
        self.last: tuple[Tensors, dict[str, Any]] = ({}, {})
        self.last_write = time.perf_counter()
        self.snapshot()

    def snapshot(self) -> None:
        """Take a snapshot, and write it if the last one on disk is old."""
        if self.file is None:
            return
        self.last = (self.state.snapshot(), self.history.to_dict())
        if time.perf_counter() - self.last_write > SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        """Write the last snapshot."""
        if self.file is not None:
            self.file.write(*self.last)
            self.last_write = time.perf_counter()

    def interrupted(self) -> Interrupted:
        """Write the last snapshot and return the error that says how to go on."""
        self.write()
        if self.file is None:
            return Interrupted(
                "interrupted; nothing was kept, because no checkpoint file was named."
            )
        epochs = len(self.last[1]["curves"]["train_loss"])
        return Interrupted(
            f"interrupted after epoch {epochs}; {self.file.path} keeps it: repeat with --resume to "
            "go on."
        )


def resume_from(file: CheckpointFile, state: TrainState, history: History) -> None:
    """Give a run back the state and the curves that a checkpoint holds."""

    def take(tensors: Tensors, notes: dict[str, Any]) -> None:
        history.restore(notes)
        state.restore(tensors)

    file.restore(take)
