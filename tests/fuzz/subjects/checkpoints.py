"""Checkpoints of runs: accepted is what was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from smixup.checkpoint import CheckpointFile

from ..harness import Subject
from ..mutators import Files

FILE = "run.safetensors"


class Checkpoints(Subject):
    name = "checkpoints"

    def good(self) -> Sequence[Files]:
        path = self.work / FILE
        tensors = {"model.a": torch.arange(6.0).view(2, 3), "optimizer.0.step": torch.tensor(3)}
        notes = {"epoch": 3, "curves": {"loss": [0.5, 0.25]}}
        CheckpointFile(path, "print").write(tensors, notes)
        self.expected = _plain(tensors, notes)
        return [{FILE: path.read_bytes()}]

    def read(self, folder: Path) -> Any:
        return _plain(*CheckpointFile(folder / FILE, "print").read())

    def plain(self, files: Files) -> Any:
        return self.expected


def _plain(tensors: Any, notes: Any) -> Any:
    return {name: (str(each.dtype), each.tolist()) for name, each in sorted(tensors.items())}, notes
