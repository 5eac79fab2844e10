"""G-Mixup (Han et al. 2022): graphs drawn from mixtures of the graphons of two classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor, nn

from smixup.augment.base import RandomAugmentation
from smixup.augment.mixing import with_degrees
from smixup.errors import SmixupError, require
from smixup.graphs import Graphs, SparseOperator, require_labels
from smixup.graphs.ragged import ranks
from smixup.progress import Report, silent
from smixup.seeding import generator
from smixup.settings import Count, NotNegative, Share

MAX_DRAWN, MAX_ENTRIES = 500, 4_000_000
"""How many graphs are drawn to see what sorting does, and how many entries they may have."""
CORRECTIONS, THRESHOLD = 4, 0.2
"""Of the bias that sorting brings in; singular values of a graphon on N positions below
`THRESHOLD * sqrt(N)` are set to zero (USVT).
"""


@dataclass(frozen=True)
class Graphon:
    """The generator of one class on N positions.

    Attributes:
        probability: `[N, N]`, of an edge between two positions.
        x: `[N, d]`, mean features by position; zero where no graph has a node.
        weight: mean weight of an edge.
        y: `[C]`, the target of its class.
    """

    probability: Tensor
    x: Tensor
    weight: Tensor
    y: Tensor

    def mixed(self, other: Graphon, lam: Tensor) -> Graphon:
        """Return `lam * self + (1 - lam) * other` in everything."""
        mine, theirs = vars(self), vars(other)
        return Graphon(**{name: torch.lerp(theirs[name], mine[name], lam) for name in mine})


def without_bias(mean: Tensor, random: torch.Generator) -> Tensor:
    """Turn the mean of sorted graphs `[N, N]` into probabilities whose own graphs, sorted, have
    about that mean.

    Nodes with many edges by chance are sorted first, so that the mean is steeper than the truth. A
    correction draws graphs from the estimate, sorts them, and takes off what their mean exceeds the
    data's by (bootstrap). It is undone, and the last, if they are no nearer to the data then:
    graphs that are not drawn edge by edge, such as molecules, have less chance in their degrees
    than any graphon.
    """
    estimate = smooth(mean)
    excess = sorted_mean(estimate, random) - mean
    for _ in range(CORRECTIONS):
        corrected = smooth((estimate - excess).clamp(0, 1))
        scale = mean.sum() / corrected.sum().clamp(min=1e-12)  # to the number of edges in the data
        corrected = (corrected * scale).clamp(max=1)
        remains = sorted_mean(corrected, random) - mean
        if remains.abs().sum() >= excess.abs().sum():
            break
        estimate, excess = corrected, remains
    return estimate


def sorted_mean(probability: Tensor, random: torch.Generator) -> Tensor:
    """Return the mean of graphs of probabilities `[N, N]`, sorted by degree, equals at random."""
    positions = probability.size(0)
    number = min(MAX_DRAWN, 1 + MAX_ENTRIES // positions**2)
    upper = (torch.rand(number, positions, positions, generator=random) < probability).triu(1)
    drawn = upper | upper.mT
    degree = drawn.sum(2) + torch.rand(number, positions, generator=random)
    order = degree.argsort(dim=1, descending=True)
    graph = torch.arange(number).view(-1, 1, 1)
    return drawn[graph, order.unsqueeze(2), order.unsqueeze(1)].float().mean(0)


def smooth(matrix: Tensor) -> Tensor:
    """Return `[N, N]` smoothed over N / log N blocks (as by sorting and smoothing, Chan and Airoldi
    2014), and rebuilt from its large singular values, within [0, 1] (USVT, Chatterjee 2015).
    """
    width = max(1, round(math.log(matrix.size(0))))
    u, values, vt = torch.linalg.svd(block_average(matrix, width))
    kept = torch.where(values >= THRESHOLD * matrix.size(0) ** 0.5, values, 0)
    rebuilt: Tensor = (u * kept) @ vt
    return rebuilt.clamp(0, 1).fill_diagonal_(0)


def block_average(matrix: Tensor, block: int) -> Tensor:
    """Replace each entry of `[N, N]` by the mean over its block, without the diagonal."""
    positions = matrix.size(0)
    member = (torch.arange(positions) // block).unsqueeze(1) == torch.arange(-(-positions // block))
    spread, off = member.to(matrix.dtype), 1 - torch.eye(positions)
    total, number = spread.T @ (matrix * off) @ spread, spread.T @ off @ spread
    return spread @ (total / number.clamp(min=1)) @ spread.T


@dataclass
class GMixup(RandomAugmentation):
    """Adds graphs to the training split, once, whose generator lies between those of two classes.

    Attributes:
        amount: graphs added per graph of the training split.
        low: the smallest ratio lambda; it is drawn uniformly from there to `high`.
        high: the largest ratio lambda.
        positions: resolution of the graphons, and size of new graphs before isolated nodes go; the
            median size of the training graphs if None.
    """

    amount: NotNegative = 0.2
    low: Share = 0.1
    high: Share = 0.2
    positions: Count | None = None
    graphons: list[Graphon] = field(default_factory=list, init=False, repr=False, compare=False)

    purpose: ClassVar[str] = "g-mixup"
    reads_features: ClassVar[bool] = True
    needs_classes: ClassVar[str] = "draws graphs between the graphons of two classes"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.low <= self.high, "low", self.low, "between 0 and high")

    def on_fit(self, train: Graphs, report: Report) -> None:
        """Estimate the graphon of every class that has graphs."""
        require_labels(train)
        train = train.to("cpu")
        positions = self.positions or max(1, int(train.sizes.median()))
        members = [(train.labels == label).nonzero().squeeze(1) for label in train.labels.unique()]
        self.graphons = [self.estimate(train[index], positions) for index in members]

    def estimate(self, graphs: Graphs, positions: int) -> Graphon:
        """Estimate the graphon of graphs of one class. Nodes are sorted by degree, the highest
        first, and those beyond the last position are left out.
        """
        adj, rank = graphs.adj, ranks(graphs.ptr, -graphs.adj.row_sums())
        row, column = rank[adj.row], rank[adj.column]
        inside = (row < positions) & (column < positions) & (row != column)
        counts = torch.bincount(row[inside] * positions + column[inside], minlength=positions**2)
        mean = counts.view(positions, positions) / len(graphs)
        probability = without_bias(mean, generator(self.seed or 0, "graphon"))
        weight = adj.weight.mean() if adj.weight.numel() else torch.ones(())
        placed = rank < positions
        total = torch.zeros(positions, graphs.num_features)
        total = total.index_add_(0, rank[placed], graphs.x[placed].float())
        x = total / torch.bincount(rank[placed], minlength=positions).clamp(min=1).unsqueeze(1)
        return Graphon(probability, x, weight, graphs.y.mean(0))

    def bind(self, model: nn.Module) -> None:
        """Refuse a classifier that takes features of edges, which new graphs have not."""
        if getattr(model, "num_edge_features", 0):
            raise SmixupError(
                f"G-Mixup draws graphs whose edges have no features, and {type(model).__name__} "
                "takes them: use another method, or a backbone without them such as gin."
            )

    def on_dataset(self, train: Graphs) -> Graphs:
        """Return the training split with new graphs behind its own: all have features, edges and
        targets, and nothing else.
        """
        number = round(self.amount * len(train))
        if number == 0:
            return train
        if not self.graphons:
            self.fit(train, silent)
        new = Graphs.cat([self._sample(self._mixed()) for _ in range(number)])
        if train.degree_encoding is not None:
            new = with_degrees(new.replace(degree_encoding=train.degree_encoding))
            new = new.replace(x=new.x.to(train.x.dtype))
        return Graphs.cat([train.without_attributes(), new.to(train.device)])

    def _mixed(self) -> Graphon:
        """Mix two different classes, or the only one with itself."""
        order: list[int] = torch.randperm(len(self.graphons), generator=self.random).tolist()
        lam = self.low + (self.high - self.low) * torch.rand((), generator=self.random)
        left, right = self.graphons[order[0]], self.graphons[order[1 % len(order)]]
        return left.mixed(right, lam)

    def _sample(self, graphon: Graphon) -> Graphs:
        adj, nodes = sample_edges(graphon.probability, self.random)
        adj = graphon.weight.expand(nodes.numel()) * adj
        return Graphs(
            graphon.x[nodes], adj, graphon.y.unsqueeze(0), torch.tensor([0, nodes.numel()])
        )


def sample_edges(probability: Tensor, generator: torch.Generator) -> tuple[SparseOperator, Tensor]:
    """Draw a graph from edge probabilities `[N, N]`: its edges without isolated nodes, and the
    positions left. A graph without any edge keeps its first node.
    """
    upper = (torch.rand(probability.shape, generator=generator) < probability).triu(1)
    dense = upper | upper.T
    left = dense.any(1)
    left[0] |= not left.any()
    nodes = left.nonzero().squeeze(1)
    target, source = dense[nodes][:, nodes].nonzero(as_tuple=True)
    edges = torch.stack([source, target])
    return SparseOperator.from_edges(edges, torch.ones(edges.size(1)), nodes.numel()), nodes
