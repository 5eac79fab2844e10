"""The learned matcher without messages between graphs: a graph is embedded once, however many
partners it has.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from smixup.graphs import GraphBatch, GraphSet, Operator, concatenate
from smixup.graphs.ragged import ranges
from smixup.matching.assignment import NORMALIZATIONS, top_k
from smixup.matching.inputs import NodeInput
from smixup.matching.learned import GraphMatcher
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import PairBlock, Pairs


class SiameseLayer(nn.Module):
    """One round of messages within a graph: Eq. (6) without mu.

    Args:
        hidden_channels: width, H.
    """

    def __init__(self, hidden_channels: int) -> None:
        super().__init__()
        H = hidden_channels
        self.norm = nn.LayerNorm(H)
        self.update = nn.Sequential(
            nn.Linear(2 * H, 2 * H), nn.ReLU(inplace=True), nn.Linear(2 * H, H)
        )

    def forward(self, h: Tensor, A: Tensor | Operator) -> Tensor:
        """Return the next representations, of padded graphs `[b, N, H]` or of flat ones
        `[n, H]`.
        """
        z = self.norm(h)
        out: Tensor = h + self.update(torch.cat([z, A @ z], dim=-1))
        return out


class SiameseNetwork(MatchingNetwork):
    """The matching network with layers that do not look at the other graph.

    Args:
        num_features: width of the nodes' input.
        hidden_channels: width, H.
        num_layers: layers, L.
        similarity: the similarity of the assignment, Eq. (8).
        scale: initial factor of that similarity; learnt.
    """

    def __init__(
        self,
        num_features: int,
        hidden_channels: int,
        num_layers: int,
        similarity: str = "euclidean",
        scale: float = 1,
    ) -> None:
        super().__init__(num_features, hidden_channels, 0, similarity=similarity, scale=scale)
        self.layers = nn.ModuleList(SiameseLayer(hidden_channels) for _ in range(num_layers))

    def forward(self, block: PairBlock) -> tuple[Tensor, Tensor]:
        return self.embed(block.x1, block.A1), self.embed(block.x2, block.A2)

    def embed(self, x: Tensor, A: Tensor | Operator) -> Tensor:
        """Return representations of the nodes of padded graphs `[b, N, H]`, or of flat ones
        `[n, H]`.
        """
        h: Tensor = self.encoder(x)
        for layer in self.layers:
            h = layer(h, A)
        return h


@dataclass
class SiameseMatcher(GraphMatcher):
    """A `GraphMatcher` whose network sees one graph at a time; learns the same lessons, `attention`
    has no meaning.

    A graph that occurs several times in a call, on whichever side, is embedded once.
    """

    def build(self, num_features: int) -> tuple[MatchingNetwork, NodeInput]:
        _, inputs = super().build(num_features)
        sizes = inputs.width, self.hidden_channels, self.num_layers
        return SiameseNetwork(*sizes, self.similarity, self.scale), inputs

    @torch.no_grad()
    def __call__(self, left: GraphBatch, right: GraphBatch) -> Operator:
        pairs, blocks = Pairs.of(left, right), []
        network, inputs = self.ready_for(left, right)
        assert isinstance(network, SiameseNetwork)
        graphs, nodes = distinct(concatenate([left, right]))
        seen = inputs(graphs)
        h1, h2 = network.embed(seen.x, seen.adj)[nodes].split([left.num_nodes, right.num_nodes])
        sides = pairs.rows.pad(h1), pairs.rows.masks(), pairs.columns.pad(h2), pairs.columns.masks()
        for z1, mask1, z2, mask2 in zip(*sides, strict=True):
            scores = network.scores(z1, z2) / self.temperature
            blocks.append(
                NORMALIZATIONS[self.normalization](scores, mask1.unsqueeze(2) & mask2.unsqueeze(1))
            )
        M = pairs.operator(blocks)
        return M if self.top_k is None else top_k(M, self.top_k)

    def _fingerprint(self, train: GraphSet) -> str:
        return f"siamese-{super()._fingerprint(train)}"


def distinct(batch: GraphBatch) -> tuple[GraphBatch, Tensor]:
    """Return each graph once, however often it occurs, and for every node of `batch` its node among
    them, `[n]`.

    Graphs are the same if their nodes have the same features and edges in the same order.
    """
    _, group = torch.unique(graph_hashes(batch), return_inverse=True)
    number = int(group.max()) + 1 if group.numel() else 0
    if number == len(batch):
        return batch, torch.arange(batch.num_nodes, device=group.device)
    place = torch.arange(len(batch), device=group.device)
    first = torch.full((number,), len(batch), device=group.device).scatter_reduce(
        0, group, place, "amin"
    )
    graphs = batch.take(first)
    return graphs, ranges(graphs.ptr[group], batch.sizes)


def graph_hashes(batch: GraphBatch) -> Tensor:
    """Return a number per graph `[B]`, equal for equal graphs; two others share one with
    probability about 2^-60.

    Sums of products of random odd numbers: one for each place of a node, as node, row and column,
    and one for each feature.
    """
    adj, ptr = batch.adj.to_sparse(), batch.ptr
    longest, width = int(batch.sizes.max()), batch.x.size(1)
    random = torch.Generator().manual_seed(0)
    tables = (
        torch.randint(2**62, (3 * longest + width,), generator=random)
        .mul_(2)
        .add_(1)
        .to(ptr.device)
    )
    node, row, column, feature = tables.split([longest, longest, longest, width])
    place = torch.arange(batch.num_nodes, device=ptr.device) - ptr[batch.batch]
    seen = node[place] * (1 + (_bits(batch.x) * feature).sum(1))
    edges = row[place[adj.row]] * column[place[adj.column]] * _bits(adj.weight)
    hashes = torch.zeros(len(batch), dtype=torch.long, device=ptr.device)
    return hashes.index_add_(0, batch.batch, seen).index_add_(0, batch.batch[adj.row], edges)


def _bits(values: Tensor) -> Tensor:
    return values.float().contiguous().view(torch.int32).long()
