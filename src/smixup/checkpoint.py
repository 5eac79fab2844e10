"""A run on disk: one safetensors file, numbers and names in its header, nothing that executes when
it is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from smixup.errors import SmixupError
from smixup.files import parsed, require_writable, write_whole
from smixup.saved import UNFIT, UNREADABLE, Tensors, is_whole, seal

KIND = "smixup-checkpoint-"
FORMAT = f"{KIND}2"
BEFORE = f"{KIND}1"  # without a digest


@dataclass(frozen=True)
class CheckpointFile:
    """Where the state of one run is kept.

    Attributes:
        path: the file; its folder is made when needed.
        fingerprint: of the run's configuration; a file with another fingerprint is refused.
    """

    path: Path
    fingerprint: str

    @property
    def exists(self) -> bool:
        """Whether there is such a file."""
        return self.path.is_file()

    def write(self, tensors: Mapping[str, Tensor], notes: Mapping[str, Any]) -> None:
        """Replace the file at once: whoever reads it finds the old state or the new one, never a
        part.
        """
        header = {"format": FORMAT, "fingerprint": self.fingerprint, "notes": json.dumps(notes)}
        whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
        write_whole(self.path, save(whole, seal(header, whole)), "the checkpoint")

    def read(self) -> tuple[Tensors, dict[str, Any]]:
        """Return tensors and notes, as they were written; a file in which a bit has changed is
        refused.
        """
        if not self.exists:
            raise SmixupError(f"there is no checkpoint {self.path}; start without resuming.")
        try:
            with safe_open(self.path, framework="pt") as file:
                header = file.metadata() or {}
                self._check(header)
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
                notes = parsed(header["notes"])
        except UNREADABLE as error:
            raise self._damaged("is truncated or no checkpoint") from error
        if header["format"] == FORMAT and not is_whole(header, tensors):
            raise self._damaged("has changed since it was written")
        if not isinstance(notes, dict):
            raise self._damaged("holds no notes of a run")
        return tensors, notes

    def restore(self, take: Callable[[Tensors, dict[str, Any]], None]) -> None:
        """Hand tensors and notes to a function; if it cannot do with them, they are of another
        run.
        """
        tensors, notes = self.read()
        try:
            take(tensors, notes)
        except UNFIT as error:
            raise self._damaged("does not hold the state of this run") from error

    def _damaged(self, what: str) -> SmixupError:
        return SmixupError(f"{self.path} {what}; delete it and start afresh.")

    def _check(self, header: Mapping[str, str]) -> None:
        if header.get("format") not in (FORMAT, BEFORE) or "notes" not in header:
            raise SmixupError(
                f"{self.path} is no checkpoint of this version of smixup; name another file."
            )
        if header.get("fingerprint") != self.fingerprint:
            raise SmixupError(
                f"{self.path} belongs to a run with other settings or on other data; repeat its "
                "settings or name another."
            )


def is_checkpoint(path: Path) -> bool:
    """Tell whether a file can be read as a checkpoint, of whatever run."""
    try:
        with safe_open(path, framework="pt") as file:
            return str((file.metadata() or {}).get("format")).startswith(KIND)
    except UNREADABLE:
        return False


def require_place(path: Path) -> None:
    """Refuse a file that holds something else, and a place where nothing can be written."""
    if path.is_file() and path.stat().st_size and not is_checkpoint(path):
        raise SmixupError(f"{path} is there and is no checkpoint: delete it, or name another file.")
    require_writable(path, "the checkpoint")


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    """Return what an optimizer remembers of each parameter, as `place.name`."""
    state = optimizer.state_dict()["state"]
    return {
        f"{place}.{name}": torch.as_tensor(value)
        for place, all in state.items()
        for name, value in all.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Give an optimizer back what `optimizer_tensors` returned."""
    state: dict[int, Tensors] = {}
    for key, tensor in tensors.items():
        place, name = key.split(".", 1)
        state.setdefault(int(place), {})[name] = tensor
    optimizer.load_state_dict(
        {"state": state, "param_groups": optimizer.state_dict()["param_groups"]}
    )
