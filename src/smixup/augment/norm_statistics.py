"""The statistics that batch norm uses at test time, taken again from original graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm

from smixup.augment.batch_norm import ByOriginals
from smixup.errors import SmixupError
from smixup.seeding import random_state_kept


def refresh_batch_norm(
    model: nn.Module,
    loader: Iterable[Any],
    forward: Callable[..., object] | None = None,
) -> None:
    """Take the statistics of all batch norms of a model again, from original graphs.

    For a model that was trained on mixes without `mix.training(model)`, or that learnt faster than
    running averages follow. Compare fairly: refresh a model that was trained without mixing, too.

    Example::

        refresh_batch_norm(model, train_loader)
        refresh_batch_norm(model, train_loader, lambda b: model(b.x, b.edge_index, b.batch))

    Mean and variance become the averages of those of the batches, whatever the norms' momentum.
    Weights, modes and torch's random state are left as they were.

    Args:
        model: any module; without batch norm nothing happens.
        loader: batches of original graphs, such as a `DataLoader` of the training split.
        forward: calls the model: `forward(batch)` or `forward(model, batch)`; `model(batch)` if
            there is none.
    """
    from smixup.augment.calling import caller

    norms = list(batch_norms(model))
    if not norms:
        return
    kept = [{name: each.clone() for name, each in norm.named_buffers()} for norm in norms]
    device = next((each.device for each in model.parameters()), torch.device("cpu"))
    call, number = caller(model, forward), 0
    try:
        with torch.no_grad(), random_state_kept(), statistics_anew(model):
            for batch in loader:
                call(batch.to(device) if hasattr(batch, "to") else batch)
                number += 1
        if not number:
            raise SmixupError("batch norm cannot be refreshed: the loader has no batches.")
    except BaseException:
        for norm, buffers in zip(norms, kept, strict=True):
            for name, value in buffers.items():
                norm.get_buffer(name).copy_(value)
        raise


@contextmanager
def statistics_anew(model: nn.Module) -> Iterator[None]:
    """Let the batch norms of a model average what they see in the block; they are in training mode
    there, as is all of the model.
    """
    norms = list(batch_norms(model))
    momenta = [norm.momentum for norm in norms]
    modes = {module: module.training for module in model.modules()}
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        _forget_mixes(norm)
    model.train()
    try:
        yield
    finally:
        for module, training in modes.items():
            module.training = training
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum


def batch_norms(model: nn.Module) -> Iterator[_BatchNorm]:
    """Yield the batch norms of a model, of any kind."""
    return (each for each in model.modules() if isinstance(each, _BatchNorm))


def _forget_mixes(norm: _BatchNorm) -> None:
    """Tell guards of the norm that what comes are originals."""
    each = vars(norm).get("forward")
    while isinstance(each, ByOriginals):
        each.norms.forget()
        each = each.usual
