"""Training on molecules with features of bonds: beside the ordinary PyG way, and under S-Mixup."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import torch
import torch.nn.functional as F
from torch_geometric.loader import DataLoader

from smixup.app.bench.epoch import STEPS, epoch_of
from smixup.app.bench.machine import peak_memory
from smixup.app.bench.pyg_way import PlainGINE, data_list
from smixup.app.bench.settings import Settings
from smixup.app.bench.timing import Comparison, alternate
from smixup.app.bench.vanilla import BATCH_SIZE, NUM_LAYERS, epoch_over
from smixup.augment import Augmentation, SMixup
from smixup.classifiers import GINE
from smixup.datasets import load_dataset
from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.bonds import BOND_VALUES
from smixup.datasets.sources import MOLHIV
from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.edge_features import EDGE_ATTR
from smixup.graphs.ragged import offsets
from smixup.matching import GraphMatcher
from smixup.progress import silent

MOLECULES = 2048
CHANNELS = (32, 300)
"""Of App. C, and of its row for ogbg-molhiv."""


def compare_molecules(settings: Settings) -> Iterator[Comparison]:
    """Compare graphs per second of training a GINE: without augmentation with the same in PyG, and
    S-Mixup, its alignments computed before, with none.
    """
    name, graphs = _molecules(settings)
    data = data_list(graphs)
    augment = SMixup(GraphMatcher(max_steps=STEPS), partners=1)
    train = augment.fit_extend(graphs, silent)
    sizes = graphs.num_features, graphs.num_classes, graphs.num_edge_features
    for channels in CHANNELS:
        ours, plain = GINE(*sizes, channels, NUM_LAYERS), PlainGINE(*sizes, channels, NUM_LAYERS)
        drawn = partial(graphs.batches, BATCH_SIZE, torch.Generator().manual_seed(0))
        loaded = partial(iter, DataLoader(data, BATCH_SIZE, True))
        for case, epochs in (
            ("vanilla : PyG", (epoch_over(ours, drawn), epoch_over(plain, loaded))),
            (
                "s-mixup : vanilla",
                (epoch_of(ours, train, augment), epoch_of(ours, graphs, Augmentation())),
            ),
        ):
            times = alternate(*epochs, settings.repeat)
            rates = times.rates(len(graphs))
            row = ("molecules", name, f"gine, {channels} channels, {case}", "graphs/s", *rates)
            yield Comparison(*row, memory_mb=peak_memory(), quartiles=times.quartiles)


def _molecules(settings: Settings) -> tuple[str, Graphs]:
    """Return the first molecules of ogbg-molhiv, or random ones where it is not to be had."""
    number = settings.size or MOLECULES
    try:
        found = load_dataset(MOLHIV, settings.root, bonds=True).graphs[:number]
    except SmixupError as reason:
        settings.note(f"{reason} Random molecules take its place.")
        return "random molecules", random_molecules(number, torch.Generator().manual_seed(0))
    return MOLHIV, found.renumbered()


def random_molecules(number: int, generator: torch.Generator) -> Graphs:
    """Return chains of atoms that are closed to rings here and there, of the sizes, features and
    numbers of bonds of ogbg-molhiv.
    """
    sizes = torch.randint(10, 42, (number,), generator=generator)
    ptr = offsets(sizes)
    n = int(ptr[-1])
    atom = torch.arange(n - 1)
    joined = torch.ones(n - 1, dtype=torch.bool)
    joined[ptr[1:-1] - 1] = False  # the last atom of one, and the first of the next
    chain = torch.stack([atom, atom + 1])[:, joined]
    start = ptr[:-1] + (torch.rand(number, generator=generator) * (sizes - 6)).long()
    bonds = torch.cat([chain, torch.stack([start, start + 5])], 1)
    kinds = _one_hot(bonds.size(1), BOND_VALUES, generator)
    entries = torch.cat([torch.ones(len(kinds), 1), kinds], 1).repeat(2, 1)
    joint = SparseOperator.from_edges(torch.cat([bonds, bonds.flip(0)], 1), entries, n)
    weight = joint.weight
    adj, features = (
        SparseOperator(joint.row_ptr, joint.column, each.contiguous(), n, symmetric=True)
        for each in (weight[:, 0], weight[:, 1:])
    )
    x = _one_hot(n, ATOM_VALUES, generator).to(torch.uint8)
    y = F.one_hot(torch.arange(number) % 2, 2).float()
    return Graphs(x, adj, y, ptr, edge_attrs={EDGE_ATTR: (features,)}).renumbered()


def _one_hot(rows: int, numbers: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    """Return random values of several columns, one-hot beside each other."""
    columns = [torch.randint(each, (rows,), generator=generator) for each in numbers]
    return torch.cat([F.one_hot(c, n) for c, n in zip(columns, numbers, strict=True)], 1).float()
