"""Categories that are written as integers: the `x` and `edge_attr` of OGB, ZINC and `from_smiles`.

Such codes are meant for `nn.Embedding`. The average of two of them is a third category, so they are
refused wherever features are computed with, unless it is said how to read them::

    SMixup(encode="ogb")                     # OGB's atoms and bonds
    SMixup(encode="from-smiles")             # those of torch_geometric.utils.from_smiles
    SMixup(encode="one-hot")                 # fit(train) counts the values of every column
    SMixup(encode=Codes(nodes=(28,), edges=(4,)))

Integers that are only zero or one are indicators, which can be averaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeGuard, TypeVar

import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs.graphs import AnyGraphs, Graphs
from smixup.settings import Choice, Choices, Count

if TYPE_CHECKING:
    from torch_geometric.data import Batch, Data

FIELDS = ("x", "edge_attr")
WIDEST = 10_000
"""More values than this in all are no categories, but numbers of something."""

AnyData = TypeVar("AnyData", bound="Data")


@dataclass(frozen=True)
class Layout(Choice):
    """A way to find out how many values each column of codes may take."""

    @property
    def known(self) -> Codes | None:
        """The numbers of values, if they depend on no data."""
        return None


@dataclass(frozen=True)
class Codes(Layout):
    """How many values each column of `x` and of `edge_attr` may take.

    Example::

        codes = Codes(nodes=(28,), edges=(4,))      # ZINC: 28 kinds of atoms, bonds 0 to 3
        features = codes.encode(batch)              # x is float, [n, 28]; edge_attr [m, 4]
        codes.decode(features, like=batch)          # the batch again

    Attributes:
        nodes: of the columns of `x`; empty if `x` is no code.
        edges: of the columns of `edge_attr`; empty if it is no code.
    """

    nodes: tuple[Count, ...] = ()
    edges: tuple[Count, ...] = ()

    name: ClassVar[str] = "codes"

    def __post_init__(self) -> None:
        for name in ("nodes", "edges"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        super().__post_init__()

    @property
    def known(self) -> Codes:
        return self

    def of(self, field: str) -> tuple[int, ...]:
        """Return the numbers of values of the columns of `x` or `edge_attr`."""
        return self.nodes if field == "x" else self.edges

    def are_features_of(self, graphs: Graphs) -> bool:
        """Tell whether features are these codes, one-hot."""
        return bool(self.nodes) and graphs.num_features == sum(self.nodes)

    def encode(self, batch: AnyData) -> AnyData:
        """Return a copy in which codes are one-hot, column beside column, in single precision.

        Integer `x` `[n]` or `[n, c]` becomes `[n, sum(nodes)]`, integer `edge_attr` likewise. What
        is float, or bool, stays as it is.
        """
        encoded = copy(batch)
        for field, values in _integers(batch).items():
            if counts := self.of(field):
                encoded[field] = _one_hot(field, values, counts)
        return encoded

    def decode(self, batch: AnyData, like: Data) -> AnyData:
        """Return a copy in which one-hot columns are codes again, of the type and shape in `like`.

        A row that is a mix of several becomes the category with the greatest share, column by
        column.
        """
        decoded = copy(batch)
        for field, before in _integers(like).items():
            if counts := self.of(field):
                blocks = batch[field].split(counts, 1)
                values = torch.stack([block.argmax(1) for block in blocks], 1)
                decoded[field] = values.reshape(-1, *before.shape[1:]).to(before.dtype)
        return decoded


@dataclass(frozen=True)
class OneHot(Layout):
    """As many values as occur in the training graphs: the largest code of a column and one more."""

    name: ClassVar[str] = "one-hot"


@dataclass(frozen=True)
class OGB(Layout):
    """OGB's molecules: `get_atom_feature_dims()` and `get_bond_feature_dims()` of
    `ogb.utils.features` (1.3.6).
    """

    name: ClassVar[str] = "ogb"

    @property
    def known(self) -> Codes:
        return Codes(nodes=(119, 5, 12, 12, 10, 6, 6, 2, 2), edges=(5, 6, 2))


@dataclass(frozen=True)
class FromSmiles(Layout):
    """Molecules of `torch_geometric.utils.from_smiles`, as the installed version makes them."""

    name: ClassVar[str] = "from-smiles"

    @property
    def known(self) -> Codes:
        from torch_geometric.utils.smiles import e_map, x_map

        return Codes(tuple(map(len, x_map.values())), tuple(map(len, e_map.values())))


LAYOUTS: Choices[Layout] = Choices("encoding", OneHot, OGB, FromSmiles, Codes)
Encoding = str | Layout | None
"""What `encode` may be: a name, an object, or nothing, where there are no codes."""


def layout_of(encode: Encoding) -> Layout | None:
    """Return the layout that is meant, None if there are to be no codes."""
    return None if encode is None else LAYOUTS.of(encode)


def learn_codes(encode: Encoding, train: AnyGraphs) -> Codes | None:
    """Return how to read the codes of training graphs; None if there are to be none.

    A dataset is gone through twice, so it must not be an iterator.
    """
    layout = layout_of(encode)
    if layout is None:
        return None
    if isinstance(train, Graphs):  # converted before, by the same codes
        if layout.known is None or not layout.known.are_features_of(train):
            raise SmixupError(
                f'encode="{layout}" reads integers, but the graphs were converted before, to '
                f"{train.num_features} features: leave encode out."
            )
        return layout.known
    held = [*map(_integers, [train] if hasattr(train, "edge_index") else train)]
    if not any(held):
        raise SmixupError(
            f'encode="{layout}" reads integers, but neither x nor edge_attr holds any: make codes '
            "integer by `.long()`, or leave encode out."
        )
    return layout.known or Codes(*(_counted(field, held) for field in FIELDS))


def _counted(field: str, held: Iterable[Mapping[str, Tensor]]) -> tuple[int, ...]:
    """Return how many values each column takes in any graph."""
    columns = [as_columns(codes[field]) for codes in held if field in codes and len(codes[field])]
    if not columns:
        return ()
    low = min(int(values.min()) for values in columns)
    largest = torch.stack([values.amax(0).long().cpu() for values in columns])
    counts: list[int] = (largest.amax(0) + 1).tolist()
    if low < 0 or sum(counts) > WIDEST:
        raise SmixupError(
            f"'{field}' holds integers from {low} to {max(counts) - 1}, and codes are few and "
            "counted from 0 on: number the categories anew, make the integers float if they are "
            "quantities, leave them out if they number something."
        )
    return tuple(counts)


def require_learnt(encode: Encoding, codes: Codes | None) -> Codes | None:
    """Return the codes that were learnt, None if there are to be none; refuse if they were not."""
    if codes is None and encode is not None:
        raise SmixupError(
            f'encode="{encode}" learns from the training graphs how many values there are: call '
            "fit(train) before."
        )
    return codes


def is_integer(values: object) -> TypeGuard[Tensor]:
    """Tell whether something is a tensor of integers; truth values are none."""
    kinds = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
    return isinstance(values, Tensor) and values.dtype in kinds


def _integers(data: Data) -> dict[str, Tensor]:
    """Return those of `x` and `edge_attr` that hold integers."""
    values = {field: getattr(data, field, None) for field in FIELDS}
    return {field: each for field, each in values.items() if is_integer(each)}


def as_columns(values: Tensor) -> Tensor:
    """Return numbers of nodes, or edges, as columns: `[n]` as `[n, 1]`."""
    return values.unsqueeze(1) if values.dim() == 1 else values.flatten(1)


def _one_hot(field: str, values: Tensor, counts: Sequence[int]) -> Tensor:
    columns = as_columns(values).long()
    if columns.size(1) != len(counts):
        raise SmixupError(
            f"'{field}' has {columns.size(1)} columns of codes, but the encoding knows "
            f'{len(counts)}: give an encode that fits, or encode="one-hot" to learn it in fit.'
        )
    if len(places := _outside(columns, counts).nonzero()):
        row, column = places[0].tolist()
        argument = "nodes" if field == "x" else "edges"
        raise SmixupError(
            f"'{field}' holds {int(columns[row, column])} in column {column}, where the encoding "
            f'has 0 to {counts[column] - 1}: use encode="one-hot", fitted on graphs with all '
            f"values that occur, or give their numbers, encode=Codes({argument}=(...))."
        )
    first = torch.tensor([0, *counts[:-1]], device=columns.device).cumsum(0)
    zeros = torch.zeros(len(columns), sum(counts), device=columns.device)
    return zeros.scatter_(1, columns + first, 1.0)


def _outside(columns: Tensor, counts: Sequence[int]) -> Tensor:
    """Mark the codes that have no place, `[n, c]`."""
    return (columns < 0) | (columns >= torch.tensor(counts, device=columns.device))


def holds_codes(values: object) -> TypeGuard[Tensor]:
    """Tell whether something is a tensor of integers that are not only zero or one."""
    return is_integer(values) and bool(((values != 0) & (values != 1)).any())


def require_no_codes(batch: Batch, field: str = "x") -> None:
    """Refuse codes where features, or attributes of edges, are computed with."""
    values = getattr(batch, field, None)
    if not holds_codes(values):
        return
    low, columns, names = int(values.min()), as_columns(values), ["one-hot"]
    for layout in (FromSmiles(), OGB()):
        counts = layout.known.of(field)
        if columns.size(1) == len(counts) and not _outside(columns, counts).any():
            names.insert(0, layout.name)
    ways = " or ".join(f'encode="{name}"' for name in names)
    todo = f"read them by {ways}, which SMixup, the matchers and from_pyg take"
    raise SmixupError(
        f"'{field}' holds integers from {low} to {int(values.max())}, as codes of categories do, "
        "and a mix would average the categories: "
        f"{todo if low >= 0 else 'number categories from 0 on'}, or make them float, "
        f"`data.{field} = data.{field}.float()`, if they are quantities."
    )


def features(batch: Batch, keep_codes: bool) -> Tensor:
    """Return `x` `[n, d]` in single precision to compute with; or, if codes are kept, as it is."""
    if keep_codes and not batch.x.is_floating_point():
        return as_columns(batch.x)
    require_no_codes(batch)
    if batch.x.is_complex():
        raise SmixupError("x is complex: make real columns of it, torch.view_as_real(x).")
    return as_columns(batch.x.float())


def restored(batch: Batch, like: Batch, codes: Codes | None) -> Batch:
    """Return what became of a batch `like` with `x` as it was there: codes again if it was read by
    `codes`, and in the same shape.
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
