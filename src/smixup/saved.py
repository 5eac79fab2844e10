"""What has been learnt, on disk: tensors in safetensors, everything else in JSON, and a digest of
both, so that a changed bit is found. Nothing is executed when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor

from smixup.errors import SmixupError
from smixup.files import require_writable, restore_folder, whole_folder, write_whole

Tensors = dict[str, Tensor]

DIGEST = "digest"
FORMAT = "smixup-checkpoint-2"
UNFIT = (
    *(SafetensorError, OSError, ValueError, RuntimeError),
    *(AttributeError, LookupError, OverflowError, TypeError),
)
"""What goes wrong where values are not those that were written."""


@dataclass(frozen=True)
class SavedFolder:
    """The folder of one thing that has been trained, which is there whole or not at all.

    Attributes:
        path: of the folder.
        kind: what is in it, such as `model`: tensors are in `model.safetensors`, everything else,
            with the digest, in `model.json`.
        texts: names of texts to read beside them.
    """

    path: Path
    kind: str
    texts: tuple[str, ...] = ()

    @property
    def weights(self) -> Path:
        """The file of the tensors."""
        return self.path / f"{self.kind}.safetensors"

    @property
    def about(self) -> Path:
        """The file of everything else."""
        return self.path / f"{self.kind}.json"

    def require_place(self) -> None:
        """Refuse a folder in which something else lives, or where nothing can be written; nothing
        is left there.
        """
        names = {path.name for path in self.path.iterdir()} if self.path.is_dir() else set[str]()
        others = sorted(names - {self.weights.name, self.about.name, *self.texts})
        if others or self.path.is_file() or (names and self.about.name not in names):
            holds = f"holds {others[0]}" if others else f"is no {self.kind}"
            raise SmixupError(
                f"{self.path} exists and {holds}: name a new folder for the {self.kind}."
            )
        require_writable(self.path, f"the {self.kind}", folder=True)

    def write(self, about: Mapping[str, Any], tensors: Mapping[str, Tensor], *texts: str) -> None:
        """Write everything; what was there before stays until that is done."""
        self.require_place()
        whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
        described = json.dumps(seal(about, whole), indent=2)
        with whole_folder(self.path, f"the {self.kind}") as new:
            (new / self.weights.name).write_bytes(save(whole))
            for name, text in zip((self.about.name, *self.texts), (described, *texts), strict=True):
                (new / name).write_bytes(text.encode())

    def read_about(self) -> dict[str, Any]:
        """Return everything but the tensors; `read_tensors` tells whether it has changed."""
        restore_folder(self.path)
        if not self.about.is_file():
            raise SmixupError(
                f"there is no {self.kind} in {self.path}: {self.about.name} is missing."
            )
        with self.described():
            return dict(json.loads(self.about.read_bytes()))

    def read_tensors(self, about: Mapping[str, Any], *, sealed: bool = True) -> Tensors:
        """Return the tensors; refuse them, and `about`, if they are not those that were sealed."""
        with self.described():
            tensors: Tensors = load_file(self.weights)
            if sealed and not is_whole(about, tensors):
                raise SmixupError("it has changed since it was written")
        return tensors

    def described(self) -> AbstractContextManager[None]:
        """Say of what goes wrong in the block that the files cannot be used."""
        return _explained(self.path, f"train and save the {self.kind} again")


@dataclass(frozen=True)
class CheckpointFile:
    """Where the state of one run is kept: one safetensors file, with numbers and names in its
    header. One that was written with another fingerprint, of another configuration, is refused.
    """

    path: Path
    fingerprint: str

    def write(self, tensors: Mapping[str, Tensor], notes: Mapping[str, Any]) -> None:
        """Replace the file at once: a reader finds the old state or the new one, never a part."""
        header = {"format": FORMAT, "fingerprint": self.fingerprint, "notes": json.dumps(notes)}
        whole = {name: tensor.contiguous() for name, tensor in tensors.items()}
        write_whole(self.path, save(whole, seal(header, whole)), "the checkpoint")

    def read(self) -> tuple[Tensors, dict[str, Any]]:
        """Return tensors and notes, as they were written."""
        if not self.path.is_file():
            raise SmixupError(f"there is no checkpoint {self.path}; start without resuming.")
        with self.described():
            with safe_open(self.path, framework="pt") as file:
                header = file.metadata()
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if not is_whole(header, tensors):
                raise SmixupError("it has changed since it was written")
        if header["fingerprint"] != self.fingerprint:
            raise SmixupError(
                f"{self.path} belongs to a run with other settings or on other data; repeat its "
                "settings or name another."
            )
        return tensors, dict(json.loads(header["notes"]))

    def described(self) -> AbstractContextManager[None]:
        """Say of what goes wrong in the block that the file cannot be used."""
        return _explained(self.path, "delete it and start afresh")


@contextmanager
def _explained(path: Path, remedy: str) -> Iterator[None]:
    try:
        yield
    except (SmixupError, *UNFIT) as error:
        reason = f" ({str(error).rstrip('.')})" if isinstance(error, SmixupError) else ""
        raise SmixupError(f"{path} is damaged or does not fit{reason}; {remedy}.") from error


def seal(about: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Return plain values with a digest of them, and of tensors that are kept elsewhere."""
    return {**about, DIGEST: _digest(about, tensors)}


def is_whole(about: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> bool:
    """Tell whether values, and their tensors, are those that were sealed."""
    return DIGEST in about and about[DIGEST] == _digest(about, tensors)


def _digest(about: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    others = {key: value for key, value in about.items() if key != DIGEST}
    digest = sha256(json.dumps(others, sort_keys=True).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\n{name} {tensor.dtype} {[*tensor.shape]} ".encode())
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy())  # type: ignore[arg-type]
    return digest.hexdigest()


def joined(parts: Mapping[str, Mapping[str, Tensor]]) -> Tensors:
    """Return the tensors of several parts under names such as `part.tensor`."""
    return {f"{name}.{key}": part[key] for name, part in parts.items() for key in part}


def part(tensors: Mapping[str, Tensor], name: str) -> Tensors:
    """Return the tensors of one part, under their own names."""
    prefix = f"{name}."
    return {key.removeprefix(prefix): tensors[key] for key in tensors if key.startswith(prefix)}
