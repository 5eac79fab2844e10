"""An augmentation copied, sent to another process, and resumed."""

from __future__ import annotations

import copy
import pickle
from multiprocessing.reduction import ForkingPickler

import pytest
import torch
from rings import rings
from tiny_methods import matcher
from torch import Tensor
from torch_geometric.data import Batch

from smixup import Augmentation, Compose, DropEdge, OneOf, RandomOrder, SMixup, Until, silent


def fitted(seed: int | None) -> SMixup:
    return SMixup(matcher(), seed=seed).fit(rings(12), silent)


def draws(augment: Augmentation, number: int = 3) -> list[Tensor]:
    batch = Batch.from_data_list(rings(12))
    return [augment(batch).edge_weight for _ in range(number)]


def alike(first: list[Tensor], second: list[Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


AUGMENTATIONS = {
    "s-mixup": lambda: fitted(1),
    "by torch's seed": lambda: fitted(None),
    "random order": lambda: SMixup(RandomOrder(seed=2), seed=1).fit(rings(12), silent),
    "composed": lambda: Compose([DropEdge(seed=4), Until(SMixup(matcher(), seed=1))]).fit(
        rings(12)
    ),
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
