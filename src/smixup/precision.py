"""Alignments and mixes are computed in single precision, whatever the loop around them uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch

DEVICES = ("cpu", "cuda")


@contextmanager
def single_precision() -> Iterator[None]:
    """Compute as if neither `torch.autocast` nor `torch.set_default_dtype` had been called.

    Mixed precision suits the classifier. Half the digits of an assignment, of a ratio or of an
    edge's weight are not worth the time, and a matcher would be asked in another precision than it
    was fitted in. Also a decorator: `@single_precision()`.
    """
    before = torch.get_default_dtype()
    with ExitStack() as stack:
        for device in DEVICES:
            if torch.is_autocast_enabled(device):
                stack.enter_context(torch.autocast(device, enabled=False))
        if before != torch.float32:
            torch.set_default_dtype(torch.float32)
            stack.callback(torch.set_default_dtype, before)
        yield
