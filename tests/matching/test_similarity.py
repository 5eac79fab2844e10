"""Similarities against plain loops."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from smixup.matching.similarity import ROW_BY_ROW, SIMILARITIES, cosine, dot, euclidean


@pytest.fixture
def sides() -> tuple[Tensor, Tensor]:
    random = torch.Generator().manual_seed(0)
    return torch.randn(3, 4, 5, generator=random), torch.randn(3, 6, 5, generator=random)


def test_against_plain_loops(sides: tuple[Tensor, Tensor]) -> None:
    h1, h2 = sides
    for b in range(3):
        for i in range(4):
            for j in range(6):
                u, v = h1[b, i], h2[b, j]
                inner = sum(float(p * q) for p, q in zip(u, v, strict=True))
                assert float(dot(h1, h2)[b, i, j]) == pytest.approx(inner / math.sqrt(5), abs=1e-5)
                lengths = math.hypot(*u.tolist()) * math.hypot(*v.tolist())
                assert float(cosine(h1, h2)[b, i, j]) == pytest.approx(inner / lengths, abs=1e-5)
                assert float(euclidean(h1, h2)[b, i, j]) == pytest.approx(
                    -math.dist(u, v), abs=1e-5
                )


def test_euclidean_against_cdist(sides: tuple[Tensor, Tensor]) -> None:
    torch.testing.assert_close(euclidean(*sides), -torch.cdist(*sides))


def test_euclidean_survives_a_large_common_offset(sides: tuple[Tensor, Tensor]) -> None:
    h1, h2 = (side + 300.0 for side in sides)
    torch.testing.assert_close(
        euclidean(h1, h2), -torch.cdist(*(s.double() for s in (h1, h2))).float(), atol=1e-5, rtol=0
    )


def test_euclidean_tells_apart_what_differs_by_little() -> None:
    h = torch.full((1, 1, 64), 3.0)
    near = h.clone()
    near[..., 0] += 2e-5
    step = float(near[0, 0, 0]) - 3.0
    assert float(euclidean(h, near)) == pytest.approx(-step, rel=1e-2)


def test_a_zero_row_is_at_right_angles_to_everything(sides: tuple[Tensor, Tensor]) -> None:
    h1, h2 = sides
    h1[0, 0] = 0
    assert not cosine(h1, h2)[0, 0].any()
    assert not dot(h1, h2)[0, 0].any()


@pytest.mark.parametrize("name", SIMILARITIES)
def test_gradients_are_finite_for_equal_and_zero_rows(name: str) -> None:
    h = torch.tensor([[[0.0, 0.0], [1.0, 2.0], [1.0, 2.0]]], requires_grad=True)
    SIMILARITIES[name](h, h).sum().backward()
    assert h.grad is not None
    assert h.grad.isfinite().all()


@pytest.mark.parametrize("name", SIMILARITIES)
def test_row_by_row_it_is_the_diagonal(name: str, sides: tuple[Tensor, Tensor]) -> None:
    h1, h2 = sides[0][0], sides[1][0, :4]
    h1[1] = 0
    h2[2] = h1[2]
    found = ROW_BY_ROW[SIMILARITIES[name]](h1, h2)
    expected = SIMILARITIES[name](h1.double()[None], h2.double()[None])[0].diagonal()
    torch.testing.assert_close(found.double(), expected, atol=1e-5, rtol=1e-5)
    offset = ROW_BY_ROW[euclidean](h1 + 300, h2 + 300)
    torch.testing.assert_close(offset, ROW_BY_ROW[euclidean](h1, h2), atol=1e-4, rtol=0)
