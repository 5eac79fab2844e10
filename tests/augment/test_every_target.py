"""Every method with targets of every kind: it trains, mixes them as they should be mixed, or says
that it cannot.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import Augmentation, Compose, OneOf, Until
from smixup.augment.teacher import Taught
from smixup.classifiers import GIN
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.progress import silent
from smixup.tasks import Classes, Labels, Task, Values
from smixup.training import Splits, TrainSettings, fit, fit_taught

NAN = math.nan
SIZES = [5, 4, 6, 3, 7, 5, 4, 6, 5, 5, 8, 4]
TINY_MATCHER = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2, "batch_size": 4}
OF_MATCHER = {f"matcher.{name}": value for name, value in TINY_MATCHER.items()}
SMALL = {"s-mixup": OF_MATCHER, "s-cut": OF_MATCHER}
WAYS: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (name, SMALL.get(name, {})) for name in METHODS if name not in SAME_NODES},
    "s-mixup, adaptive": ("s-mixup", OF_MATCHER | {"adaptive": True}),
    "s-mixup, arrived": ("s-mixup", OF_MATCHER | {"label": "arrived"}),
    "s-mixup, afresh": ("s-mixup", OF_MATCHER | {"partners": None, "amount": None}),
    "s-mixup, similar": ("s-mixup", OF_MATCHER | {"pairing": "similar(candidates=2)"}),
    "s-mixup, paper": ("s-mixup", OF_MATCHER | {"transport": "paper", "per_pair": False}),
    "s-mixup, same class": ("s-mixup", OF_MATCHER | {"pairing": "same-class"}),
}
CLASSES_ONLY = {"g-mixup": "GMixup", "label-smoothing": "LabelSmoothing"}
CLASSES_ONLY |= {"s-mixup, same class": "SMixup with pairing=same-class"}


def made(way: str) -> Augmentation:
    name, settings = WAYS[way]
    return make_method(name, 0, settings)


def random(*shape: int) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def with_gaps(y: Tensor) -> Tensor:
    y = y.clone()
    y[1, 0] = y[4] = y[7, -1] = NAN
    return y


def one_hot(number: int) -> Tensor:
    return torch.eye(3)[torch.arange(number) % 3]


def labels(number: int) -> Tensor:
    return torch.stack([torch.arange(number) % k == 0 for k in (2, 3)], 1).float()


TARGETS: dict[str, tuple[Task, Callable[[int], Tensor], bool]] = {
    "classes": (Classes.numbered(3), one_hot, True),
    "balanced classes": (Classes((0, 1, 2), balanced=True), one_hot, True),
    "soft classes": (Classes.numbered(3), lambda n: random(n, 3).softmax(1), True),
    "labels": (Labels(("a", "b")), labels, False),
    "labels with gaps": (Labels(("a", "b"), balanced=True), lambda n: with_gaps(labels(n)), False),
    "one value": (Values(("v",)), lambda n: 1e3 + 10 * random(n, 1), False),
    "values with gaps": (
        Values(("u", "v", "w")),
        lambda n: with_gaps(random(n, 3) * torch.tensor([1.0, 1e3, -1e-3])),
        False,
    ),
}


@pytest.fixture
def graphs(make_graphs: Callable[..., Graphs]) -> Graphs:
    return make_graphs(SIZES)


@pytest.fixture(params=TARGETS)
def splits(request: pytest.FixtureRequest, make_graphs: Callable[..., Graphs]) -> Splits:
    task, targets, has_classes = TARGETS[request.param]
    parts = (make_graphs(SIZES, seed=seed) for seed in range(3))
    given = (each.replace(y=targets(len(SIZES)), has_classes=has_classes) for each in parts)
    return Splits(*given, task=task)


SETTINGS = TrainSettings(epochs=2, learning_rate=0.01, batch_size=5)


def model_for(splits: Splits, seed: int = 0) -> GIN:
    torch.manual_seed(seed)
    return GIN(3, splits.train.num_classes, num_layers=1, hidden_channels=4)


def kind_refused(way: str, splits: Splits) -> bool:
    return way in CLASSES_ONLY and not splits.train.has_classes


@pytest.mark.filterwarnings("error:.*(target|class|nan).*")
@pytest.mark.parametrize("way", WAYS)
def test_every_method_trains_or_says_why_not(way: str, splits: Splits) -> None:
    run = (model_for(splits), splits, made(way), SETTINGS)
    if kind_refused(way, splits):
        with pytest.raises(UsageError, match=f"{CLASSES_ONLY[way]}.*not classes.*choose another"):
            fit(*run)
        return
    result = fit(*run)
    assert result.history.epochs == 2
    assert all(math.isfinite(each) for each in result.history.curves["train_loss"])
    assert math.isfinite(result.history.at_best("test"))


def without_learning(name: str, settings: dict[str, object]) -> dict[str, object]:
    """Settings with which a method makes the same of graphs, whatever their targets are."""
    own = {key: value for key, value in settings.items() if not key.startswith("matcher.")}
    return own | {"matcher": "identity"} if name in SMALL else own


ALL_TARGETS = {
    way: (name, without_learning(name, settings))
    for way, (name, settings) in WAYS.items()
    if way not in CLASSES_ONLY
}


def said(way: str, graphs: Graphs) -> Tensor:
    """All targets of three batches, from one seed; nothing of it may depend on the targets."""
    name, settings = ALL_TARGETS[way]
    method = make_method(name, 3, settings)
    method.fit(graphs, silent)
    found = []
    for first in (0, 4, 0):
        batch = method.on_batch(graphs[first : first + 8].floating())
        found.append(method.on_embedding(torch.ones(len(batch), 2), batch.y)[1])
    return torch.cat(found)


@pytest.mark.parametrize("way", ALL_TARGETS)
@pytest.mark.parametrize("kind", [name for name in TARGETS if not TARGETS[name][2]])
def test_targets_are_mixed_in_the_shares_of_the_graphs(way: str, kind: str, graphs: Graphs) -> None:
    """Targets that name the graphs tell the shares; any others are mixed by the same."""
    shares = said(way, graphs.replace(y=torch.eye(len(SIZES))))
    assert ((shares > 0).sum(1) <= 2).all()
    torch.testing.assert_close(shares.sum(1), torch.ones(len(shares)))
    y = TARGETS[kind][1](len(SIZES))
    found = said(way, graphs.replace(y=y, has_classes=False))
    known = ~y.isnan()
    expected = shares.double() @ torch.where(known, y, 0.0).double()
    unknown = shares @ (~known).float() > 0
    assert found[unknown].isnan().all(), "what one of two graphs does not know, a mix does not know"
    whole = (shares.amax(1) == 1).unsqueeze(1)
    assert not (found.isnan() & ~unknown & ~whole).any()
    fine = ~found.isnan()
    torch.testing.assert_close(found[fine].double(), expected[fine], rtol=1e-5, atol=1e-6)


def test_some_of_them_do_mix(graphs: Graphs) -> None:
    mixing = {
        way
        for way in ALL_TARGETS
        if bool((said(way, graphs.replace(y=torch.eye(len(SIZES)))).amax(1) < 1).any())
    }
    alone = {"vanilla", "drop-edge", "drop-node", "subgraph"}
    alone |= {"fgw-mixup", "geomix"}  # mix before training
    assert mixing == ALL_TARGETS.keys() - alone


@pytest.mark.parametrize("method", ["vanilla", "s-mixup"])
def test_teachers_label_in_the_units_of_the_data(method: str, splits: Splits) -> None:
    augment, seen = made(method), list[Tensor]()

    class Watched(Taught):
        def labels(self, graphs: Graphs) -> Tensor:
            seen.append(super().labels(graphs))
            return seen[-1]

    run = (model_for(splits), splits, augment, SETTINGS, lambda seed: model_for(splits, seed))
    result = fit_taught(*run, number=2)
    assert math.isfinite(result.history.at_best("test_loss"))
    teachers = [model_for(splits, seed).eval() for seed in (1, 2)]
    taught = Watched(augment, teachers)
    taught.set_task(splits.asked)
    batch = splits.train[:6].floating()
    found = taught.labels(batch)
    with torch.no_grad():
        outputs = [teacher(batch) for teacher in teachers]
    torch.testing.assert_close(found, sum(map(splits.asked.predicted, outputs)) / 2)
    if isinstance(splits.task, Values) and splits.train.num_classes == 1:
        assert (found > 900).all()
    assert seen


def test_teachers_of_values_must_be_told_what_they_say(graphs: Graphs) -> None:
    graphs = graphs.replace(y=random(len(SIZES), 2), has_classes=False)
    taught = Taught(Augmentation(), [lambda batch: batch.y])
    with pytest.raises(UsageError, match="set_task"):
        taught.on_batch(graphs)


def test_a_refused_method_does_not_cost_teachers(graphs: Graphs) -> None:
    graphs = graphs.replace(y=random(len(SIZES), 1), has_classes=False)
    data = Splits(graphs, graphs, graphs, task=Values(("v",)))

    def never(seed: int) -> GIN:
        raise AssertionError("a teacher was made")

    with pytest.raises(UsageError, match="GMixup"):
        fit_taught(model_for(data), data, made("g-mixup"), SETTINGS, never, 1)


@pytest.mark.parametrize(
    "several",
    [
        lambda part: Compose([Augmentation(), part]),
        lambda part: OneOf([Augmentation(), part]),
        lambda part: Until(part),
        lambda part: Taught(part, [lambda batch: batch.y]),
    ],
)
def test_a_part_refuses_for_the_whole(
    several: Callable[[Augmentation], Augmentation], graphs: Graphs
) -> None:
    graphs = graphs.replace(y=random(len(SIZES), 2), has_classes=False)
    with pytest.raises(UsageError, match="LabelSmoothing gives a share"):
        several(made("label-smoothing")).fit(graphs, silent)


def test_a_model_of_values_is_not_asked_for_classes(graphs: Graphs) -> None:
    graphs = graphs.replace(y=random(len(SIZES), 1), has_classes=False)
    method = make_method("graph-transplant", 0, {})
    method.bind(GIN(3, 1, num_layers=1, hidden_channels=4))
    with pytest.raises(UsageError, match=r"GraphTransplant.*loss=F\.mse_loss"):
        method.on_batch(graphs)
    method.bind(GIN(3, 1, num_layers=1, hidden_channels=4), loss=torch.nn.functional.mse_loss)  # type: ignore[call-arg]
    assert len(method.on_batch(graphs)) == 2 * len(graphs)
