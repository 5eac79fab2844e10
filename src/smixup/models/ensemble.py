"""What several models say together."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from smixup.errors import SmixupError
from smixup.tasks import Classes, Labels, Task


def together(task: Task, outputs: Sequence[Tensor]) -> Tensor:
    """Return outputs `[G, C]` of which the probabilities are the mean of those of all members; of
    values the mean. Those of a single member stay as they are, to the bit.
    """
    if not outputs:
        raise SmixupError("an ensemble needs one model at least.")
    if len(outputs) == 1:
        return outputs[0]
    every = torch.stack(list(outputs)).double()
    if isinstance(task, Classes):
        found = _mean(every.log_softmax(2))
    elif isinstance(task, Labels):
        found = _mean(F.logsigmoid(every)) - _mean(F.logsigmoid(-every))
    else:
        found = every.mean(0)
    return found.to(outputs[0].dtype)


def _mean(logarithms: Tensor) -> Tensor:
    """Return the logarithm of the mean over members `[K, G, C]`."""
    return logarithms.logsumexp(0) - math.log(len(logarithms))
