"""Can the drop-in do harm? Models as PyG's users write them, in an ordinary loop, with mixing and
without, on the same graphs, weights and batches: `python -m experiments.harm --help`.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from statistics import fmean

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, GIN, global_mean_pool

from experiments.judge import by_runs
from smixup import GraphMatcher, SMixup, load_dataset, silent, to_pyg
from smixup.datasets.features import encode_features
from smixup.graphs import Graphs
from smixup.seeding import derive, generator, random_state_kept

HIDDEN = 32
TRAIN_GRAPHS, MOST_TEST = {"MOTIF": 60, "MUTAG": 60, "PROTEINS": 150}, 400
BATCH_SIZE, RATE, LAST = 16, 0.01, 5
NORMED = {"hidden_channels": HIDDEN, "num_layers": 3, "norm": "BatchNorm"}


class Pooled(nn.Module):
    """A network of PyG, a mean over nodes and a linear head; codes in `x` are embedded first."""

    def __init__(
        self, body: nn.Module, num_classes: int, weights: bool = True, codes: int = 0
    ) -> None:
        super().__init__()
        self.body, self.head, self.weights = body, nn.Linear(HIDDEN, num_classes), weights
        self.embedding = nn.Embedding(codes, HIDDEN) if codes else nn.Identity()

    def forward(self, batch: Batch) -> Tensor:
        weight = {"edge_weight": batch.edge_weight} if self.weights else {}
        h = self.body(self.embedding(batch.x), batch.edge_index, **weight)
        return self.head(global_mean_pool(h, batch.batch))


CODES = "embedded codes"
MODELS: dict[str, Callable[[int, int], nn.Module]] = {
    "batch norm": lambda d, classes: Pooled(GCN(d, out_channels=HIDDEN, **NORMED), classes),
    "GIN": lambda d, classes: Pooled(GIN(d, out_channels=HIDDEN, **NORMED), classes, False),
    CODES: lambda d, classes: Pooled(GCN(HIDDEN, HIDDEN, 3), classes, codes=d),
}
"""Norms over a batch, layers without weights, and codes: a mix could harm each."""


def pairs(
    dataset: str, model: str, seeds: Sequence[int], epochs: int = 100, steps: int = 120
) -> Iterator[tuple[float, float]]:
    """Yield accuracies without and with mixing, in per cent, seed by seed."""
    options = {"features": "degree"} if dataset == "MOTIF" else {}
    graphs = load_dataset(dataset, **options).graphs
    number = TRAIN_GRAPHS.get(dataset, min(100, len(graphs) // 2))
    for seed in seeds:
        index = torch.randperm(len(graphs), generator=generator(seed, "harm split"))
        encoded = encode_features(graphs, index[:number]).floating()
        places, codes = (index[:number], index[number : number + MOST_TEST]), model == CODES
        parts = [as_data(encoded[part], codes) for part in places]
        encode = "one-hot" if codes else None
        mix = SMixup(GraphMatcher(max_steps=steps, seed=seed), encode=encode, seed=seed)
        make = partial(MODELS[model], encoded.num_features, encoded.num_classes)
        arms = None, mix.fit(parts[0], silent)
        plain, mixed = (score(make, parts, arm, seed, epochs) for arm in arms)
        yield plain, mixed


def as_data(graphs: Graphs, codes: bool = False) -> list[Data]:
    """Return graphs as PyG's users have them; one-hot features as code numbers if asked."""
    data = to_pyg(graphs.without_attributes()).to_data_list()
    for graph in data:
        graph.y = graph.y.argmax(1)
        graph.x = graph.x.argmax(1) if codes else graph.x
    return data


def score(
    make: Callable[[], nn.Module],
    parts: Sequence[list[Data]],
    augment: SMixup | None,
    seed: int,
    epochs: int,
) -> float:
    """Train a model in a user's loop, and return its accuracy on the test graphs in per cent."""
    scores = []
    with random_state_kept():
        torch.manual_seed(derive(seed, "harm weights"))
        model = make()
        optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
        # at a constant rate the statistics of batch norms lag behind
        decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
        order, tests = generator(seed, "harm order"), DataLoader(parts[1], 256)
        loader = DataLoader(parts[0], BATCH_SIZE, shuffle=True, generator=order)
        with nullcontext() if augment is None else augment.training(model):
            for epoch in range(epochs):
                model.train()
                for batch in loader:
                    batch = batch if augment is None else augment(batch)
                    loss = nn.functional.cross_entropy(model(batch), batch.y)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
                decay.step()
                if epoch >= epochs - LAST:
                    model.eval()
                    with torch.no_grad():
                        right = [model(batch).argmax(1) == batch.y for batch in tests]
                    scores.append(100 * float(torch.cat(right).float().mean()))
    return fmean(scores)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how much higher mixing scores, by model."""
    parser = ArgumentParser(prog="python -m experiments.harm", description=__doc__)
    parser.add_argument("model", nargs="*", default=[*MODELS], help=f"any of: {'; '.join(MODELS)}")
    parser.add_argument("--data", default="MOTIF")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=100)
    chosen = parser.parse_args(arguments)
    for model in chosen.model:
        scores = list(pairs(chosen.data, model, range(chosen.seeds), chosen.epochs))
        gain = by_runs([mixed - plain for plain, mixed in scores])
        without = fmean(plain for plain, _ in scores)
        bounds = f"[{gain.low:+.1f}, {gain.high:+.1f}]"
        print(f"{model}: {without:.1f} % without, {gain.mean:+.1f} points {bounds}")


if __name__ == "__main__":
    main()
