"""What batch norm does to the originals of a batch that holds mixes, too.

At test time batch norm sees originals alone. If mixes with other means and variances shift the
statistics of a training batch, the originals in it are scaled otherwise than at test time.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from smixup.augment.norms import NormGuard, rows_of
from smixup.graphs import Graphs
from smixup.seeding import random_state_kept

STEADY = 20
"""Channels in which originals vary by less than so many times `eps` are left out: there `eps`
decides the scale, whatever else is in the batch.
"""


@torch.no_grad()
def originals_std(
    model: nn.Module,
    originals: Graphs,
    mixes: Graphs,
    norm_from_originals: bool = False,
) -> dict[str, float]:
    """Return the standard deviation of the originals behind every batch norm, by its name.

    It is taken before the norm's own scale and shift, in training mode: 1 if mixes do not matter.
    Of the channels of a layer it is the root of the mean variance. The model is left as it was.

    Example::

        batch = SMixup(amount=1.0).fit(train).on_batch(train)
        originals_std(GIN(7, 2), train, batch[len(train):])    # {"layers.0.inner_norm": 0.61, ...}

    Args:
        model: a classifier; norms may be of any kind of `nn.BatchNorm1d`.
        originals: at least two nodes.
        mixes: stand behind them in the batch.
        norm_from_originals: whether norms take their statistics from the originals, as in training
            with `SMixup`.
    """
    batch = Graphs.cat([each.without_attributes().floating() for each in (originals, mixes)])
    rows = {batch.num_nodes: originals.num_nodes, len(batch): len(originals)}
    found: dict[str, float] = {}
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    training = model.training
    hooks = [
        module.register_forward_hook(partial(_record, found, name, rows))
        for name, module in model.named_modules()
        if isinstance(module, nn.BatchNorm1d)
    ]
    try:
        model.train()
        norms = NormGuard(model, active=norm_from_originals)
        norms.rows = rows_of(batch, len(originals))
        with random_state_kept(), norms:  # dropout draws
            model(batch)
    finally:
        for hook in hooks:
            hook.remove()
        model.load_state_dict(kept)
        model.train(training)
    return found


def farthest_from_one(deviations: dict[str, float]) -> float | None:
    """Return the deviation of the layer that is worst off; None without norms."""
    return max(deviations.values(), key=lambda each: abs(each - 1), default=None)


def _record(
    found: dict[str, float],
    name: str,
    rows: dict[int, int],
    norm: nn.BatchNorm1d,
    inputs: tuple[Any, ...],
    output: Tensor,
) -> None:
    """Keep the deviation of the first rows, which are the originals' nodes (or graphs)."""
    number = rows[len(output)]
    before, after = inputs[0][:number], output[:number]
    vary = before.var(0, correction=0) > STEADY * norm.eps
    if norm.affine:
        vary &= norm.weight != 0
        after = (after - norm.bias) / norm.weight
    if vary.any():
        found[name] = float(after.var(0, correction=0)[vary].mean().sqrt())
