"""The base class is Vanilla: it acts nowhere."""

from __future__ import annotations

import torch

from smixup.augment import Augmentation
from smixup.augment.base import RandomAugmentation
from smixup.graphs import Graphs


def test_every_hook_returns_what_it_was_given(graphs: Graphs) -> None:
    vanilla, batch = Augmentation(), graphs[[0, 4]]
    h = torch.randn(2, 5)
    assert vanilla.fit_extend(graphs) is graphs
    assert vanilla.on_batch(batch) is batch
    assert vanilla.on_embedding(h, batch.y) == (h, batch.y)


def test_a_method_overrides_only_the_hook_it_needs(graphs: Graphs) -> None:
    class Halved(Augmentation):
        def on_embedding(
            self, h: torch.Tensor, y: torch.Tensor
        ) -> tuple[torch.Tensor, torch.Tensor]:
            return h / 2, y

    batch = graphs[[0, 4]]
    assert Halved().on_batch(batch) is batch
    assert Halved().on_embedding(torch.ones(2, 1), batch.y)[0].tolist() == [[0.5], [0.5]]


def test_a_random_method_goes_on_from_where_it_was() -> None:
    class Noise(RandomAugmentation):
        purpose = "noise"

    method, other = Noise(seed=1), Noise(seed=2)
    other.load_state_dict(method.state_dict())
    assert torch.equal(
        torch.rand(3, generator=method.random), torch.rand(3, generator=other.random)
    )
    assert not torch.equal(
        torch.rand(3, generator=method.random), torch.rand(3, generator=Noise(seed=2).random)
    )
