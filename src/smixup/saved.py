"""What has been learnt, on disk: tensors in safetensors, everything else in JSON, and a digest of
both, so that a changed bit is found. Nothing is executed when it is read.

Example::

    about = seal({"kind": "matcher", "version": 4}, tensors)
    is_whole(about, tensors)                        # True
    is_whole({**about, "version": 3}, tensors)      # False
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from smixup.errors import SmixupError
from smixup.files import parsed, require_writable, restore_folder, whole_folder

Tensors = dict[str, Tensor]

DIGEST = "digest"
UNREADABLE = (SafetensorError, OSError, ValueError)
UNFIT = (AttributeError, LookupError, OverflowError, RuntimeError, TypeError, ValueError)
"""What goes wrong where values are not those that were written."""


@dataclass(frozen=True)
class SavedFolder:
    """The folder of one thing that has been trained, which is there whole or not at all.

    Example::

        model/  model.safetensors   its tensors
                model.json          everything else, with the digest
                README.md           a text to read

    Attributes:
        path: of the folder.
        kind: what is in it; its files are called so.
        texts: names of the texts.
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
        if self.path.exists() and not self.path.is_dir():
            raise SmixupError(f"{self.path} is a file: name a new folder for the {self.kind}.")
        names = {path.name for path in self.path.iterdir()} if self.path.is_dir() else set[str]()
        others = sorted(names - {self.weights.name, self.about.name, *self.texts})
        if others or (names and self.about.name not in names):
            holds = others[0] if others else f"no {self.kind}"
            raise SmixupError(
                f"{self.path} exists and holds {holds}: name a new folder for the {self.kind}."
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
        about = self._read(self.about, lambda path: parsed(path.read_bytes()))
        return about if isinstance(about, dict) else {}

    def read_tensors(self, about: Mapping[str, Any], *, sealed: bool = True) -> Tensors:
        """Return the tensors; refuse them, and `about`, if they are not those that were sealed."""
        tensors: Tensors = self._read(self.weights, load_file)
        if sealed and not is_whole(about, tensors):
            raise self.changed()
        return tensors

    def changed(self) -> SmixupError:
        """Return the error for a folder with another digest than its own."""
        return SmixupError(
            f"the {self.kind} in {self.path} has changed since it was written; train and save it "
            "again."
        )

    @contextmanager
    def described(self) -> Iterator[None]:
        """Say of what goes wrong in the block that the files do not fit together."""
        try:
            yield
        except (SmixupError, *UNFIT) as error:
            reason = f" ({str(error).rstrip('.')})" if isinstance(error, SmixupError) else ""
            raise SmixupError(
                f"{self.path} is damaged: {self.weights.name} and {self.about.name} do not "
                f"describe one {self.kind}{reason}; train and save it again."
            ) from error

    def _read(self, path: Path, parse: Callable[[Path], Any]) -> Any:
        if not path.is_file():
            raise SmixupError(f"there is no {self.kind} in {self.path}: {path.name} is missing.")
        try:
            return parse(path)
        except UNREADABLE as error:
            raise SmixupError(
                f"{path} is truncated or no {self.kind}; train and save it again."
            ) from error


def seal(about: Mapping[str, Any], tensors: Mapping[str, Tensor] | None = None) -> dict[str, Any]:
    """Return plain values with a digest of them, and of tensors that are kept elsewhere."""
    return {**about, DIGEST: _digest(about, tensors)}


def is_whole(about: Mapping[str, Any], tensors: Mapping[str, Tensor] | None = None) -> bool:
    """Tell whether values, and their tensors, are those that were sealed."""
    return DIGEST in about and about[DIGEST] == _digest(about, tensors)


def joined(parts: Mapping[str, Mapping[str, Tensor]]) -> Tensors:
    """Return the tensors of several parts under names such as `part.tensor`."""
    return {f"{name}.{key}": part[key] for name, part in parts.items() for key in part}


def part(tensors: Mapping[str, Tensor], name: str) -> Tensors:
    """Return the tensors of one part, under their own names."""
    prefix = f"{name}."
    return {key.removeprefix(prefix): tensors[key] for key in tensors if key.startswith(prefix)}


def _digest(about: Mapping[str, Any], tensors: Mapping[str, Tensor] | None) -> str:
    others = {key: value for key, value in about.items() if key != DIGEST}
    digest = sha256(json.dumps(others, sort_keys=True).encode())
    for name, tensor in sorted((tensors or {}).items()):
        digest.update(f"\n{name} {tensor.dtype} {[*tensor.shape]} ".encode())
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy())  # type: ignore[arg-type]
    return digest.hexdigest()
