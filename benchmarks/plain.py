"""The ordinary way: networks as PyG's users write them; mixing pair by pair."""

from __future__ import annotations

from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GCNConv, GINConv, global_mean_pool
from torch_geometric.utils import to_dense_adj

HIDDEN, LAYERS = 32, 4  # of the paper's classifiers (App. C)


class PlainGCN(nn.Module):
    """`GCNConv` and ReLU, mean readout, two-layer head."""

    def __init__(self, num_features: int, num_classes: int) -> None:
        super().__init__()
        widths = [num_features] + [HIDDEN] * (LAYERS - 1)
        self.convs = nn.ModuleList(self.convolution(width) for width in widths)
        parts = nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, num_classes)
        self.head = nn.Sequential(*parts)

    def convolution(self, width: int) -> nn.Module:
        """Return a layer that takes `width` features."""
        return GCNConv(width, HIDDEN)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, C]`."""
        h, weight = batch.x, [batch.edge_weight] if "edge_weight" in batch else []
        for conv in self.convs:
            h = conv(h, batch.edge_index, *weight).relu()
        return self.head(global_mean_pool(h, batch.batch, batch.num_graphs))


class PlainGIN(PlainGCN):
    """`GINConv` with a two-layer MLP, batch norm before each ReLU, and a learnable eps."""

    def convolution(self, width: int) -> nn.Module:
        first, second = (nn.Linear(size, HIDDEN, bias=False) for size in (width, HIDDEN))
        norms = nn.BatchNorm1d(HIDDEN), nn.BatchNorm1d(HIDDEN)
        return GINConv(nn.Sequential(first, norms[0], nn.ReLU(), second, norms[1]), train_eps=True)


def mix_pair(left: Data, right: Data, M: Tensor, lam: float) -> tuple[Tensor, Tensor]:
    """Return features and adjacency of one mix, Eq. (4) and (5), without loops from G2."""
    A1, A2 = (
        to_dense_adj(each.edge_index, max_num_nodes=each.num_nodes)[0] for each in (left, right)
    )
    A = (M @ A2 @ M.T).fill_diagonal_(0.0)
    return lam * left.x + (1 - lam) * M @ right.x, lam * A1 + (1 - lam) * A
