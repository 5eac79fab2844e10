"""Codes are refused where features are computed with, in a sentence that says how to read them."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor
from torch_geometric.data import Batch

from smixup.errors import SmixupError
from smixup.graphs.codes import OGB, Codes, FromSmiles, is_integer, outside


def holds_codes(values: object) -> bool:
    """Tell whether something is a tensor of integers that are not only zero or one."""
    return is_integer(values) and bool(((values != 0) & (values != 1)).any())


def features(batch: Batch, keep_codes: bool) -> Tensor:
    """Return `x` `[n, d]` to compute with, in single precision.

    Args:
        batch: with `x`.
        keep_codes: nobody will compute with them: integers stay what they are, codes or not.
    """
    x: Tensor = batch.x
    if not keep_codes:
        require_no_codes(batch)
    if x.is_floating_point() or not keep_codes:
        x = x.float()
    return x.unsqueeze(1) if x.dim() == 1 else x.flatten(1)


def restored(batch: Batch, like: Batch, codes: Codes | None) -> Batch:
    """Return what became of a batch with `x` as it was: codes again, and in the same shape.

    Args:
        batch: what was made.
        like: of what it was made.
        codes: by which it was read.
    """
    if codes is not None:
        return codes.decode(batch, like)
    if batch.x is None or like.x is None:
        return batch
    if batch.x.is_floating_point():
        require_no_codes(like)  # a method computed with them that says that it does not
    shape = like.x.shape[1:]
    if batch.x.shape[1:].numel() == shape.numel():
        batch.x = batch.x.reshape(-1, *shape)
    return batch


def require_no_codes(batch: Batch, field: str = "x") -> None:
    """Refuse codes where features, or attributes of edges, are computed with."""
    if holds_codes(getattr(batch, field, None)):
        raise SmixupError(refusal(field, batch[field]))


def refusal(field: str, values: Tensor) -> str:
    """Return the sentence that says what to do with codes."""
    low, high = int(values.min()), int(values.max())
    names = [f'encode="{name}"' for name in (*fitting(field, values), "one-hot")]
    todo = f"read them by {' or '.join(names)}, which SMixup, the matchers and from_pyg take"
    if low < 0:
        todo = "number categories from 0 on"
    return (
        f"'{field}' holds integers from {low} to {high}, as codes of categories do, and a mix "
        f"would average the categories: {todo}, or make them float, "
        f"`data.{field} = data.{field}.float()`, if they are quantities."
    )


def fitting(field: str, values: Tensor) -> Iterator[str]:
    """Yield the names of known layouts that have a place for all these codes."""
    for layout in (OGB(), FromSmiles()):
        counts, columns = layout.known.of(field), values.reshape(len(values), -1)
        if columns.size(1) == len(counts) and not outside(columns, counts).any():
            yield layout.name
