"""Who is mixed with whom, by rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.augment import SMixup
from smixup.augment.pairing import (
    PAIRINGS,
    AnyPartner,
    BalancedPartner,
    SameClass,
    SimilarPartner,
)
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching.controls import Identity
from smixup.progress import silent


def source(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_any_and_same_class(graphs: Graphs) -> None:
    found = AnyPartner().draw(graphs, graphs, source())
    assert sorted(found.tolist()) == list(range(7))
    alike = SameClass().draw(graphs, graphs, source())
    assert torch.equal(graphs.labels[alike], graphs.labels)


def test_similar_sizes_are_drawn_evenly(make_graphs: Callable[..., Graphs]) -> None:
    pool = make_graphs([10, 30, 12, 8, 9, 13])
    left = pool[[0] * 6000]
    found = SimilarPartner(ratio=1.25).draw(left, pool, source())
    shares = found.bincount(minlength=6).float() / 6000
    expected = torch.tensor([1, 0, 1, 1, 1, 0]) / 4  # 8 to 12.5 nodes
    assert (shares - expected).abs().max() < 0.03


def test_the_nearest_size_where_none_is_similar(make_graphs: Callable[..., Graphs]) -> None:
    pool, left = make_graphs([3, 40, 9]), make_graphs([20, 100, 2])
    found = SimilarPartner(ratio=1.1).draw(left, pool, source())
    assert found.tolist() == [2, 1, 0]


def test_candidates_per_partner() -> None:
    assert AnyPartner().tries == SameClass().tries == 1
    assert PAIRINGS.of("similar(candidates=5)").tries == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("similar(candidates=0)", "candidates must be 1 or more"),
        ("similar(ratio=0.5)", "ratio must be 1 or more"),
    ],
)
def test_wrong_settings(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PAIRINGS.of(text)


def rare(make_graphs: Callable[..., Graphs]) -> Graphs:
    """Ninety graphs of a class, eight of another, two of a third."""
    labels = torch.tensor([0] * 90 + [1] * 8 + [2] * 2)
    return make_graphs([2] * 100).replace(y=torch.eye(3)[labels])


def test_every_class_is_as_often_a_partner(make_graphs: Callable[..., Graphs]) -> None:
    pool = rare(make_graphs)
    left = pool[[0] * 9000]
    found = BalancedPartner().draw(left, pool, source())
    shares = pool.labels[found].bincount() / 9000
    assert (shares - 1 / 3).abs().max() < 0.02
    within = found[found < 90].bincount() / (found < 90).sum()
    assert (within - 1 / 90).abs().max() < 0.01, "graphs of a class are drawn evenly"


def test_every_rarest_label_is_as_often_a_partner(make_graphs: Callable[..., Graphs]) -> None:
    y = torch.zeros(100, 2)
    y[:40, 0], y[:5, 1], y[5:8, 1] = 1, 1, torch.nan
    pool = make_graphs([2] * 100).replace(y=y, has_classes=False)
    found = BalancedPartner().draw(pool[[0] * 9000], pool, source())
    kinds = (y[found, 1] == 1) * 2 + ((y[found, 0] == 1) & (y[found, 1] != 1)) * 1
    assert (kinds.bincount() / 9000 - 1 / 3).abs().max() < 0.02


def test_values_have_no_rare_class(make_graphs: Callable[..., Graphs]) -> None:
    pool = make_graphs([2] * 4).replace(y=torch.rand(4, 1), has_classes=False)
    with pytest.raises(UsageError, match=r"pairing=balanced.*values: choose another pairing"):
        BalancedPartner().draw(pool, pool, source())


def test_graphs_to_be_mixed_may_be_drawn_alike_too(make_graphs: Callable[..., Graphs]) -> None:
    batch = rare(make_graphs)
    assert BalancedPartner().first(batch, 5, source()) is None
    assert AnyPartner().first(batch, 5, source()) is None
    found = BalancedPartner(firsts=True).first(batch, 9000, source())
    assert found is not None
    assert (batch.labels[found].bincount() / 9000 - 1 / 3).abs().max() < 0.02


@pytest.mark.parametrize("partners", [4, None])
def test_mixes_of_rare_classes(make_graphs: Callable[..., Graphs], partners: int | None) -> None:
    graphs = rare(make_graphs).renumbered()
    settings = {"alpha": 5.0, "partners": partners, "seed": 0}

    def shares(pairing: str) -> torch.Tensor:
        mix = SMixup(Identity(), pairing=pairing, **settings).fit(graphs, silent)
        return torch.stack([mix.on_batch(graphs).y[100:].mean(0) for _ in range(20)]).mean(0)

    plain, partner, both = map(shares, ("any", "balanced", "balanced(firsts=true)"))
    assert plain[2] < 0.04
    assert 0.08 < float(partner[2]) < 0.25
    assert (both - 1 / 3).abs().max() < 0.1


def test_all_graphs_cannot_be_chosen_from() -> None:
    with pytest.raises(UsageError, match="amount=None mixes all"):
        SMixup(Identity(), pairing="balanced(firsts=true)", amount=None)
