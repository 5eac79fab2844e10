"""What matchers share that find scores first: the way from there to M."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from torch import Tensor

from smixup.graphs import Operator
from smixup.matching.base import Matcher
from smixup.matching.normalization import Normalization
from smixup.matching.normalizations import NORMALIZATIONS
from smixup.matching.pairs import Pairs


@dataclass
class NormalizedMatcher(Matcher):
    """A matcher that scores pairs of nodes, and normalises the scores.

    Attributes:
        normalization: the way from scores to M: `one-to-one`, `consensus`, `columns` (paper),
            `rows` or `sinkhorn`, or an object such as `OneToOne(noise=0.2)`.
    """

    normalization: str | Normalization = field(default="columns", kw_only=True)

    def __post_init__(self) -> None:
        self.normalization = self.normalize

    @property
    def normalize(self) -> Normalization:
        """The way from scores to M."""
        return NORMALIZATIONS.of(self.normalization)

    def normalized(self, pairs: Pairs, scores: Iterable[Tensor]) -> Operator:
        """Return M of all pairs from their scores `[b, N1, N2]`, one tensor per bucket."""
        blocks = zip(scores, pairs.blocks(), strict=True)
        M = pairs.operator([self.normalize(score, block) for score, block in blocks])
        return M.to_sparse() if self.normalize.sparse else M
