"""How a mix was made: of which two graphs, at which ratio, along which alignment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from smixup.augment.alignments import typical_weight
from smixup.augment.smixup import AlignedMixing
from smixup.errors import SmixupError, UsageError, require
from smixup.graphs import Graphs
from smixup.precision import single_precision

ROUNDING = 1e-4


@dataclass(frozen=True, repr=False, eq=False)
class Replay:
    """How a mix was made.

    Example::

        how = mix.replay(3)          # mix 3 of the last batch
        how.first, how.second        # 17, 4: train_dataset[17] and train_dataset[4]

    Attributes:
        first, second: numbers of the two graphs in the training set, or else their places in the
            batch. Of training graphs that are equal, any may be named.
        in_training_set: which of the two it is.
        ratio: lambda, the share of the first graph.
        left, right: the two graphs as the method saw them, G1 and G2.
        aligned: G2', which is G2 on the nodes of G1.
        mixed: the mix. All four are `Graphs` with one graph.
        method: that made it.
        matched: G1 when it was aligned, before other augmentations may have changed its edges.
        too_small: weights of G2' below this were left out.
    """

    first: int
    second: int
    in_training_set: bool
    ratio: float
    left: Graphs
    right: Graphs
    aligned: Graphs
    mixed: Graphs
    method: AlignedMixing
    matched: Graphs
    too_small: float

    @cached_property
    def alignment(self) -> Tensor:
        """M, `[n1, n2]`: how much of node j of the second graph falls on node i of the first. The
        matcher is asked anew; an alignment that did not make the mix is never shown.
        """
        left, right = (each.without_attributes() for each in (self.matched, self.right))
        with torch.no_grad(), single_precision():
            M = self.method.assignment(left, right)
            moved = self.method.carry(M, left, right)
        same = _close(moved.x.float(), self.aligned.x.float())
        if not (same and _close(moved.adj.to_dense(), self.aligned.adj.to_dense(), self.too_small)):
            raise SmixupError(
                f"{type(self.method.matcher).__name__} finds another alignment of these two graphs "
                "now than when they were mixed: it draws at random, or has changed since."
            )
        return M.to_dense()

    def __repr__(self) -> str:
        where = "the training set" if self.in_training_set else "the batch"
        pair = f"graph {self.first} with graph {self.second} of {where}"
        return f"{pair}, lambda {self.ratio:.2f}"


def _close(found: Tensor, used: Tensor, too_small: float = 0.0) -> bool:
    return torch.allclose(found, used, rtol=ROUNDING, atol=too_small + ROUNDING)


def replayed(method: AlignedMixing, i: int) -> Replay:
    """Return how mix `i` of a method's last batch was made."""
    last, own = method.last, method.fitted.set_id
    if last is None:
        raise UsageError(
            "there is no mix to replay: call the augmentation on a batch before; what workers of a "
            "DataLoader have mixed can be replayed there alone."
        )
    number = len(last.graphs)
    require(0 <= i < number, "i", i, f"the number of one of the last batch's mixes, below {number}")
    one, pool = slice(i, i + 1), last.drawn.pool
    stored = pool is not last.batch
    left, partner = last.left[one].to(pool.device), last.drawn.partner[one].to(pool.device)
    right, aligned = pool[partner], last.drawn.moved[one].to(pool.device)
    known = stored or (bool(own) and last.batch.set_id == own)
    place = torch.arange(len(last.batch))[last.chosen][i]
    return Replay(
        first=int(left.ids if known else place),
        second=int(right.ids if known and not stored else partner),
        in_training_set=known,
        ratio=float(last.lam[i]),
        left=left.floating(),
        right=right.floating(),
        aligned=aligned,
        mixed=last.graphs[one].to(pool.device),
        method=method,
        matched=(pool[left.ids] if stored else left).floating(),
        too_small=method.threshold * typical_weight(pool),
    )
