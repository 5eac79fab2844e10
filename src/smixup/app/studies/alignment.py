"""What kind of alignment an assignment is, and which nodes it leaves alone, for pictures to say."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

ONE_TO_ONE, MANY_TO_ONE, SOFT = "one-to-one", "many-to-one", "soft"
NOTHING = 5e-4


@dataclass(frozen=True)
class Alignment:
    """An assignment, as it is looked at.

    ```python
    M = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    Alignment(M).kind            # "one-to-one"
    Alignment(M).counterpart     # [-1, 0, -1]: node 1 of G2 is node 0 of G1
    Alignment(M).matched1        # [True, False]: node 1 of G1 has no counterpart
    ```

    Attributes:
        M: `[n1, n2]`.
    """

    M: Tensor

    @property
    def kind(self) -> str:
        """`one-to-one` if every node is used at most once, `many-to-one` if nodes of G2 go as a
        whole and some share a node of G1, else `soft`.
        """
        M = self.M
        whole = bool(((M == 0) | (M == 1)).all()) and bool((M.sum(0) <= 1).all())
        if not whole:
            return SOFT
        return ONE_TO_ONE if bool((M.sum(1) <= 1).all()) else MANY_TO_ONE

    @property
    def whole(self) -> bool:
        """Whether a node of G2 goes to one node of G1 as a whole, or nowhere: a link can say it."""
        return self.kind != SOFT

    @property
    def counterpart(self) -> Tensor:
        """For every node of G2 the node of G1 that takes most of it, `[n2]`; -1 if none takes
        anything.
        """
        if self.M.numel() == 0:
            return torch.full((self.M.size(1),), -1)
        return torch.where(self.matched2, self.M.argmax(0), -1)

    @property
    def matched1(self) -> Tensor:
        """Which nodes of G1 have a counterpart, `[n1]`: something of G2 goes to them."""
        return self.M.sum(1) > NOTHING

    @property
    def matched2(self) -> Tensor:
        """Which nodes of G2 find a place in G1, `[n2]`."""
        return self.M.sum(0) > NOTHING
