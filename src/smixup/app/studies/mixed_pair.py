"""One pair of graphs on its way through Eq. (4) and (5)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from smixup.app.studies.alignment import Alignment
from smixup.augment.mixing import interpolate
from smixup.augment.smixup import SMixup
from smixup.augment.transport import TRANSPORTS, Transport
from smixup.graphs import Graphs, Operator
from smixup.matching import Matcher

LAM = 0.6
TRANSPORT = TRANSPORTS.of(SMixup.transport)
"""What the method uses by default."""


@dataclass(frozen=True)
class MixedPair:
    """Two graphs and what a matcher makes of them, each of them `Graphs` with one graph.

    Attributes:
        left, right: G1 and G2.
        aligned: G2', which is G2 on the nodes of G1.
        mixed: the mix of G1 and G2'.
        assignment: `M [n1, n2]`.
        lam: the ratio lambda of the mix.
        transport: the way from M to G2'.
    """

    left: Graphs
    right: Graphs
    aligned: Graphs
    mixed: Graphs
    assignment: Tensor
    lam: float
    transport: Transport = TRANSPORT

    @classmethod
    def of(
        cls,
        matcher: Matcher,
        left: Graphs,
        right: Graphs,
        lam: float = LAM,
        transport: str | Transport = TRANSPORT,
    ) -> MixedPair:
        """Match and mix two graphs."""
        return cls.along(matcher(left, right), left, right, lam, transport)

    @classmethod
    def along(
        cls,
        M: Operator,
        left: Graphs,
        right: Graphs,
        lam: float,
        transport: str | Transport = TRANSPORT,
    ) -> MixedPair:
        """Mix two graphs along a given assignment."""
        carry = TRANSPORTS.of(transport)
        aligned = carry(M, left, right)
        mixed = interpolate(left, aligned, torch.tensor([lam]))
        return cls(left, right, aligned, mixed, M.to_dense(), lam, carry)

    @property
    def alignment(self) -> Alignment:
        """The assignment, as it is looked at."""
        return Alignment(self.assignment)
