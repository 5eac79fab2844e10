"""Molecules as OGB gives them: integer codes of atoms `[n, 9]` and bonds `[m, 3]`, embedded by the
model. `SMixup(encode="ogb")` reads the codes, and what it returns are codes again.
"""

from __future__ import annotations

import argparse

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINEConv, global_mean_pool

from smixup import Augmentation, GraphMatcher, SMixup

ATOMS, BONDS = (119, 5, 12, 12, 10, 6, 6, 2, 2), (5, 6, 2)  # values of each column in OGB
CARBON, NITROGEN, OXYGEN = 5, 6, 7  # atomic numbers, counted from 0
SINGLE, DOUBLE = 0, 1


class Embeddings(nn.ModuleList):
    """One embedding per column, added up, as OGB's `AtomEncoder` and `BondEncoder` do."""

    def __init__(self, counts: tuple[int, ...], hidden_channels: int) -> None:
        super().__init__(nn.Embedding(count, hidden_channels) for count in counts)

    def forward(self, codes: Tensor) -> Tensor:
        """Return representations `[n, H]` of codes `[n, columns]`."""
        return sum(embed(column) for embed, column in zip(self, codes.T, strict=True))


class Model(nn.Module):
    """Three GINE layers over atoms and bonds."""

    def __init__(self, hidden_channels: int = 32) -> None:
        super().__init__()
        width, layers = hidden_channels, range(3)
        self.atoms = Embeddings(ATOMS, width)
        self.bonds = nn.ModuleList(Embeddings(BONDS, width) for _ in layers)
        self.layers = nn.ModuleList(GINEConv(nn.Linear(width, width)) for _ in layers)
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for _ in layers)
        self.head = nn.Linear(width, 1)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, 1]`."""
        h = self.atoms(batch.x)
        for bonds, layer, norm in zip(self.bonds, self.layers, self.norms, strict=True):
            h = h + norm(layer(h, batch.edge_index, bonds(batch.edge_attr))).relu()
        logits: Tensor = self.head(global_mean_pool(h, batch.batch))
        return logits


def molecule(active: bool) -> Data:
    """Return a random tree of carbons with a group at its end: an amide `C(=O)N` if active, else
    `C(=N)O`, which has other bonds, or `C(=O)O`, which has other atoms.
    """
    inactive = (NITROGEN, OXYGEN), (OXYGEN, OXYGEN)
    ends = (OXYGEN, NITROGEN) if active else inactive[int(torch.randint(2, ()))]
    size = int(torch.randint(6, 15, ()))
    place = torch.arange(1, size)
    parent = place - 1 - (torch.rand(size - 1) * place.clamp(max=3)).long()
    edge = torch.stack([torch.arange(1, size + 2), F.pad(parent, (0, 2), value=size - 1)])

    x = torch.zeros(size + 2, len(ATOMS), dtype=torch.long)
    x[:, 0] = torch.tensor([CARBON] * size + list(ends))
    x[torch.randint(size - 1, (3,)), 0] = torch.randint(NITROGEN, OXYGEN + 1, (3,))  # no meaning
    x[:, 2] = edge.flatten().bincount()  # the degree has a column of its own
    bond = torch.zeros(size + 1, len(BONDS), dtype=torch.long)
    bond[:, 0] = (torch.rand(size + 1) < 0.2).long()  # no meaning either
    bond[-2:, 0] = torch.tensor([DOUBLE, SINGLE])

    edge_index, edge_attr = torch.cat([edge, edge.flip(0)], 1), bond.repeat(2, 1)
    return Data(x=x, edge_index=edge_index, edge_attr=edge_attr, y=torch.tensor([[int(active)]]))


def train(mix: Augmentation, data: list[Data], epochs: int, seed: int) -> Model:
    """Train a model; its first weights and the order of batches depend on the seed alone."""
    mix.fit(data)
    torch.manual_seed(seed)
    model = Model()
    loader = DataLoader(data, 32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    with mix.training(model):
        for _ in range(epochs):
            for batch in loader:
                batch = mix(batch)  # y is [B', 1] as before, the share of class 1
                loss = F.binary_cross_entropy_with_logits(model(batch), batch.y.float())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            schedule.step()
    return model


def main() -> None:
    """Train without and with mixing, and test on fresh molecules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=100, help="to train on")
    parser.add_argument("--epochs", type=int, default=120)
    parser.add_argument("--steps", type=int, default=60, help="of the matcher")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    data = [molecule(active=place % 2 == 1) for place in range(arguments.graphs)]
    test = next(iter(DataLoader([molecule(place % 2 == 1) for place in range(1000)], 1000)))
    matcher = GraphMatcher(max_steps=arguments.steps)
    # GINEConv takes no weights of edges, so each edge of a mix is there as a whole or not at all.
    mix = SMixup(matcher, encode="ogb", edges="sampled", seed=arguments.seed)
    for name, method in (("without mixing:", Augmentation()), ("with mixing:   ", mix)):
        model = train(method, data, arguments.epochs, arguments.seed).eval()
        right = (model(test) > 0) == (test.y > 0)
        print(f"{name} test accuracy {right.float().mean():.3f}")


if __name__ == "__main__":
    main()
