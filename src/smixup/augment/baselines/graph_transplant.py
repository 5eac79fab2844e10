"""Graph Transplant (Park et al. 2022): a part that matters in one graph, planted into another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar

import torch
from torch import Tensor

from smixup.augment.baselines.grafting import Cutting, graft
from smixup.augment.baselines.saliency import Loss, node_saliency
from smixup.augment.hooks import Model
from smixup.augment.partners import draw_any
from smixup.augment.ratio import draw_beta
from smixup.augment.structural import GivenNodes
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.graphs.ragged import ranges, ranks
from smixup.ranges import Positive, PositiveShare, Range
from smixup.seeding import rand

if TYPE_CHECKING:
    from torch_geometric.data import Batch


@dataclass
class GraphTransplant(GivenNodes):
    """Replaces a random part of every graph by a salient part of another, and ties them where edges
    were cut.

    Attributes:
        anchors: the share of nodes from which a part grows; in the giving graph they are drawn
            among twice as many of the most salient nodes, in the receiving graph among all.
        hops: a part grows by 1 to this many hops, drawn for each pair.
        alpha: the probability that a neighbour joins is drawn from Beta(alpha, alpha) for each
            pair.
        keep_originals: train on mixes beside the original graphs instead of in their place.
        encode_degrees: where features are degrees, make them anew from the degrees of the mix.
        seed: the seed of everything random.
    """

    anchors: PositiveShare = 0.1
    hops: Annotated[int, Range(1, limit=1000)] = 3
    alpha: Positive = 2.0
    keep_originals: bool = True
    model: Model | None = field(default=None, init=False, repr=False, compare=False)
    forward: Callable[[Batch], Tensor] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    loss: Loss | None = field(default=None, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "graph-transplant"
    averages_edges: ClassVar[bool] = True
    mixes_targets: ClassVar[bool] = True

    @property
    def reads_features(self) -> bool:  # type: ignore[override]
        """Whether a model is asked which nodes matter, by the gradient of their features."""
        return self.model is not None

    def bind(
        self,
        model: Model,
        forward: Callable[[Batch], Tensor] | None = None,
        loss: Loss | None = None,
    ) -> None:
        """Ask `model` from now on what matters in a graph; before, all nodes matter alike.

        Args:
            model: a classifier of this package, or any PyG model.
            forward: how a PyG model makes logits of a `Batch`, for example
                `lambda batch: model(batch.x, batch.edge_index, batch.batch)`.
            loss: by which it learns, `F.mse_loss` for example; cross-entropy where targets are
                classes.
        """
        self.model, self.forward, self.loss = model, forward, loss

    def beside(self, batch: Graphs) -> Graphs | None:
        return self._planted(batch) if self.keep_originals else None

    def on_batch(self, batch: Graphs) -> Graphs:
        """Plant into every graph a part of another one of the batch."""
        return super().on_batch(batch) if self.keep_originals else self._planted(batch)

    def _planted(self, batch: Graphs) -> Graphs:
        saliency = torch.ones(batch.num_nodes, device=batch.device)
        if self.model is not None:
            saliency = node_saliency(self.model, batch, self.forward, *self._losses(batch))
        return self.encoded(self._mixed(batch, saliency))

    def _losses(self, batch: Graphs) -> tuple[Loss, ...]:
        """Return the loss to ask, or nothing where it is the usual one of classes."""
        if self.loss is not None:
            return (self.loss,)
        if batch.has_classes:
            return ()
        if self.task is None:
            raise UsageError(
                "GraphTransplant asks a model's loss which nodes matter, and these targets are not "
                "classes: name the loss, bind(model, forward, loss=F.mse_loss)."
            )
        return (self.task.loss,)

    def _mixed(self, batch: Graphs, saliency: Tensor) -> Graphs:
        partner = draw_any(len(batch), len(batch), self.random).to(batch.ptr.device)
        other = batch[partner]
        others = saliency[ranges(batch.ptr[partner], batch.sizes[partner])]
        hops = torch.randint(1, self.hops + 1, (len(batch),), generator=self.random)
        hops = hops.to(batch.device)
        join = draw_beta(len(batch), self.alpha, self.alpha, self.random).to(batch.x.device)
        planted = grow(other, self._anchors(other, others), hops, join, self.random)
        removed = grow(batch, self._anchors(batch, None), hops, join, self.random)
        return graft(
            Cutting(batch, ~removed, saliency), Cutting(other, planted, others), self.random
        )

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
    """Return the nodes of a partial neighbourhood, `[n]` bool.

    Args:
        batch: B graphs.
        start: `[n]` bool, where it begins.
        hops: `[B]`, how far it goes.
        join: `[B]`, the probability that a neighbour of the last hop's nodes joins.
        generator: the source of randomness.
    """
    part = last = start
    for hop in range(int(hops.max())):
        u = rand(batch.num_nodes, generator=generator, like=start)
        near = batch.adj.product(last.float().unsqueeze(1)).squeeze(1) > 0
        last = near & ~part & (u < join[batch.batch]) & (hop < hops[batch.batch])
        part = part | last
    return part
