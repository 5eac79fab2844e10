"""Nearest nodes against a plain sort, and the index against the exact search."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch
from torch import Tensor

from smixup.matching import neighbour_search
from smixup.matching.neighbour_search import (
    Points,
    nearest_by_index,
    nearest_by_tiles,
    nearest_of,
    points,
)
from smixup.matching.similarity import SIMILARITIES


def drawn(n: int, width: int = 6, seed: int = 0, ties: float = 0.0) -> tuple[Tensor, Tensor]:
    random = torch.Generator().manual_seed(seed)
    h = torch.randn(n, width, generator=random)
    return h, ties * torch.randn(n, generator=random)


def both(name: str, n1: int, n2: int, ties: float = 0.0) -> tuple[Points, Points, Tensor]:
    """Points of both sides, and what they are to be ranked by: the similarity, and the squared
    difference of what decides between nodes that are alike, in the scale of each similarity.
    """
    (h1, tie1), (h2, tie2) = drawn(n1, ties=ties), drawn(n2, seed=1, ties=ties)
    table = SIMILARITIES[name](h1.double()[None], h2.double()[None])[0]
    apart = (tie1.unsqueeze(1) - tie2).double().square() / 2
    whole = {"dot": 6**0.5 * table, "cosine": table, "euclidean": -table.square() / 2}[name]
    found = (points(h, tie, SIMILARITIES[name]) for h, tie in ((h1, tie1), (h2, tie2)))
    return *found, whole - apart  # type: ignore[return-value]


@pytest.mark.parametrize("at_once", [1, 200, 10**6])
@pytest.mark.parametrize("ties", [0.0, 0.7])
@pytest.mark.parametrize("name", SIMILARITIES)
def test_tiles_against_a_plain_sort(
    name: str, ties: float, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbour_search, "CELLS_AT_ONCE", at_once)
    first, second, table = both(name, 30, 41, ties)
    expected = table.argsort(dim=1, descending=True)[:, :7]
    assert torch.equal(nearest_by_tiles(first, second, 7), expected)
    assert torch.equal(nearest_of(first, second, 7), expected)
    backwards = table.T.argsort(dim=1, descending=True)[:, :7]
    assert torch.equal(nearest_by_tiles(second, first, 7), backwards)


@pytest.mark.parametrize("n2", [0, 1, 5])
@pytest.mark.parametrize("n1", [0, 1, 4])
def test_fewer_nodes_than_asked_for(n1: int, n2: int) -> None:
    first, second, table = both("euclidean", n1, n2)
    found = nearest_by_tiles(first, second, 5)
    assert found.dtype == torch.long
    assert torch.equal(found, table.argsort(dim=1, descending=True))


def test_some_of_the_points() -> None:
    first, second, table = both("euclidean", 20, 30)
    chosen = torch.tensor([3, 8, 20, 29])
    found = nearest_by_tiles(first, second[chosen], 2)
    assert torch.equal(found, table[:, chosen].argsort(dim=1, descending=True)[:, :2])


@pytest.fixture
def faiss() -> ModuleType:
    module: ModuleType = pytest.importorskip("faiss", reason="pip install 'smixup[large]'")
    return module


@pytest.mark.parametrize("name", SIMILARITIES)
def test_the_index_finds_nearly_all(name: str, faiss: ModuleType) -> None:
    first, second, _ = both(name, 1500, 4000, 0.025)
    exact = nearest_by_tiles(first, second, 24)
    found = nearest_by_index(first, second, 24, faiss)
    assert found.shape == exact.shape
    hits = (found.unsqueeze(2) == exact.unsqueeze(1)).any(1).double().mean()
    assert hits > 0.9
    assert torch.equal(nearest_by_index(first, second, 24, faiss), found), "the same every time"


def test_the_index_is_used_for_very_many_nodes_alone(
    monkeypatch: pytest.MonkeyPatch, faiss: ModuleType
) -> None:
    calls = []

    def counted(*given: object) -> Tensor:
        calls.append(given)
        return nearest_by_index(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(neighbour_search, "nearest_by_index", counted)
    monkeypatch.setattr(neighbour_search, "EXACT", 50)
    first, second, table = both("euclidean", 60, 45)
    nearest_of(first[torch.arange(50)], second, 3)
    assert not calls
    found = nearest_of(first, second, 3)
    assert len(calls) == 1
    assert (found[:, 0] == table.argmax(1)).double().mean() > 0.9
    nearest_of(first, second[torch.arange(4)], 3)
    assert len(calls) == 1, "few nodes need no index, however many look for them"
    monkeypatch.setattr(neighbour_search, "find_optional", lambda name: None)
    exact = table.argsort(dim=1, descending=True)[:, :3]
    assert torch.equal(nearest_of(first, second, 3), exact), "nor is it needed"


@pytest.mark.parametrize("n2", [1, 2, 3, 20, 300])
def test_the_index_answers_whatever_there_is(n2: int, faiss: ModuleType) -> None:
    first, second, _ = both("euclidean", 50, n2)
    found = nearest_by_index(first, second, 24, faiss)
    assert found.shape == (50, min(24, n2))
    assert 0 <= found.min() <= found.max() < n2
    if n2 <= 20:
        assert (found[:, 0] == nearest_by_tiles(first, second, 1)[:, 0]).double().mean() > 0.9
    nobody = nearest_by_index(first[torch.arange(0)], second, 24, faiss)
    assert nobody.shape == (0, min(24, n2))


@pytest.mark.parametrize("name", SIMILARITIES)
def test_the_index_of_nodes_that_are_all_alike(name: str, faiss: ModuleType) -> None:
    h = torch.ones(400, 6)
    same = points(h, torch.zeros(400), SIMILARITIES[name])
    others = points(drawn(300)[0], torch.zeros(300), SIMILARITIES[name])
    for first in (same, others):
        found = nearest_by_index(first, same, 5, faiss)
        assert 0 <= found.min() <= found.max() < 400
