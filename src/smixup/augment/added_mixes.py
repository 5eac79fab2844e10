"""Methods that put mixes of pairs behind the training split, once, by optimal transport.

Both graphs are carried onto common nodes, each an average of nodes of G1, and one of nodes of G2:

    X' = lam P1 X1 + (1 - lam) P2 X2        A' = lam P1 A1 P1^T + (1 - lam) P2 A2 P2^T

with rows of P1 and P2 that sum to one. That is Eq. (4) and (5); S-Mixup leaves G1 where it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from smixup.augment.base import Augmentation, RandomAugmentation
from smixup.augment.mixing import transform, with_degrees
from smixup.augment.pairing import draw_any
from smixup.errors import SmixupError, warn_user
from smixup.graphs import Graphs, Padding, SparseOperator, from_blocks
from smixup.matching.fgw import masses, with_sums
from smixup.settings import Count, NotNegative


@dataclass
class AddedMixes(RandomAugmentation):
    """Adds mixes of pairs to the training split, once.

    Attributes:
        amount: mixes added per graph of the training split.
        max_nodes: larger graphs are not mixed, as every node of a pair meets every other; a warning
            tells how many these are.
    """

    amount: NotNegative = 0.25
    max_nodes: Count = 400

    reads_features: ClassVar[bool] = True

    def on_dataset(self, train: Graphs) -> Graphs:
        """Return the training split with mixes behind its graphs."""
        number = round(self.amount * len(train))
        if number == 0:
            return train
        small = train[small_graphs(self, train, self.max_nodes)].to("cpu").floating()
        new = with_degrees(self.mixes(small, number))
        if train.degree_encoding is not None:
            new = new.replace(x=new.x.to(train.x.dtype))
        return Graphs.cat([train, new.to(train.device)])

    @abstractmethod
    def mixes(self, graphs: Graphs, number: int) -> Graphs:
        """Return so many mixes of graphs, on the CPU; their numbers are those of their first
        graphs.
        """


def small_graphs(method: Augmentation, graphs: Graphs, max_nodes: int) -> Tensor:
    """Return the places of graphs that are small enough for a method; say how many are not."""
    fine = graphs.sizes <= max_nodes
    if large := int((~fine).sum()):
        name, of = type(method).__name__, f"{large} of {len(graphs)} graphs have more nodes"
        if large == len(graphs):
            raise SmixupError(
                f"{name} mixes graphs of up to max_nodes={max_nodes} nodes, and {of}: raise it, or "
                "choose another method."
            )
        warn_user(f"{name} mixes graphs of up to max_nodes={max_nodes} nodes; {of}, and stay.")
    return fine.nonzero().squeeze(1)


def draw_other(graphs: Graphs, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw pairs of graphs of different classes, as places `[number]` each; none is a first graph
    twice before all were.

    Where there is one class alone, or targets are no classes, the second is any other graph; where
    there is one graph alone, it is both.
    """
    first = draw_any(number, len(graphs), generator)
    apart = different(graphs)[first]
    u = torch.rand(number, generator=generator, dtype=torch.double)
    rank = (u * apart.sum(1)).long()
    second = (apart.cumsum(1) > rank.unsqueeze(1)).int().argmax(1)
    return first, second


def draw_nearest(graphs: Graphs, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw pairs likewise, the second graph the one that is nearest in size."""
    first = draw_any(number, len(graphs), generator)
    apart = different(graphs)[first]
    sizes = graphs.sizes.double()
    gap = (sizes[first].unsqueeze(1) - sizes).abs()
    return first, torch.where(apart, gap, torch.inf).argmin(1)


def different(graphs: Graphs) -> Tensor:
    """Return with whom each graph may be mixed, `[G, G]` bool: graphs of other classes, or all
    others where it has none such.
    """
    others = ~torch.eye(len(graphs), dtype=torch.bool)
    if len(graphs) == 1:
        return ~others
    if not graphs.has_classes:
        return others
    apart = graphs.labels.unsqueeze(1) != graphs.labels
    return torch.where(apart.any(1, keepdim=True), apart, others)


def averages(couplings: Iterable[Tensor], rows: Padding, columns: Padding) -> SparseOperator:
    """Return couplings `[b, N, n]` of common nodes with those of a graph, one per bucket of pairs,
    as a map whose rows sum to one; zero where there is no node.
    """
    blocks = []
    for coupling in couplings:
        total = coupling.sum(2, keepdim=True)
        blocks.append(torch.where(total > 0, coupling / total.clamp(min=1e-30), 0.0).float())
    return from_blocks(blocks, rows, columns)


def on_common_nodes(
    left: Graphs, right: Graphs, P1: SparseOperator, P2: SparseOperator, ptr: Tensor
) -> tuple[Graphs, Graphs]:
    """Return both graphs of every pair on their common nodes, which begin at `ptr [B + 1]`.

    Attributes of nodes that are not numbers are those of the node of G1 that has most of a common
    node.
    """
    most = P1.weight.new_zeros(P1.shape[0]).scatter_reduce_(0, P1.row, P1.weight, "amax")
    chosen = P1.weight == most[P1.row]
    own = P1.row.new_full((P1.shape[0],), P1.num_columns - 1)
    own = own.scatter_reduce_(0, P1.row[chosen], P1.column[chosen], "amin")
    attributes = {name: values[own] for name, values in left.node_attrs.items()}
    frame = left.replace(ptr=ptr, node_attrs=attributes)
    first, second = transform(P1, frame, left), transform(P2, frame, right)
    return first.replace(set_id=""), second.replace(set_id="")


def node_by_node(mask: Tensor, new: Tensor, importance: Tensor) -> Tensor:
    """Return a coupling of common nodes with those of a graph, `[b, N, n]`, to start from: in
    stored order each meets one node, as long as there are any; what is left meets evenly.

    `mask [b, n]` and `new [b, N]` tell which slots hold a node. Where a graph has more nodes, the
    most important ones meet one.
    """
    order = torch.where(mask, importance, -torch.inf).argsort(dim=1, descending=True, stable=True)
    rank = order.argsort(dim=1)
    chosen = mask & (rank < new.sum(1, keepdim=True))
    slot = chosen.cumsum(1) - 1
    p, q = masses(new, torch.double), masses(mask, torch.double)
    meets = chosen.unsqueeze(1) & (slot.unsqueeze(1) == torch.arange(new.size(1)).view(1, -1, 1))
    return with_sums(meets * torch.minimum(p.unsqueeze(2), q.unsqueeze(1)), p, q)
