"""Alignments and mixes are computed in single precision, whatever the loop around them uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch


@contextmanager
def single_precision() -> Iterator[None]:
    """Compute as if neither `torch.autocast` nor `torch.set_default_dtype` had been called: half
    the digits of an assignment or an edge's weight are not worth the time. Also a decorator.
    """
    before = torch.get_default_dtype()
    with ExitStack() as stack:
        for device in ("cpu", "cuda"):
            if torch.is_autocast_enabled(device):
                stack.enter_context(torch.autocast(device, enabled=False))
        if before != torch.float32:
            torch.set_default_dtype(torch.float32)
            stack.callback(torch.set_default_dtype, before)
        yield
