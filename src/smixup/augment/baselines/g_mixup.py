"""G-Mixup (Han et al. 2022): graphs drawn from mixtures of the graphons of two classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import torch
from torch import Tensor

from smixup.augment.baselines.graphon import Graphon, estimate_graphon
from smixup.augment.hooks import Model
from smixup.augment.structural import StructuralAugmentation
from smixup.errors import SmixupError, require
from smixup.graphs import Graphs, SparseOperator, require_labels
from smixup.progress import Report, silent
from smixup.ranges import NotNegative, Range, Share


@dataclass
class GMixup(StructuralAugmentation):
    """Adds graphs to the training split, once, whose generator lies between those of two classes.

    Attributes:
        amount: graphs added per graph of the training split.
        low: the smallest ratio lambda; it is drawn uniformly from there to `high`.
        high: the largest ratio lambda.
        positions: resolution of the graphons, and size of new graphs before isolated nodes go; the
            median size of the training graphs if None.
        block: positions averaged over in both directions (block averaging); 1 leaves them apart,
            None takes the logarithm of `positions`.
        threshold: singular values of a graphon below `threshold * sqrt(positions)` are set to zero
            (USVT).
        corrections: how often the bias that sorting brings in is corrected; 0 leaves it.
        seed: the seed of everything random.
    """

    amount: Annotated[float, Range(0, limit=1000)] = 0.2
    low: Share = 0.1
    high: Share = 0.2
    positions: Annotated[int, Range(1, limit=10_000)] | None = None
    block: Annotated[int, Range(1, limit=10_000)] | None = None
    threshold: NotNegative = 0.2
    corrections: Annotated[int, Range(0, limit=1000)] = 4

    graphons: list[Graphon] = field(default_factory=list, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "g-mixup"
    reads_features: ClassVar[bool] = True
    needs_classes: ClassVar[str] = "draws graphs between the graphons of two classes"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.low <= self.high, "low", self.low, "between 0 and high")

    def on_fit(self, train: Graphs, report: Report) -> None:
        """Estimate the graphon of every class that has graphs."""
        super().on_fit(train, report)
        require_labels(train)
        train = train.to("cpu")
        positions = self.positions or max(1, int(train.sizes.median()))
        members = [(train.labels == label).nonzero().squeeze(1) for label in train.labels.unique()]
        settings = positions, self.block, self.threshold, self.corrections, self.seed or 0
        self.graphons = [estimate_graphon(train[index], *settings) for index in members]

    def bind(self, model: Model) -> None:
        """Refuse a classifier that takes features of edges, which new graphs have not."""
        if getattr(model, "num_edge_features", 0):
            raise SmixupError(
                f"G-Mixup draws graphs whose edges have no features, and {type(model).__name__} "
                "takes them: use another method, or a backbone without them such as gin."
            )

    def on_dataset(self, train: Graphs) -> Graphs:
        """Return the training split with new graphs behind its own.

        New graphs have features, edges and targets, and nothing else; so has what is returned.
        """
        number = round(self.amount * len(train))
        if number == 0:
            return train
        if not self.graphons:
            self.fit(train, silent)
        new = Graphs.cat([self._sample(self._mixed(self.graphons)) for _ in range(number)])
        if self.degree_encoding is not None:
            new = new.replace(x=new.x.to(train.x.dtype))
        return Graphs.cat([train.without_attributes(), new.to(train.device)])

    def _mixed(self, graphons: list[Graphon]) -> Graphon:
        """Mix two different classes, or the only one with itself."""
        order: list[int] = torch.randperm(len(graphons), generator=self.random).tolist()
        lam = self.low + (self.high - self.low) * torch.rand((), generator=self.random)
        left, right = graphons[order[0]], graphons[order[1 % len(order)]]
        return left.mixed(right, lam)

    def _sample(self, graphon: Graphon) -> Graphs:
        adj, nodes = sample_edges(graphon.probability, self.random)
        adj = (graphon.weight.expand(nodes.numel()) * adj).to_sparse()
        encode = self.degree_encoding
        x = graphon.x[nodes] if encode is None else encode(adj.row_sums())
        return Graphs(x, adj, graphon.y.unsqueeze(0), torch.tensor([0, nodes.numel()]))


def sample_edges(probability: Tensor, generator: torch.Generator) -> tuple[SparseOperator, Tensor]:
    """Draw a graph from edge probabilities `[N, N]`.

    Returns:
        Its edges without isolated nodes, and the positions left. A graph without any edge keeps its
        first node.
    """
    upper = (torch.rand(probability.shape, generator=generator) < probability).triu(1)
    dense = upper | upper.T
    left = dense.any(1)
    left[0] |= not left.any()
    nodes = left.nonzero().squeeze(1)
    target, source = dense[nodes][:, nodes].nonzero(as_tuple=True)
    edges = torch.stack([source, target])
    return SparseOperator.from_edges(edges, torch.ones(edges.size(1)), nodes.numel()), nodes
