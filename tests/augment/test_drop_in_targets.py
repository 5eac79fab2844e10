"""A foreign loop with targets of every kind: what it fitted on is what comes out, mixed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader

from smixup import GMixup, GraphMatcher, LabelSmoothing, MMixup, SMixup
from smixup.errors import SmixupError
from smixup.progress import silent

NUMBER, BATCH = 24, 6
NAN = float("nan")


def known_entries(outputs: Tensor, y: Tensor) -> Tensor:
    known = ~y.isnan()
    return F.binary_cross_entropy_with_logits(outputs[known], y[known])


Loss = Callable[[Tensor, Tensor], Tensor]
KINDS: dict[str, tuple[Callable[[int], Tensor], tuple[int, ...], bool, Loss]] = {
    "one value": (lambda i: torch.tensor([0.5 * i]), (), False, F.mse_loss),
    "a value of no dimension": (lambda i: torch.tensor(0.5 * i), (), False, F.mse_loss),
    "values": (lambda i: torch.tensor([[0.5 * i, -i, 1.0]]), (3,), False, F.mse_loss),
    "labels with gaps": (
        lambda i: torch.tensor([[i % 2, NAN if i % 5 == 0 else 1.0]]),
        (2,),
        False,
        known_entries,
    ),
    "bool labels": (
        lambda i: torch.tensor([[i % 2 == 0, i % 3 == 0]]),
        (2,),
        False,
        F.binary_cross_entropy_with_logits,
    ),
    "classes": (lambda i: torch.tensor([i % 3]), (3,), True, F.cross_entropy),
    "two classes in a column": (
        lambda i: torch.tensor([[i % 2]]),
        (1,),
        True,
        F.binary_cross_entropy_with_logits,
    ),
    "soft classes": (
        lambda i: torch.tensor([[i / NUMBER, 1 - i / NUMBER]]),
        (2,),
        True,
        F.cross_entropy,
    ),
}


def graphs_with(target: Callable[[int], Tensor]) -> list[Data]:
    torch.manual_seed(0)
    found = []
    for i in range(NUMBER):
        n = 4 + i % 4
        ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
        edges = torch.cat([ring, ring.flip(0)], 1)
        found.append(Data(x=torch.rand(n, 3), edge_index=edges, y=target(i)))
    return found


def small_mix(**changes: object) -> SMixup:
    matcher = GraphMatcher(hidden_channels=8, num_layers=1, max_steps=3, batch_size=8)
    return SMixup(matcher, alpha=5.0, seed=0, **changes)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("error:.*(triplets|integers).*")
@pytest.mark.parametrize("kind", KINDS)
def test_a_foreign_loop(kind: str) -> None:
    target, columns, has_classes, loss = KINDS[kind]
    graphs = graphs_with(target)
    mix = small_mix().fit(graphs, silent)
    assert mix.has_classes is has_classes
    assert "triplet accuracy" in mix.matcher.fit_scores  # type: ignore[attr-defined]
    weight = torch.zeros(columns, requires_grad=True)
    for batch in DataLoader(graphs, BATCH):
        found = mix(batch)
        assert found.y.shape == (2 * BATCH, *columns)
        assert found.y.is_floating_point()
        value = loss(weight.expand_as(found.y) + 0.1, found.y)
        assert value.isfinite()
        value.backward()
        if not has_classes:
            before = batch.y.float()
            torch.testing.assert_close(found.y[:BATCH], before, equal_nan=True)
    assert weight.grad is not None


def test_a_mix_of_values_lies_between_its_two_graphs() -> None:
    graphs = graphs_with(KINDS["one value"][0])
    mix = small_mix().fit(graphs, silent)
    found = mix(next(iter(DataLoader(graphs, BATCH))))
    for i in range(BATCH):
        told = mix.replay(i)
        y1, y2, lam = 0.5 * told.first, 0.5 * told.second, told.ratio
        assert float(found.y[BATCH + i]) == pytest.approx(lam * y1 + (1 - lam) * y2, 1e-4)


@pytest.mark.parametrize("trained", KINDS)
def test_a_batch_of_another_kind_is_refused(trained: str) -> None:
    mix = small_mix().fit(graphs_with(KINDS[trained][0]), silent)
    others = {"one value": "values", "a value of no dimension": "values"}
    other = KINDS[others.get(trained, "one value")][0]
    batch = Batch.from_data_list(graphs_with(other)[:4])
    with pytest.raises(SmixupError, match=r"y of this batch has .* but fit saw"):
        mix(batch)


@pytest.mark.parametrize("method", [GMixup, LabelSmoothing])
def test_methods_of_classes_refuse_values(method: type[GMixup]) -> None:
    graphs = graphs_with(KINDS["one value"][0])
    with pytest.raises(SmixupError, match=rf"{method.__name__} .*not classes"):
        method().fit(graphs, silent)
    with pytest.raises(SmixupError, match=rf"{method.__name__} .*not classes"):
        method()(Batch.from_data_list(graphs[:4]))


@pytest.mark.parametrize("per_pair", [True, False])
@pytest.mark.parametrize("shape", [(), (1,), (3,)])
def test_representations_of_values(per_pair: bool, shape: tuple[int, ...]) -> None:
    h = torch.arange(6.0).unsqueeze(1)
    y = torch.arange(6.0).view(-1, *[1] * len(shape)).expand(6, *shape)
    mixed, found = MMixup(per_pair=per_pair, seed=0).on_embedding(h, y)
    assert found.shape == y.shape
    torch.testing.assert_close(found.reshape(6, -1)[:, :1], mixed)
