"""The rows: each yields cases, our way beside an ordinary one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import torch
from torch import nn
from torch_geometric.data import Batch

from benchmarks.plain import PlainGCN, PlainGIN, mix_pair
from benchmarks.setup import Setup
from smixup import GraphMatcher, Graphs, SMixup, from_pyg, silent
from smixup.augment import Augmentation
from smixup.augment.mixing import interpolate, transform
from smixup.classifiers import GCN, GIN, Classifier

Work = Callable[[], object]
Cases = Iterator[tuple[str, Work, Work]]  # what is done; ours, and the reference


def startup(setup: Setup) -> Cases:
    """`import smixup` and `smixup --help`, and a Python that does nothing."""

    def python(*arguments: str) -> Work:
        command = (sys.executable, *arguments)
        return partial(subprocess.run, command, check=True, capture_output=True)

    nothing = python("-c", "")
    yield "import smixup : empty program", python("-c", "import smixup"), nothing
    yield "--help : empty program", python("-m", "smixup", "--help"), nothing


def vanilla(setup: Setup) -> Cases:
    """Training epochs, batching included."""
    for kind, plain in ((GCN, PlainGCN), (GIN, PlainGIN)):
        ours = epoch_of(kind(*setup.sizes), setup.graphs, setup.batch_size)
        yield f"{kind.__name__} : PyG", ours, loop(plain(*setup.sizes), setup.loader())


def epoch(setup: Setup) -> Cases:
    """Epochs under S-Mixup, alignments computed before, and Vanilla's."""
    mix = SMixup(GraphMatcher(max_steps=setup.steps)).fit(setup.graphs, silent)
    for kind in (GCN, GIN):
        models = [kind(*setup.sizes) for _ in range(2)]
        ours = epoch_of(models[0], setup.graphs, setup.batch_size, mix)
        vanilla = epoch_of(models[1], setup.graphs, setup.batch_size)
        yield f"{kind.__name__}, S-Mixup : Vanilla", ours, vanilla


def drop_in(setup: Setup) -> Cases:
    """A PyG loop with `mix(batch)` and without; one `mix(batch)` and one training step."""
    mix = SMixup(GraphMatcher(max_steps=setup.steps)).fit(setup.data, silent)
    epochs = (loop(PlainGCN(*setup.sizes), setup.loader(), each) for each in (mix, None))
    yield "epoch with mixes : without", *epochs
    batch = Batch.from_data_list(setup.data[:32])
    step = loop(PlainGCN(*setup.sizes), [batch])
    yield "mix(batch) of 32 : step of a GCN", partial(mix, batch), step


def matcher(setup: Setup) -> Cases:
    """All that S-Mixup does before training, and an epoch."""
    mix = SMixup(GraphMatcher(max_steps=setup.steps))
    ours = partial(mix.fit, setup.graphs, silent)
    yield "fit : epoch of a GCN", ours, loop(PlainGCN(*setup.sizes), setup.loader())


def mixing(setup: Setup) -> Cases:
    """Eq. (4) and (5) along soft assignments, and the same with dense matrices, pair by pair."""
    number = 10 if setup.quick else 256
    places = torch.randint(len(setup.graphs), (2, number), generator=setup.random)
    left, right = (setup.graphs[side] for side in places)
    soft = GraphMatcher.as_published(max_steps=1, num_layers=2, hidden_channels=32)
    M, lam = soft.fit(setup.graphs, silent)(left, right), torch.linspace(0.5, 1.0, len(left))
    blocks = [soft(left[[i]], right[[i]]).to_dense() for i in range(len(left))]
    sides = ([setup.data[place] for place in side] for side in places.tolist())
    cases = list(zip(*sides, blocks, lam.tolist(), strict=True))

    ours = lambda: interpolate(left, transform(M, left, right), lam)  # noqa: E731
    yield f"{len(left)} pairs : pair by pair", ours, lambda: [mix_pair(*case) for case in cases]


def large_pairs(setup: Setup) -> Cases:
    """Matching a pair of n nodes and 5n edges, and a pair with a third of them."""
    train = from_pyg([setup.large(n) for n in range(60, 80)])
    learned = GraphMatcher(triplets=False, max_steps=setup.steps).fit(train, silent)
    n = 150 if setup.quick else 1000
    third, whole = (
        partial(learned, *(from_pyg([setup.large(size)]) for _ in range(2))) for size in (n, 3 * n)
    )
    yield f"{3 * n:,} nodes : {n:,} nodes", whole, third


def loading(setup: Setup) -> Cases:
    """`from_pyg`, and one `Batch`."""
    reference = partial(Batch.from_data_list, setup.data)
    yield f"from_pyg of {len(setup.data):,} : Batch", partial(from_pyg, setup.data), reference


WORK = startup, vanilla, epoch, drop_in, matcher, mixing, large_pairs, loading
ROWS = {row.__name__.replace("_", "-"): row for row in WORK}


def epoch_of(
    model: Classifier, graphs: Graphs, batch_size: int, augment: Augmentation | None = None
) -> Work:
    """Return a function that trains for one epoch on `Graphs`."""
    augment, random = augment or Augmentation(), torch.Generator().manual_seed(0)
    augment.bind(model)
    return training(model, lambda: map(augment.on_batch, graphs.batches(batch_size, random)))


def loop(model: nn.Module, batches: Iterable[Batch], mix: SMixup | None = None) -> Work:
    """Return a function that trains for one epoch as PyG's users do."""
    if mix is None:
        return training(model, lambda: batches)
    epoch = training(model, lambda: map(mix, batches))

    def guarded() -> None:
        with mix.training(model):
            epoch()

    return guarded


def training(model: nn.Module, batches: Callable[[], Iterable[Any]]) -> Work:
    """Return a function that takes a step on each batch."""
    optimizer = torch.optim.Adam(model.parameters(), fused=True)

    def train() -> None:
        for batch in batches():
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch), batch.y).backward()
            optimizer.step()

    return train
