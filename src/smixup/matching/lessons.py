"""What the matching network is taught: which graphs are alike (triplets: Eq. 9, Alg. 1), and which
nodes are: shuffled, slightly damaged copies of graphs, whose true assignment is known, go beyond
the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from smixup.graphs import Graphs, Padding
from smixup.graphs.ragged import offsets, ranks, row_of
from smixup.graphs.sparse import drop_edges
from smixup.matching.inputs import NodeInput
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import NEVER, Pairs
from smixup.seeding import generator, rand

NEAR, FAR = 0.25, 0.5
"""Shares of the other graphs, by distance of their targets."""
MOST = 1024
"""Graphs whose targets are compared, each with each; of more, so many are drawn."""
MAX_DROP = 0.2
"""The largest share of edges that a shuffled copy loses."""
NODES_ASKED = 256
"""Nodes of a graph of which a matcher is asked in one step."""

Score = tuple[Tensor, Tensor]
"""A loss, and how much was right, between 0 and 1."""


@dataclass(frozen=True)
class TripletSampler:
    """Draws (G1, G2, G3) with G1 and G2 of one class and G3 of another."""

    order: Tensor  # [G], graphs sorted by class
    place: Tensor  # [G], of every graph in `order`
    first: Tensor  # [G], where the graphs of a graph's class begin in `order`
    count: Tensor  # [G], and how many they are

    @classmethod
    def of(cls, labels: Tensor) -> TripletSampler:
        """Prepare sampling from graphs of two classes `[G]` or more."""
        label = torch.unique(labels.cpu(), return_inverse=True)[1]
        order, counts = label.argsort(stable=True), label.bincount()
        return cls(order, order.argsort(), (counts.cumsum(0) - counts)[label], counts[label])

    def draw(self, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Return three index tensors `[number]`; a graph alone in its class is its own G2."""
        anchor = torch.randint(self.order.numel(), (number,), generator=generator)
        u, v = torch.rand(2, number, generator=generator, dtype=torch.double)
        first, count = self.first[anchor], self.count[anchor]
        positive = (u * (count - 1).clamp(min=1)).long()
        own = self.place[anchor] - first
        positive = torch.where(count > 1, positive + (positive >= own), 0)
        negative = (v * (self.order.numel() - count)).long()
        negative = negative + count * (negative >= first)
        return anchor, self.order[first + positive], self.order[negative]


@dataclass(frozen=True)
class NearAndFar:
    """Draws (G1, G2, G3) with the target of G2 near that of G1, and that of G3 far from it: what
    Eq. (9) asks of classes, asked of values, and of labels with gaps.

    Near is the nearest quarter of all targets, far the farthest half. Where so many are equally far
    that the two meet, as those without a rare label are, whatever is nearer or farther counts.
    """

    pool: Tensor  # [P], the graphs that are drawn from
    anchors: Tensor  # [A], places in the pool of those whose targets tell others apart
    near: Tensor  # [P, P], which graphs of the pool are near each of them
    far: Tensor  # [P, P]

    @classmethod
    def of(cls, y: Tensor, seed: int = 0) -> NearAndFar | None:
        """Prepare sampling from graphs with targets `[G, T]`, NaN where they are not known; None
        if these tell no graph from another.
        """
        z = standardised(y.cpu())
        pool = (~z.isnan()).any(1).nonzero().squeeze(1)
        if len(pool) < 3:
            return None
        random = generator(seed, "near and far graphs")
        pool = pool[torch.randperm(len(pool), generator=random)[:MOST]].sort().values
        distance = target_distances(z[pool])
        close = distance.nanquantile(NEAR, 1, keepdim=True, interpolation="lower")
        remote = distance.nanquantile(1 - FAR, 1, keepdim=True, interpolation="higher")
        farthest = distance.nan_to_num(-torch.inf).amax(1, keepdim=True)
        near = (distance <= close) & (distance < farthest)  # not where it is NaN
        far = (distance >= remote) & ((distance > close) | (close == farthest))
        anchors = (near.any(1) & far.any(1)).nonzero().squeeze(1)
        return cls(pool, anchors, near, far) if len(anchors) else None

    def draw(self, number: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Return three index tensors `[number]`."""
        anchor = self.anchors[torch.randint(len(self.anchors), (number,), generator=generator)]
        shares = torch.rand(2, number, generator=generator, dtype=torch.double)
        others = []
        for marked, share in zip((self.near[anchor], self.far[anchor]), shares, strict=True):
            rank = (share * marked.sum(1)).long().unsqueeze(1)
            others.append(self.pool[(marked.cumsum(1) > rank).int().argmax(1)])
        return self.pool[anchor], others[0], others[1]


def standardised(y: Tensor) -> Tensor:
    """Return the columns that differ at all, each with mean 0 and variance 1, `[G, T']` in double
    precision; NaN stays NaN. So a quantity in thousands has the same say as one in thousandths.

    >>> standardised(torch.tensor([[10.0, 7.0], [30.0, 7.0], [float("nan"), 7.0]])).tolist()
    [[-1.0], [1.0], [nan]]
    """
    y = y.double()
    apart = y - y.nanmean(0)
    values = [column[~column.isnan()].unique() for column in y.unbind(1)]
    differ = torch.tensor([len(known) > 1 for known in values], dtype=torch.bool)
    return (apart / apart.square().nanmean(0).sqrt())[:, differ]


def target_distances(z: Tensor) -> Tensor:
    """Return the mean square by which standardised targets `[G, T]` differ, `[G, G]`, over the
    columns that are known of both graphs; NaN where there are none, and between a graph and itself.

    Of labels it is the share on which two graphs disagree, rare labels counting for more.
    """
    total, common = z.new_zeros(len(z), len(z)), z.new_zeros(len(z), len(z))
    for column in z.unbind(1):  # column by column, so that equal targets are at exactly 0
        square = (column.unsqueeze(0) - column.unsqueeze(1)).square()
        total += square.nan_to_num(0.0)
        common += ~square.isnan()
    return (total / common).fill_diagonal_(torch.nan)  # 0 / 0 is NaN


def triplets_of(graphs: Graphs, seed: int = 0) -> TripletSampler | NearAndFar | None:
    """Return the triplets that targets tell, None where they tell nothing: one class alone, values
    that are all the same, nothing known.
    """
    if not graphs.has_classes:
        return NearAndFar.of(graphs.y, seed)
    return TripletSampler.of(graphs.labels) if graphs.labels.unique().numel() > 1 else None


@dataclass(frozen=True)
class TripletObjective:
    """Trains the network to tell which graphs are alike; `margin` is gamma of Eq. (9)."""

    graphs: Graphs
    inputs: NodeInput
    margin: float
    triplets: TripletSampler | NearAndFar

    name = "triplet accuracy"

    def __call__(self, network: MatchingNetwork, size: int, generator: torch.Generator) -> Score:
        """Draw `size` triplets; the score is the share of them in the right order."""
        anchor, positive, negative = self.triplets.draw(size, generator)
        left = self.graphs[torch.cat([anchor, anchor])]
        right = self.graphs[torch.cat([positive, negative])]
        distances = network.distances(Pairs.of(self.inputs(left), self.inputs(right)))
        same, different = distances.split(size)
        return triplet_loss(same, different, self.margin), (same < different).float().mean()


def triplet_loss(same: Tensor, different: Tensor, margin: float) -> Tensor:
    """Return Eq. (9), given squared distances `[T]` of G1 and G2, and of G1 and G3."""
    return torch.relu(same - different + margin).mean()


@dataclass(frozen=True)
class CorrespondenceObjective:
    """Trains the network to find which nodes are alike; half of the copies lose some edges."""

    graphs: Graphs
    inputs: NodeInput

    name = "copies found"

    def __call__(self, network: MatchingNetwork, size: int, generator: torch.Generator) -> Score:
        """Draw `size` graphs and copies; the score is the mean probability of the true node."""
        original = self.graphs[torch.randint(len(self.graphs), (size,), generator=generator)]
        drop = (2 * torch.rand(size, generator=generator) - 1).clamp(min=0) * MAX_DROP
        copy, origin = shuffled_copy(original, generator, drop)
        truth = origin - original.ptr[original.batch]
        # A copy has lost edges: what was computed of its original is not true of it.
        pairs = Pairs.of(self.inputs(original), self.inputs(copy.without_attributes()))
        node, weight = asked_nodes(copy.ptr, generator)
        log_likelihood = true_node_likelihood(network, pairs, truth, node)
        loss = (weight * log_likelihood).sum() / weight.sum()
        return -loss, (weight * log_likelihood.detach().exp()).sum() / weight.sum()


Objective: TypeAlias = TripletObjective | CorrespondenceObjective


def shuffled_copy(
    batch: Graphs, generator: torch.Generator, drop: Tensor | None = None
) -> tuple[Graphs, Tensor]:
    """Return the graphs with their nodes in random order and a share `[B]` of their edges gone, and
    the node of `batch` that each of their nodes is, `[n]`.
    """
    noise = rand(batch.num_nodes, generator=generator, like=batch.x, dtype=torch.double)
    origin = (batch.batch + noise / 2).argsort()
    if drop is not None:
        adj = drop_edges(batch.adj, drop.to(batch.device)[batch.batch], generator)
        batch = batch.with_adj(adj)
    place = origin.argsort()
    copy = batch.map_nodes(lambda values: values[origin])
    return copy.map_edges(lambda edges: edges.scatter(place, batch.num_nodes)), origin


def asked_nodes(
    ptr: Tensor, generator: torch.Generator, most: int = NODES_ASKED
) -> tuple[Tensor, Tensor]:
    """Return the nodes that a matcher is asked to find, in order `[m]`: all of a small graph,
    `most` at random of a large one; and how many nodes of its graph each stands for `[m]`.
    """
    sizes = ptr.diff()
    nodes = torch.arange(int(ptr[-1]), device=ptr.device)
    if not (sizes > most).any():
        return nodes, torch.ones(len(nodes), device=ptr.device)
    order = rand(len(nodes), generator=generator, like=sizes, dtype=torch.double)
    asked = nodes[ranks(ptr, order) < most]
    size = sizes[row_of(ptr)[asked]]
    return asked, size / size.clamp(max=most)


def true_node_likelihood(
    network: MatchingNetwork, pairs: Pairs, truth: Tensor, asked: Tensor
) -> Tensor:
    """Return the logarithms of the entries of M `[m]` at the true nodes `truth [n2]`, numbered
    within the left graphs, of the asked nodes of the right ones.
    """
    h1, h2 = network(pairs).split([pairs.left.num_nodes, pairs.right.num_nodes])
    counts = torch.bincount(pairs.right.batch[asked], minlength=len(pairs.right))
    columns = Padding.of(offsets(counts), pairs.groups)
    sides = pairs.rows.pad(h1), pairs.rows.masks(), columns.pad(h2[asked])
    answers = columns.masks(), columns.pad(truth[asked])
    likelihoods = []
    for left, exists, right, present, rows in zip(*sides, *answers, strict=True):
        scores = network.scores(left, right).masked_fill(~exists.unsqueeze(2), NEVER)
        rows = torch.where(present, rows, 0)
        likelihoods.append(scores.log_softmax(1).gather(1, rows.unsqueeze(1)).squeeze(1))
    return columns.unpad(likelihoods)
