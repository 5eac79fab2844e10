"""S-Mixup under Lightning: mix in `training_step`, and let the trainer fit within the guard."""

from __future__ import annotations

import argparse
import logging
import warnings

import lightning
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, global_mean_pool
from torch_geometric.transforms import OneHotDegree

from smixup import Augmentation, GraphMatcher, SMixup, load_dataset, to_pyg

MAX_DEGREE = 24


class Model(lightning.LightningModule):
    """PyG's GCN with batch norm; the augmentation is at work in training alone."""

    def __init__(self, mix: Augmentation, epochs: int, hidden_channels: int = 32) -> None:
        super().__init__()
        self.mix, self.epochs = mix, epochs
        self.nodes = GCN(MAX_DEGREE + 1, hidden_channels, num_layers=3, norm="batch")
        self.head = nn.Linear(hidden_channels, 3)

    def forward(self, batch: Batch) -> Tensor:
        """Return logits `[B, C]`."""
        h = self.nodes(batch.x, batch.edge_index, batch.edge_weight)
        logits: Tensor = self.head(global_mean_pool(h, batch.batch))
        return logits

    def training_step(self, batch: Batch, index: int) -> Tensor:
        """Return the loss of the batch and of its mixes."""
        batch = self.mix(batch)  # originals, then mixes; y is soft, [B', C]
        return F.cross_entropy(self(batch), batch.y)

    def test_step(self, batch: Batch, index: int) -> None:
        """Log the accuracy."""
        right = self(batch).argmax(1) == batch.y
        self.log("accuracy", right.float().mean(), batch_size=batch.num_graphs)

    def configure_optimizers(self) -> dict[str, object]:
        """Return Adam and a rate that falls to zero."""
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, self.epochs)
        return {"optimizer": optimizer, "lr_scheduler": schedule}


def graphs(number: int, seed: int) -> list[Data]:
    """Return MOTIF as PyG's `Data`, with degrees as features and integer labels."""
    encode = OneHotDegree(MAX_DEGREE, cat=False)
    motif = load_dataset("MOTIF", num_graphs=number, seed=seed).graphs
    data = [encode(each) for each in to_pyg(motif).to_data_list()]
    for each in data:
        each.y = each.y.argmax(1)
    return data


def accuracy(mix: Augmentation, data: list[Data], test: list[Data], epochs: int) -> float:
    """Train, and return the test accuracy."""
    model = Model(mix, epochs)
    trainer = lightning.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    with mix.training(model):  # batch norms take their statistics from the originals alone
        trainer.fit(model, DataLoader(data, 32, shuffle=True))
    return trainer.test(model, DataLoader(test, 250), verbose=False)[0]["accuracy"]


def main() -> None:
    """Train without and with mixing, and test on fresh graphs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=100, help="to train on")
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--steps", type=int, default=60, help="of the matcher")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", ".*does not have many workers.*")  # they would not pay here
    seed = arguments.seed
    data, test = graphs(arguments.graphs, seed), graphs(1000, seed + 1_000_000)
    mix = SMixup(GraphMatcher(max_steps=arguments.steps), seed=seed)
    for name, method in (("without mixing:", Augmentation()), ("with mixing:   ", mix)):
        method.fit(data)
        lightning.seed_everything(seed, verbose=False)
        found = accuracy(method, data, test, arguments.epochs)
        print(f"{name} test accuracy {found:.3f}")


if __name__ == "__main__":
    main()
