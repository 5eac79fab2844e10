"""The temperature that was asked for in nodes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from smixup.matching.assignment import mean_perplexity
from smixup.matching.calibration import COLDEST, HOTTEST, calibrate
from smixup.matching.normalization import Columns, Normalization, Sinkhorn
from smixup.matching.pairs import PairBlock

Blocks = tuple[list[Tensor], list[PairBlock]]


@pytest.fixture
def blocks(bare: Callable[[Tensor], PairBlock]) -> Blocks:
    random = torch.Generator().manual_seed(0)
    shapes = [(4, 7, 5), (3, 12, 9)]
    masks = [torch.ones(shape, dtype=torch.bool) for shape in shapes]
    masks[1][0, 8:] = False
    masks[1][1, :, 6:] = False
    return [4 * torch.randn(shape, generator=random) for shape in shapes], [
        bare(mask) for mask in masks
    ]


@pytest.mark.parametrize("normalize", [Columns(), Sinkhorn()])
@pytest.mark.parametrize("wished", [1.5, 3.0, 6.0])
def test_the_perplexity_is_as_wished(
    blocks: Blocks, normalize: Normalization, wished: float
) -> None:
    temperature = calibrate(*blocks, normalize, wished)
    M = [normalize(score / temperature, block) for score, block in zip(*blocks, strict=True)]
    columns = [block.mask2 for block in blocks[1]]
    assert mean_perplexity(M, columns) == pytest.approx(wished, rel=1e-3)


def test_by_hand(bare: Callable[[Tensor], PairBlock]) -> None:
    """Two nodes with scores s and 0 have odds e^(s/T): perplexity 1.5 is where the entropy is log
    1.5.
    """
    p = 0.8599  # -p log p - (1 - p) log (1 - p) = log 1.5
    scores, mask = torch.tensor([[[2.0], [0.0]]]), torch.ones(1, 2, 1, dtype=torch.bool)
    temperature = calibrate([scores], [bare(mask)], Columns(), 1.5)
    assert float(torch.sigmoid(torch.tensor(2.0 / temperature))) == pytest.approx(p, abs=1e-3)


def test_wishes_that_cannot_be_fulfilled_end_at_a_bound(
    blocks: Blocks,
) -> None:
    assert calibrate(*blocks, Columns(), 0.5) == pytest.approx(COLDEST, rel=1e-3)
    assert calibrate(*blocks, Columns(), 100) == pytest.approx(HOTTEST, rel=1e-3)
