"""Graph Transplant (Park et al. 2022): a part that matters in one graph, planted into another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import draw_beta, mixed_targets
from smixup.augment.pairing import draw_any
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.ragged import offsets, ranges, ranks, row_of
from smixup.seeding import rand
from smixup.settings import Count, Positive, PositiveShare

if TYPE_CHECKING:
    from torch_geometric.data import Batch


LEAST = 1e-30
Loss = Callable[[Tensor, Tensor], Tensor]
"""Takes outputs and targets `[B, C]`."""
cross_entropies: Loss = partial(F.cross_entropy, reduction="sum")


def squared_errors(outputs: Tensor, y: Tensor) -> Tensor:
    """Return the sum of squared errors; unknown targets (NaN) count for nothing."""
    known = ~y.isnan()
    return (outputs[known] - y[known]).square().sum()


def node_saliency(
    model: nn.Module,
    graphs: Graphs,
    forward: Callable[[Batch], Tensor] | None = None,
    loss: Loss = cross_entropies,
) -> Tensor:
    """Return how long the gradient of each graph's loss by its nodes' features is, `[n]`, of a
    model as in evaluation; `forward` returns logits of a PyG `Batch`, for foreign models.
    """
    from smixup.graphs.pyg import to_pyg

    training, x = model.training, graphs.floating().x.detach().requires_grad_()
    model.train(False)
    try:
        with torch.enable_grad():
            asked = graphs.replace(x=x)
            logits = model(asked) if forward is None else forward(to_pyg(asked))
            gradient = torch.autograd.grad(loss(logits, graphs.y), x)[0]
    finally:
        model.train(training)
    length: Tensor = gradient.norm(dim=1)
    return length


@dataclass(frozen=True)
class Cutting:
    """Graphs of which a part `[n]` bool is used, and how much each node matters, `[n]`."""

    graphs: Graphs
    part: Tensor
    saliency: Tensor

    def loose(self) -> tuple[Tensor, Tensor]:
        """Return the weights of cut edges, and their attributes, at every node `[n, 1 + k]`, and
        how many each graph has `[B]`.
        """
        edges = self.graphs.edges()
        cut = edges.mask_entries(self.part[edges.row] & ~self.part[edges.column])
        lost = cut.weight.new_zeros(self.graphs.num_nodes, cut.width)
        lost.index_add_(0, cut.row, cut.weight.view(-1, cut.width))
        return lost, torch.bincount(self.graphs.batch[cut.row], minlength=len(self.graphs))

    def importance(self) -> Tensor:
        """Return the share of saliency in the part, `[B]`; of nodes where nothing is salient."""
        saliency = self.saliency.clamp(min=LEAST)
        return self.graphs.totals(saliency * self.part) / self.graphs.totals(saliency)


def graft(host: Cutting, giver: Cutting, generator: torch.Generator) -> Graphs:
    """Join the parts of each pair, first the host's nodes, then the giver's.

    Half as many ties are drawn as there are loose ends, with ends in proportion to what each node
    lost. Where both parts lost the same, each node gets back in expectation what it lost; else both
    together do. A tie drawn twice weighs twice. There are no ties where one part has no loose ends.
    A tie has the mean weight, and the mean attributes, of the edges that were cut.
    """
    left, right = host.graphs.subgraph(host.part), giver.graphs.subgraph(giver.part)
    mine, given, B = host.importance(), giver.importance(), len(left)
    parts = Graphs.cat([left, right])[torch.arange(2 * B).view(2, B).T.flatten()]
    (loose1, ends1), (loose2, ends2) = host.loose(), giver.loose()
    u = rand(B, generator=generator, like=ends1)
    number = ((ends1 + ends2) / 2 + u).floor().long()
    pair = row_of(offsets(number.where((ends1 > 0) & (ends2 > 0), 0)))
    one = draw_in_proportion(loose1[:, 0], host.graphs.ptr, pair, generator)
    other = draw_in_proportion(loose2[:, 0], giver.graphs.ptr, pair, generator)
    one = (host.part.cumsum(0) - 1)[one] + (parts.ptr[:-1:2] - left.ptr[:-1])[pair]
    other = (giver.part.cumsum(0) - 1)[other] + (parts.ptr[1::2] - right.ptr[:-1])[pair]
    total = host.graphs.totals(loose1) + giver.graphs.totals(loose2)
    edges, mean = parts.edges(), total / (ends1 + ends2).clamp(min=1).unsqueeze(1)
    ties = mean[pair].view(-1, *edges.weight.shape[1:])
    joined = SparseOperator.from_entries(
        torch.cat([edges.row, one, other]),
        torch.cat([edges.column, other, one]),
        torch.cat([edges.weight, ties, ties]),
        edges.shape,
    )
    joined = replace(joined, symmetric=edges.symmetric)
    return left.with_edges(joined).replace(
        x=parts.x,
        ptr=parts.ptr[::2],
        node_attrs=parts.node_attrs,
        **mixed_targets(left, right, (mine / (mine + given)).nan_to_num(1.0)),
    )


def draw_in_proportion(
    weight: Tensor, ptr: Tensor, row: Tensor, generator: torch.Generator
) -> Tensor:
    """Draw an element of each given row of a ragged array with probability in proportion to
    `weight [n]`.
    """
    ladder = torch.cat([weight.new_zeros(1, dtype=torch.double), weight.double().cumsum(0)])
    low, high = ladder[ptr[row]], ladder[ptr[row + 1]]
    u = rand(row.numel(), generator=generator, like=row, dtype=torch.double)
    return torch.searchsorted(ladder, low + u * (high - low), right=True) - 1


@dataclass
class GraphTransplant(RandomAugmentation):
    """Replaces a random part of every graph by a salient part of another, and ties them where edges
    were cut.

    Attributes:
        anchors: the share of nodes from which a part grows; in the giving graph they are drawn
            among twice as many of the most salient nodes, in the receiving graph among all.
        hops: a part grows by 1 to this many hops, drawn for each pair.
        alpha: the probability that a neighbour joins is drawn from Beta(alpha, alpha) for each
            pair.
    """

    anchors: PositiveShare = 0.1
    hops: Count = 3
    alpha: Positive = 2.0
    model: nn.Module | None = field(default=None, init=False, repr=False, compare=False)
    forward: Callable[..., Tensor] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    purpose: ClassVar[str] = "graph-transplant"
    averages_edges: ClassVar[bool] = True
    mixes_targets: ClassVar[bool] = True

    @property
    def reads_features(self) -> bool:  # type: ignore[override]
        """Whether a model is asked, by gradients of features."""
        return self.model is not None

    def bind(self, model: nn.Module, forward: Callable[[Batch], Tensor] | None = None) -> None:
        """Ask `model` from now on what matters in a graph; before, all nodes matter alike. Its loss
        is cross-entropy for classes, and in a foreign loop squared errors for values.

        Args:
            model: a classifier of this package, or any PyG model.
            forward: how a PyG model makes logits of a `Batch`, for example
                `lambda batch: model(batch.x, batch.edge_index, batch.batch)`.
        """
        self.model, self.forward = model, forward

    def beside(self, batch: Graphs) -> Graphs | None:
        saliency = torch.ones(batch.num_nodes, device=batch.device)
        if self.model is not None:
            values = squared_errors if self.task is None else self.task.loss
            loss = cross_entropies if batch.has_classes else values
            saliency = node_saliency(self.model, batch, self.forward, loss)
        partner = draw_any(len(batch), len(batch), self.random).to(batch.device)
        other = batch[partner]
        others = saliency[ranges(batch.ptr[partner], batch.sizes[partner])]
        hops = torch.randint(1, self.hops + 1, (len(batch),), generator=self.random)
        hops = hops.to(batch.device)
        join = draw_beta(len(batch), self.alpha, self.alpha, self.random).to(batch.device)
        planted = grow(other, self._anchors(other, others), hops, join, self.random)
        removed = grow(batch, self._anchors(batch, None), hops, join, self.random)
        host, giver = Cutting(batch, ~removed, saliency), Cutting(other, planted, others)
        return graft(host, giver, self.random)

    def _anchors(self, batch: Graphs, saliency: Tensor | None) -> Tensor:
        """Mark random nodes `[n]`, among the most salient ones if `saliency` is given."""
        score = rand(batch.num_nodes, generator=self.random, like=batch.ptr)
        wanted = (self.anchors * batch.sizes).ceil()
        if saliency is not None:
            salient = ranks(batch.ptr, -saliency) < (2 * wanted)[batch.batch]
            score = torch.where(salient, score, 2.0)
        return ranks(batch.ptr, score) < wanted[batch.batch]


def grow(
    batch: Graphs, start: Tensor, hops: Tensor, join: Tensor, generator: torch.Generator
) -> Tensor:
    """Return the nodes of a partial neighbourhood of `start [n]`, `[n]` bool: it goes `hops [B]`
    far, and a neighbour of the last hop's nodes joins with probability `join [B]`.
    """
    part = last = start
    for hop in range(int(hops.max())):
        u = rand(batch.num_nodes, generator=generator, like=start)
        near = batch.adj.product(last.float().unsqueeze(1)).squeeze(1) > 0
        last = near & ~part & (u < join[batch.batch]) & (hop < hops[batch.batch])
        part = part | last
    return part
