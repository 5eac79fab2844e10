"""What the nodes of a graph are called in pictures: symbols where they are atoms."""

from __future__ import annotations

import torch
from torch import Tensor

from smixup.datasets.atoms import ATOM_VALUES, SYMBOLS


def symbols_of(x: Tensor) -> tuple[str, ...] | None:
    """Return the symbols of atoms, if features are those of molecules; None if they are not.

    They are where there is one value in each of the nine columns that atoms have here and at OGB,
    one-hot: `datasets/atoms.py`.

    Args:
        x: features `[n, d]`.
    """
    if x.dim() != 2 or x.size(1) != sum(ATOM_VALUES) or not bool(((x == 0) | (x == 1)).all()):
        return None
    columns = torch.stack([each.float().sum(1) for each in x.split(list(ATOM_VALUES), 1)], 1)
    if not bool((columns == 1).all()):
        return None
    return tuple(SYMBOLS[place] for place in x[:, : ATOM_VALUES[0]].float().argmax(1).tolist())
