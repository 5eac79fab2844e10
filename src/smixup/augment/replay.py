"""How a mix was made: of which two graphs, at which ratio, along which alignment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from smixup.augment.alignments import typical_weight
from smixup.augment.mixing import TRANSPORTS
from smixup.augment.smixup import Made, SMixup
from smixup.errors import SmixupError, UsageError, require_number
from smixup.graphs import Graphs, Operator
from smixup.graphs.codes import FIELDS, Codes
from smixup.precision import single_precision

if TYPE_CHECKING:
    from torch_geometric.data import Data

ROUNDING = 1e-4
NOTHING = 5e-4
"""Less than this of a node is nothing."""


@dataclass(frozen=True, repr=False, eq=False)
class Replay:
    """How a mix was made.

    Example::

        batch = mix(batch)
        how = mix.replay(3)          # mix 3 of this batch
        how.first, how.second        # 17, 4: train_dataset[17] and train_dataset[4]
        how.ratio                    # 0.73
        how.alignment                # M, [n1, n2]

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
    method: SMixup
    matched: Graphs
    too_small: float

    @property
    def graphs(self) -> tuple[Data, Data]:
        """The two graphs as PyG's `Data`, with `edge_weight` and soft `y`."""
        return _as_data(self.left, self.method.codes), _as_data(self.right, self.method.codes)

    @property
    def mix(self) -> Data:
        """The mix as PyG's `Data`."""
        return _as_data(self.mixed, self.method.codes)

    @cached_property
    def alignment(self) -> Tensor:
        """M, `[n1, n2]`: how much of node j of the second graph falls on node i of the first.

        The matcher is asked anew, and what it says is compared with what the mix was made of: an
        alignment that did not make it is never shown.
        """
        M, moved = self._matched()
        if not self._same(moved):
            raise SmixupError(
                f"{type(self.method.matcher).__name__} finds another alignment of these two graphs "
                "now than when they were mixed: it draws at random, or has changed since."
            )
        return M.to_dense()

    @torch.no_grad()
    @single_precision()
    def _matched(self) -> tuple[Operator, Graphs]:
        left, right = (each.without_attributes() for each in (self.matched, self.right))
        M = self.method.assignment(left, right)
        return M, TRANSPORTS.of(self.method.transport)(M, left, right)

    def _same(self, moved: Graphs) -> bool:
        """Tell whether a G2' is the one that was mixed, but for weights too small to be kept."""
        found, used = moved.adj.to_dense(), self.aligned.adj.to_dense()
        return torch.allclose(
            moved.x.float(), self.aligned.x.float(), rtol=ROUNDING, atol=ROUNDING
        ) and torch.allclose(found, used, rtol=ROUNDING, atol=self.too_small + ROUNDING)

    def __repr__(self) -> str:
        where = "the training set" if self.in_training_set else "the batch"
        pair = f"graph {self.first} with graph {self.second} of {where}"
        return f"{pair}, lambda {self.ratio:.2f}, {self._matches()}"

    def _matches(self) -> str:
        """Return in words how many nodes of the first graph have a counterpart."""
        try:
            M = self.alignment
        except SmixupError:
            return "along an alignment that cannot be found again"
        number = f"{int((M.sum(1) > NOTHING).sum())} of {M.size(0)} nodes matched"
        whole = bool(((M == 0) | (M == 1)).all())
        return number if whole else f"{number}, softly"


def replayed(method: SMixup, i: int) -> Replay:
    """Return how mix `i` of a method's last batch was made."""
    made = _last(method)
    require_number("i", i, whole=True)
    number = len(made.mixed)
    if not 0 <= i < number:
        mixes = "one mix, number 0" if number == 1 else f"{number} mixes, 0 to {number - 1}"
        raise UsageError(f"the last batch has {mixes}; there is no mix {i}.")
    one, (pool, stored) = slice(i, i + 1), (made.drawn.pool, made.drawn.pool is not made.batch)
    left, partner = made.left[one].to(pool.device), made.drawn.partner[one].to(pool.device)
    right = pool[partner]
    known = stored or made.batch.set_id == method.fitted_on != ""
    place = torch.arange(len(made.batch))[made.chosen][i]
    return Replay(
        first=int(left.ids if known else place),
        second=int(right.ids if known and not stored else partner),
        in_training_set=known,
        ratio=float(made.lam[i]),
        left=left.floating(),
        right=right.floating(),
        aligned=made.drawn.moved[one].to(pool.device),
        mixed=made.mixed[one].to(pool.device),
        method=method,
        matched=(pool[left.ids] if stored else left).floating(),
        too_small=method.threshold * typical_weight(pool),
    )


def _last(method: SMixup) -> Made:
    if method.made is None:
        raise UsageError(
            "there is no batch to replay yet: call the augmentation on one before; what workers of "
            "a DataLoader have mixed can be replayed there alone."
        )
    if not method.made:
        raise UsageError("the last batch has no mixes, so there is nothing to replay.")
    return method.made[0]


def _as_data(graph: Graphs, codes: Codes | None) -> Data:
    """Return one graph as `Data`; what was read as codes is codes again."""
    from torch_geometric.data import Data

    from smixup.graphs.pyg import to_pyg

    batch = to_pyg(graph)
    if codes is not None:
        kinds = {name: codes.of(name) for name in FIELDS if codes.of(name) and name in batch}
        like = {name: torch.zeros(1, len(kind), dtype=torch.long) for name, kind in kinds.items()}
        batch = codes.decode(batch, Data(**like))
    return batch.to_data_list()[0]
