"""Every method with targets of every kind: it trains, mixes them as they should be mixed, or says
that it cannot.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from tiny_methods import METHODS, method
from torch import Tensor

from smixup.augment import Augmentation, Compose, OneOf, Until
from smixup.classifiers import GIN
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import Identity
from smixup.progress import silent
from smixup.tasks import Classes, Labels, Task, Values
from smixup.training import Splits, TrainSettings, fit

NAN = math.nan
SIZES = [5, 4, 6, 3, 7, 5, 4, 6, 5, 5, 8, 4]
WAYS: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (name, {}) for name in METHODS},
    "s-mixup, afresh": ("s-mixup", {"partners": None, "amount": None}),
    "s-mixup, paper": ("s-mixup", {"transport": "paper", "ratio": "per-batch"}),
    "s-mixup, same class": ("s-mixup", {"pairing": "same-class"}),
}
CLASSES_ONLY = {
    "g-mixup": "GMixup",
    "label-smoothing": "LabelSmoothing",
    "s-mixup, same class": "SMixup with pairing=same-class",
}


def random(*shape: int) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def with_gaps(y: Tensor) -> Tensor:
    y = y.clone()
    y[1, 0] = y[4] = y[7, -1] = NAN
    return y


def labels(number: int) -> Tensor:
    return torch.stack([torch.arange(number) % k == 0 for k in (2, 3)], 1).float()


TARGETS: dict[str, tuple[Task, Callable[[int], Tensor], bool]] = {
    "classes": (
        Classes((0, 1, 2), balanced=True),
        lambda n: torch.eye(3)[torch.arange(n) % 3],
        True,
    ),
    "soft classes": (Classes.numbered(3), lambda n: random(n, 3).softmax(1), True),
    "labels with gaps": (Labels(("a", "b"), balanced=True), lambda n: with_gaps(labels(n)), False),
    "one value": (Values(("v",)), lambda n: 1e3 + 10 * random(n, 1), False),
    "values with gaps": (
        Values(("u", "v", "w")),
        lambda n: with_gaps(random(n, 3) * torch.tensor([1.0, 1e3, -1e-3])),
        False,
    ),
}
OTHERS = [kind for kind in TARGETS if not TARGETS[kind][2]]
PAIRS = [
    pair
    for place, way in enumerate(WAYS)
    for pair in ((way, [*TARGETS][place % 2]), (way, OTHERS[place % 3]))
]


@pytest.fixture
def graphs(make_graphs: Callable[..., Graphs]) -> Graphs:
    return make_graphs(SIZES)


@pytest.mark.filterwarnings("error:.*(target|class|nan).*")
@pytest.mark.parametrize(("way", "kind"), PAIRS)
def test_every_method_trains_or_says_why_not(
    way: str, kind: str, make_graphs: Callable[..., Graphs]
) -> None:
    task, targets, has_classes = TARGETS[kind]
    parts = (make_graphs(SIZES, seed=seed) for seed in range(3))
    splits = Splits(
        *(part.replace(y=targets(len(SIZES)), has_classes=has_classes) for part in parts), task=task
    )
    torch.manual_seed(0)
    model = GIN(3, splits.train.num_classes, num_layers=1, hidden_channels=4)
    name, settings = WAYS[way]
    settings_of_run = TrainSettings(epochs=2, learning_rate=0.01, batch_size=5)
    run = (model, splits, method(name, **settings), settings_of_run)
    if way in CLASSES_ONLY and not has_classes:
        with pytest.raises(UsageError, match=f"{CLASSES_ONLY[way]}.*not classes.*choose another"):
            fit(*run)
        return
    result = fit(*run)
    assert result.history.epochs == 2
    assert all(math.isfinite(loss) for loss in result.history.curves["train_loss"])
    assert math.isfinite(result.history.test)


def mixed_targets(way: str, graphs: Graphs) -> Tensor:
    """All targets of two batches, from one seed; nothing of it may depend on the targets."""
    name, settings = WAYS[way]
    augmentation = method(name, 3, **settings)
    if hasattr(augmentation, "matcher"):  # one that does not learn from targets
        augmentation.matcher = Identity()
    augmentation.fit(graphs, silent)
    found = []
    for first in (0, 4):
        batch = augmentation.on_batch(graphs[first : first + 8].floating())
        found.append(augmentation.on_embedding(torch.ones(len(batch), 2), batch.y)[1])
    return torch.cat(found)


@pytest.mark.parametrize("way", [way for way in WAYS if way not in CLASSES_ONLY])
def test_targets_are_mixed_in_the_shares_of_the_graphs(way: str, graphs: Graphs) -> None:
    """Targets that name the graphs tell the shares; any others are mixed by the same."""
    shares = mixed_targets(way, graphs.replace(y=torch.eye(len(SIZES))))
    assert ((shares > 0).sum(1) <= 2).all()
    torch.testing.assert_close(shares.sum(1), torch.ones(len(shares)))
    alone = {"vanilla", "drop-edge", "drop-node", "subgraph", "fgw-mixup", "geomix"}
    assert bool((shares.amax(1) < 1).any()) is (way not in alone)
    for kind in OTHERS:
        y = TARGETS[kind][1](len(SIZES))
        found = mixed_targets(way, graphs.replace(y=y, has_classes=False))
        known = ~y.isnan()
        expected = shares.double() @ torch.where(known, y, 0.0).double()
        unknown = shares @ (~known).float() > 0
        assert found[unknown].isnan().all(), "what one of two does not know, a mix does not know"
        whole = (shares.amax(1) == 1).unsqueeze(1)
        assert not (found.isnan() & ~unknown & ~whole).any()
        fine = ~found.isnan()
        torch.testing.assert_close(found[fine].double(), expected[fine], rtol=1e-5, atol=1e-6)


def test_a_part_refuses_for_the_whole(graphs: Graphs) -> None:
    values = graphs.replace(y=random(len(SIZES), 2), has_classes=False)
    part = method("label-smoothing")
    for several in (Compose([Augmentation(), part]), OneOf([Augmentation(), part]), Until(part)):
        with pytest.raises(UsageError, match="LabelSmoothing gives a share"):
            several.fit(values, silent)


def test_a_model_of_values_is_asked_by_its_errors(graphs: Graphs) -> None:
    y = random(len(SIZES), 1)
    y[2] = torch.nan
    transplant = method("graph-transplant")
    transplant.bind(GIN(3, 1, num_layers=1, hidden_channels=4))
    mixes = transplant.beside(graphs.replace(y=y, has_classes=False))
    assert mixes is not None and len(mixes) == len(graphs)
