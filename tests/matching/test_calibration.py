"""The temperature that was asked for in nodes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from smixup.matching.assignment import column_softmax, mean_perplexity, sinkhorn
from smixup.matching.calibration import COLDEST, HOTTEST, calibrate


@pytest.fixture
def blocks() -> tuple[list[Tensor], list[Tensor]]:
    random = torch.Generator().manual_seed(0)
    shapes = [(4, 7, 5), (3, 12, 9)]
    masks = [torch.ones(shape, dtype=torch.bool) for shape in shapes]
    masks[1][0, 8:] = False
    masks[1][1, :, 6:] = False
    return [4 * torch.randn(shape, generator=random) for shape in shapes], masks


@pytest.mark.parametrize("normalize", [column_softmax, sinkhorn])
@pytest.mark.parametrize("wished", [1.5, 3.0, 6.0])
def test_the_perplexity_is_as_wished(
    blocks: tuple[list[Tensor], list[Tensor]], normalize, wished: float
) -> None:  # type: ignore[no-untyped-def]
    scores, masks = blocks
    temperature = calibrate(scores, masks, normalize, wished)
    M = [normalize(score / temperature, mask) for score, mask in zip(scores, masks, strict=True)]
    assert mean_perplexity(M, [mask.any(1) for mask in masks]) == pytest.approx(wished, rel=1e-3)


def test_by_hand() -> None:
    """Two nodes with scores s and 0 have odds e^(s/T): perplexity 1.5 is where the entropy is log
    1.5.
    """
    p = 0.8599  # -p log p - (1 - p) log (1 - p) = log 1.5
    scores, mask = torch.tensor([[[2.0], [0.0]]]), torch.ones(1, 2, 1, dtype=torch.bool)
    temperature = calibrate([scores], [mask], column_softmax, 1.5)
    assert float(torch.sigmoid(torch.tensor(2.0 / temperature))) == pytest.approx(p, abs=1e-3)


def test_wishes_that_cannot_be_fulfilled_end_at_a_bound(
    blocks: tuple[list[Tensor], list[Tensor]],
) -> None:
    assert calibrate(*blocks, column_softmax, 0.5) == pytest.approx(COLDEST, rel=1e-3)
    assert calibrate(*blocks, column_softmax, 100) == pytest.approx(HOTTEST, rel=1e-3)
