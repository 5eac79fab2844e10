"""An augmentation in workers of a loader, in ranks of a distributed run, copied, and resumed."""

from __future__ import annotations

import copy
import pickle
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest
import torch
from rings import rings
from tiny_methods import matcher
from torch import Tensor
from torch_geometric.data import Batch, Data
from warm_processes import WARM

from smixup import Augmentation, Compose, DropEdge, OneOf, RandomOrder, SMixup, silent


class Mixing:
    """A `collate_fn` that mixes where the graphs are loaded; it can be sent to any process."""

    def __init__(self, augment: Augmentation) -> None:
        self.augment = augment

    def __call__(self, data: list[Data]) -> Batch:
        return self.augment(Batch.from_data_list(data))


def loader(augment: Augmentation, **settings: Any) -> torch.utils.data.DataLoader:
    settings = {"batch_size": 3, "collate_fn": Mixing(augment), "num_workers": 2} | settings
    return torch.utils.data.DataLoader(rings(12), **settings)


def fitted(seed: int | None) -> SMixup:
    return SMixup(matcher(), seed=seed).fit(rings(12), silent)


@pytest.mark.parametrize(
    ("context", "seed"),
    [("fork", None), pytest.param("fork", 3, marks=pytest.mark.nightly), (WARM, 3)],
)
def test_every_batch_of_every_worker_and_epoch_has_numbers_of_its_own(
    context: str, seed: int | None
) -> None:
    mix = fitted(seed)
    mix(Batch.from_data_list(rings(3)))  # the source of this process exists

    def two_epochs() -> list[tuple[float, ...]]:
        torch.manual_seed(5)
        batches = loader(mix, multiprocessing_context=context)
        return [tuple(batch.edge_weight.tolist()) for _ in range(2) for batch in batches]

    first = two_epochs()
    assert len(first) == len(set(first)) == 8
    if context == "fork":
        assert two_epochs() == first, "torch.manual_seed decides"


def draws(augment: Augmentation, number: int = 3) -> list[Tensor]:
    batch = Batch.from_data_list(rings(12))
    return [augment(batch).edge_weight for _ in range(number)]


def alike(first: list[Tensor], second: list[Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


AUGMENTATIONS = {
    "s-mixup": lambda: fitted(1),
    "by torch's seed": lambda: fitted(None),
    "random order": lambda: SMixup(RandomOrder(seed=2), seed=1).fit(rings(12), silent),
    "composed": lambda: Compose([DropEdge(p=0.2, seed=4), fitted(1)]),
    "one of": lambda: OneOf([DropEdge(p=0.2, seed=4), fitted(1)], seed=5),
}


@pytest.mark.parametrize("name", AUGMENTATIONS)
def test_a_copy_and_a_state_go_on_from_where_they_were(name: str) -> None:
    mix = AUGMENTATIONS[name]()
    draws(mix, 2)
    state = mix.state_dict()
    copies = [copy.deepcopy(mix), pickle.loads(pickle.dumps(mix))]
    copies.append(pickle.loads(bytes(ForkingPickler.dumps(mix))))
    later = AUGMENTATIONS[name]()
    later.load_state_dict(state)
    results = []
    for each in (*copies, mix, *([] if name == "random order" else [later])):
        torch.manual_seed(0)
        results.append(draws(each))
    assert all(alike(result, results[0]) for result in results), "none has moved another"
    assert not alike(results[0][:1], results[0][1:2])
