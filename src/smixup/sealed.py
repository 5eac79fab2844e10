"""JSON with a digest of what it says, and of tensors that belong to it: a changed bit is found.

Example::

    about = seal({"kind": "matcher", "version": 4}, tensors)
    is_whole(about, tensors)                        # True
    is_whole({**about, "version": 3}, tensors)      # False
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

DIGEST = "digest"


def seal(about: Mapping[str, Any], tensors: Mapping[str, Tensor] | None = None) -> dict[str, Any]:
    """Return plain values with a digest of them, and of tensors that are kept elsewhere."""
    return {**about, DIGEST: _digest(about, tensors)}


def is_whole(about: Mapping[str, Any], tensors: Mapping[str, Tensor] | None = None) -> bool:
    """Tell whether values, and their tensors, are those that were sealed."""
    return DIGEST in about and about[DIGEST] == _digest(about, tensors)


def parsed(content: bytes | str) -> Any:
    """Return what JSON says; anything else, also what is nested too deeply, is a `ValueError`."""
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _digest(about: Mapping[str, Any], tensors: Mapping[str, Tensor] | None) -> str:
    others = {key: value for key, value in about.items() if key != DIGEST}
    found = sha256(json.dumps(others, sort_keys=True).encode())
    for name, tensor in sorted((tensors or {}).items()):
        found.update(f"\n{name} {tensor.dtype} {[*tensor.shape]} ".encode())
        found.update(_bytes(tensor))
    return found.hexdigest()


def _bytes(tensor: Tensor) -> Any:
    """Return the bytes of a tensor, without a copy where they lie in order."""
    import torch

    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy()
