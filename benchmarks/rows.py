"""The rows: each yields cases, our way beside an ordinary one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn
from torch_geometric.data import Batch
from torch_geometric.io import read_tu_data

import smixup
from benchmarks.plain import PlainGCN, PlainGIN, PlainMatcher, mix_pair
from benchmarks.setup import Setup, tree, write_tu
from benchmarks.timing import Work
from smixup import GraphMatcher, Graphs, SMixup, from_pyg, silent
from smixup.augment import Augmentation
from smixup.augment.mixing import interpolate, transform
from smixup.classifiers import GCN, GIN, Classifier

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
    """Training steps of the paper's kind of matcher; all that S-Mixup does before training."""
    steps = setup.steps
    learn = GraphMatcher(correspondences=False, random_walk=0, max_steps=steps)
    plain, data = PlainMatcher(setup.sizes[0]), setup.data
    triplets = [data[place : place + 3] for place in range(learn.batch_size)]
    fit = partial(learn.fit, setup.graphs, silent)
    yield f"{steps} steps : pair by pair", fit, lambda: [plain.step(triplets) for _ in range(steps)]
    mix = SMixup(GraphMatcher(max_steps=steps))
    plain_epoch = loop(PlainGCN(*setup.sizes), setup.loader())
    yield "fit of S-Mixup : epoch of a GCN", partial(mix.fit, setup.graphs, silent), plain_epoch


def mixing(setup: Setup) -> Cases:
    """Eq. (4) and (5) along soft assignments, and the same with dense matrices, pair by pair."""
    places, left, right = setup.pairs()
    soft = GraphMatcher.as_published(max_steps=1, num_layers=2, hidden_channels=32)
    M, lam = soft.fit(setup.graphs, silent)(left, right), torch.linspace(0.5, 1.0, len(left))
    blocks = [soft(left[[i]], right[[i]]).to_dense() for i in range(len(left))]
    sides = ([setup.data[place] for place in side] for side in places.tolist())
    cases = list(zip(*sides, blocks, lam.tolist(), strict=True))

    ours = lambda: interpolate(left, transform(M, left, right), lam)  # noqa: E731
    yield f"{len(left)} pairs : pair by pair", ours, lambda: [mix_pair(*case) for case in cases]


def large_pairs(setup: Setup) -> Cases:
    """Matching a pair of n nodes and 5n edges, and dense tables of a network alone."""
    train = from_pyg([tree(n, setup.random, further=4 * n) for n in range(60, 80)])
    learned = GraphMatcher(triplets=False, max_steps=setup.steps).fit(train, silent)
    for n in (400,) if setup.quick else (1000, 3000):
        pair = [tree(n, setup.random, further=4 * n) for _ in range(2)]
        ours = partial(learned, *(from_pyg([each]) for each in pair))
        yield f"{n:,} nodes : dense tables", ours, partial(PlainMatcher(8).distance, *pair)


def loading(setup: Setup) -> Cases:
    """Text files of the TU collection, and PyG's reader; `from_pyg`, and one `Batch`."""
    data = setup.small(3000)
    with TemporaryDirectory() as name:
        copies = [Path(name, str(place)) for place in range(setup.repeat + 1)]
        for copy in copies:
            write_tu(data, copy / "TEST" / "raw")
        fresh = iter(copies)  # what was read once is kept beside the files
        reader = partial(read_tu_data, str(copies[0] / "TEST" / "raw"), "TEST")
        ours = lambda: smixup.load_dataset("TEST", next(fresh))  # noqa: E731
        yield f"TU files of {len(data):,} : PyG", ours, reader
    batch = partial(Batch.from_data_list, data)
    yield f"from_pyg of {len(data):,} : Batch", partial(from_pyg, data), batch


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
