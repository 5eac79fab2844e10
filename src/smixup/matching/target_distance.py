"""How far apart the targets of graphs are, where they are labels or values.

Every column is measured by its own standard deviation, so that on average each has the same say: a
quantity in thousands as much as one in thousandths, and a rare label as much as a frequent one.
"""

from __future__ import annotations

import torch
from torch import Tensor


def standardised(y: Tensor) -> Tensor:
    """Return the columns that differ at all, each with mean 0 and variance 1, `[G, T']` in double
    precision; NaN stays NaN.

    >>> standardised(torch.tensor([[10.0, 7.0], [30.0, 7.0], [float("nan"), 7.0]])).tolist()
    [[-1.0], [1.0], [nan]]
    """
    y = y.double()
    known = ~y.isnan()
    count = known.sum(0).clamp(min=1)
    mean = torch.where(known, y, 0.0).sum(0) / count
    apart = torch.where(known, y - mean, 0.0)
    deviation = (apart.square().sum(0) / count).sqrt()
    lowest = torch.where(known, y, torch.inf).sort(0).values[:1]
    differs = (known & (y > lowest)).any(0)  # a deviation may be due to rounding
    return ((y - mean) / deviation)[:, differs]


def target_distances(z: Tensor) -> Tensor:
    """Return the mean square by which standardised targets `[G, T]` differ, `[G, G]`, over the
    columns that are known of both graphs; NaN where there are none, and between a graph and itself.

    Of labels it is the share on which two graphs disagree, rare labels counting for more.
    """
    total, common = z.new_zeros(len(z), len(z)), z.new_zeros(len(z), len(z))
    for column in z.unbind(1):  # column by column, so that equal targets are at exactly 0
        square = (column.unsqueeze(0) - column.unsqueeze(1)).square()
        known = ~square.isnan()
        total += torch.where(known, square, 0.0)
        common += known
    return (total / common).fill_diagonal_(torch.nan)  # 0 / 0 is NaN
