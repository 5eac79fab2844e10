"""An augmentation in workers of a loader, forked or spawned, and in ranks of a distributed run."""

from __future__ import annotations

import copy
import pickle
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data
from warm_processes import WARM, start_ranks

from smixup import (
    Augmentation,
    Compose,
    DropEdge,
    GraphMatcher,
    OneOf,
    RandomOrder,
    SMixup,
    silent,
)

SMALL: dict[str, Any] = {
    "max_steps": 2,
    "evaluate_every": 1,
    "hidden_channels": 4,
    "num_layers": 1,
}


def cycle(n: int, label: int) -> Data:
    i = torch.arange(n)
    there, back = torch.stack([i, (i + 1) % n]), torch.stack([(i + 1) % n, i])
    ends = torch.cat([there, back], dim=1)
    return Data(x=torch.ones(n, 1), edge_index=ends, y=torch.tensor([label]))


def graphs() -> list[Data]:
    return [cycle(12 + k % 4, k % 2) for k in range(12)]


class Mixing:
    """A `collate_fn` that mixes where the graphs are loaded; it can be sent to any process."""

    def __init__(self, augment: Augmentation) -> None:
        self.augment = augment

    def __call__(self, data: list[Data]) -> Batch:
        return self.augment(Batch.from_data_list(data))


def loader(augment: Augmentation, **settings: Any) -> torch.utils.data.DataLoader:
    settings = {"batch_size": 3, "collate_fn": Mixing(augment), "num_workers": 2} | settings
    return torch.utils.data.DataLoader(graphs(), **settings)  # type: ignore[arg-type]


def weights(batches: Any) -> list[tuple[float, ...]]:
    """What was drawn decides the weights of the edges of every batch."""
    return [tuple(batch.edge_weight.tolist()) for batch in batches]


def fitted(seed: int | None, **settings: Any) -> SMixup:
    return SMixup(GraphMatcher(**SMALL), seed=seed, **settings).fit(graphs(), silent)


@pytest.mark.slow
@pytest.mark.parametrize(("context", "seed"), [("fork", None), ("fork", 3), (WARM, 3)])
def test_every_batch_of_every_worker_and_epoch_has_numbers_of_its_own(
    context: str, seed: int | None
) -> None:
    mix = fitted(seed)
    mix(Batch.from_data_list(graphs()[:3]))  # the source of this process exists

    def two_epochs() -> list[tuple[float, ...]]:
        torch.manual_seed(5)
        batches = loader(mix, multiprocessing_context=context)
        return [drawn for _ in range(2) for drawn in weights(batches)]

    first = two_epochs()
    assert len(first) == len(set(first)) == 8
    if context == "fork":  # processes start slowly otherwise
        assert two_epochs() == first, "torch.manual_seed decides"


@pytest.mark.slow
def test_workers_that_stay_go_on_drawing() -> None:
    batches = loader(DropEdge(p=0.5, seed=3), persistent_workers=True)
    seen = [tuple(batch.edge_index.flatten().tolist()) for _ in range(3) for batch in batches]
    assert len(set(seen)) == len(seen) == 12


def ranked(rank: int, folder: str, augments: list[Augmentation]) -> None:
    """One of two processes of a distributed run; its own numbers, then those of its workers."""
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2
    )
    drawn: list[list[Batch]] = []
    for augment in augments:
        torch.manual_seed(0)
        own = [augment(Batch.from_data_list(graphs()[:3])) for _ in range(4)]
        forked = list(loader(augment, multiprocessing_context="fork"))
        drawn.append([*own, *forked])
    spawned = loader(augments[-1], multiprocessing_context="spawn", num_workers=1, batch_size=6)
    torch.manual_seed(0)
    drawn.append(list(spawned))
    torch.save([[batch.edge_index for batch in each] for each in drawn], f"{folder}/{rank}")
    torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_ranks_and_their_workers_draw_different_numbers(tmp_path: Path) -> None:
    """Without and with a seed; workers forked, which know their rank, and spawned, which do not."""
    augments = [DropEdge(p=0.5, seed=seed) for seed in (None, 3)]
    start_ranks(ranked, (str(tmp_path), augments))
    ranks = [torch.load(tmp_path / str(rank)) for rank in range(2)]
    for number, drawn in zip((16, 16, 4), zip(*ranks, strict=True), strict=True):
        every = [tuple(edges.flatten().tolist()) for rank in drawn for edges in rank]
        assert len(every) == len(set(every)) == number


def draws(augment: Augmentation, number: int = 3) -> list[Tensor]:
    batch = Batch.from_data_list(graphs())
    return [augment(batch).edge_weight for _ in range(number)]


def alike(first: list[Tensor], second: list[Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


AUGMENTATIONS = {
    "s-mixup": lambda: fitted(1),
    "by torch's seed": lambda: fitted(None),
    "random order": lambda: SMixup(RandomOrder(seed=2), seed=1).fit(graphs(), silent),
    "composed": lambda: Compose([DropEdge(p=0.2, seed=4), fitted(1)]),
    "one of": lambda: OneOf([DropEdge(p=0.2, seed=4), fitted(1)], seed=5),
}


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("name", AUGMENTATIONS)
def test_a_copy_goes_on_from_the_same_state_and_on_its_own(name: str, used: bool) -> None:
    mix = AUGMENTATIONS[name]()
    if used:
        draws(mix, 2)
    copies = [copy.deepcopy(mix), pickle.loads(pickle.dumps(mix))]
    copies.append(pickle.loads(bytes(ForkingPickler.dumps(mix))))
    results = []
    for each in (*copies, mix):
        torch.manual_seed(0)
        results.append(draws(each))
    assert all(alike(result, results[0]) for result in results), "none has moved another"
    assert not alike(results[0][:1], results[0][1:2])


@pytest.mark.parametrize("name", ["s-mixup", "composed", "one of"])
def test_a_state_is_found_again(name: str) -> None:
    mix = AUGMENTATIONS[name]()
    draws(mix, 2)
    state = mix.state_dict()
    expected = draws(mix)
    later = AUGMENTATIONS[name]()
    later.load_state_dict(state)
    assert alike(draws(later), expected)
