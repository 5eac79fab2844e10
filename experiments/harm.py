"""Can the drop-in do harm? Models as PyG's users write them, in an ordinary loop, with mixing and
without, on the same graphs, weights and batches: `python -m experiments.harm --help`. Scores go to
`data/harm.jsonl` line by line, and those that are there are not computed again.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, GIN, GraphConv, TopKPooling, global_mean_pool

from smixup import GraphMatcher, RandomOrder, SMixup, load_dataset, silent, to_pyg
from smixup.datasets.features import encode_features
from smixup.graphs import Graphs
from smixup.seeding import derive, generator, random_state_kept

HIDDEN = 32
TRAIN_GRAPHS, MOST_TEST = {"MOTIF": 60, "MUTAG": 60, "PROTEINS": 150}, 400
BATCH_SIZE, RATE, LAST = 16, 0.01, 5
KEY = ("dataset", "model", "seed", "arm")
FILE = Path(__file__).parent / "data" / "harm.jsonl"
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


class TopK(nn.Module):
    """Pooling that keeps the best nodes, after the example of PyG, with a dropout in its head."""

    def __init__(self, in_channels: int, num_classes: int) -> None:
        super().__init__()
        widths = (in_channels, HIDDEN)
        self.layers = nn.ModuleList(GraphConv(width, HIDDEN) for width in widths)
        self.pools = nn.ModuleList(TopKPooling(HIDDEN, 0.8) for _ in widths)
        ends = nn.Linear(2 * HIDDEN, HIDDEN), nn.Linear(HIDDEN, num_classes)
        self.head = nn.Sequential(ends[0], nn.ReLU(), nn.Dropout(0.5), ends[1])

    def forward(self, batch: Batch) -> Tensor:
        h, edges, weight, of = batch.x, batch.edge_index, batch.edge_weight, batch.batch
        means = []
        for layer, pool in zip(self.layers, self.pools, strict=True):
            h, edges, weight, of, *_ = pool(layer(h, edges, weight).relu(), edges, weight, of)
            means.append(global_mean_pool(h, of, batch.num_graphs))
        return self.head(torch.cat(means, 1))


CODES = "embedded codes"
MODELS: dict[str, Callable[[int, int], nn.Module]] = {
    "batch norm": lambda d, classes: Pooled(GCN(d, out_channels=HIDDEN, **NORMED), classes),
    "GIN": lambda d, classes: Pooled(GIN(d, out_channels=HIDDEN, **NORMED), classes, False),
    CODES: lambda d, classes: Pooled(GCN(HIDDEN, HIDDEN, 3), classes, codes=d),
    "TopK pooling": TopK,
}
"""Norms over a batch, layers without weights, codes, a choice of nodes: a mix could harm each."""
ARMS: dict[str, dict[str, Any] | None] = {
    "none": None,
    **{f"aligned, alpha {alpha:g}, beside": {"alpha": alpha} for alpha in (0.2, 1.0, 2.0, 5.0)},
    "aligned, alpha 2, in place": {"alpha": 2.0, "amount": None},
    "random alignment, alpha 2, beside": {"alpha": 2.0},
}


def scores(
    dataset: str,
    model: str,
    seed: int,
    arms: Collection[str] = tuple(ARMS),
    *,
    epochs: int = 100,
    steps: int = 120,
    root: Path | None = None,
) -> Iterator[tuple[str, float]]:
    """Yield the accuracy of every arm, in per cent."""
    options = {"features": "degree"} if dataset == "MOTIF" else {}
    graphs = load_dataset(dataset, root, **options).graphs
    number = TRAIN_GRAPHS.get(dataset, min(100, len(graphs) // 2))
    index = torch.randperm(len(graphs), generator=generator(seed, "harm split"))
    encoded = encode_features(graphs, index[:number]).floating()
    places, codes = (index[:number], index[number : number + MOST_TEST]), model == CODES
    parts = [as_data(encoded[part], codes) for part in places]
    make = partial(MODELS[model], encoded.num_features, encoded.num_classes)
    aligned = GraphMatcher(max_steps=steps, seed=seed)
    for arm in arms:
        settings, augment = ARMS[arm], None
        if settings is not None:
            matcher = RandomOrder(partial=True, seed=seed) if arm.startswith("random") else aligned
            augment = SMixup(matcher, encode="one-hot" if codes else None, seed=seed, **settings)
            augment.fit(parts[0], silent)
        yield arm, score(make, parts, augment, seed, epochs)


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
    accuracies = []
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
                    accuracies.append(100 * float(torch.cat(right).float().mean()))
    return fmean(accuracies)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute what is missing."""
    parser = ArgumentParser(prog="python -m experiments.harm", description=__doc__)
    parser.add_argument("--data", nargs="*", default=[*TRAIN_GRAPHS])
    parser.add_argument("--model", nargs="*", default=[*MODELS], help=f"of: {'; '.join(MODELS)}")
    parser.add_argument("--arm", nargs="*", default=[*ARMS], help=f"of: {'; '.join(ARMS)}")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--root", type=Path)
    parser.add_argument("--out", type=Path, default=FILE)
    chosen = parser.parse_args(arguments)
    done = {tuple(line[name] for name in KEY) for line in read(chosen.out)}
    for seed, dataset, model in product(range(chosen.seeds), chosen.data, chosen.model):
        missing = [arm for arm in chosen.arm if (dataset, model, seed, arm) not in done]
        for arm, value in scores(dataset, model, seed, missing, root=chosen.root):
            line = dict(zip((*KEY, "score"), (dataset, model, seed, arm, value), strict=True))
            with chosen.out.open("a", encoding="utf-8") as file:
                print(json.dumps(line), file=file)


def read(file: Path = FILE) -> list[dict[str, Any]]:
    """Return what was computed."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return [json.loads(line) for line in text.splitlines()]


if __name__ == "__main__":
    main()
