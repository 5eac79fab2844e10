"""What the nodes of a graph are called in pictures: symbols where they are atoms."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from smixup.datasets.atoms import ATOM_VALUES, SYMBOLS
from smixup.datasets.published_labels import NODE_LABELS


def symbols_of(x: Tensor, dataset: str = "") -> tuple[str, ...] | None:
    """Return the symbols of atoms, if features are those of molecules; None if they are not.

    They are where there is one value in each of the nine columns that atoms have here and at OGB,
    one-hot: `datasets/atoms.py`. Of published sets they are what the publisher says of the labels.

    Args:
        x: features `[n, d]`.
        dataset: whose features these are, if that is known.
    """
    words = NODE_LABELS.get(dataset)
    if words is not None and _is_one_hot(x, (len(words),)):
        return tuple(words[place] for place in x.float().argmax(1).tolist())
    if not _is_one_hot(x, ATOM_VALUES):
        return None
    return tuple(SYMBOLS[place] for place in x[:, : ATOM_VALUES[0]].float().argmax(1).tolist())


def _is_one_hot(x: Tensor, widths: Sequence[int]) -> bool:
    """Tell whether features are columns one-hot beside each other, of these widths."""
    if x.dim() != 2 or x.size(1) != sum(widths) or not bool(((x == 0) | (x == 1)).all()):
        return False
    columns = torch.stack([each.float().sum(1) for each in x.split(list(widths), 1)], 1)
    return bool((columns == 1).all())
