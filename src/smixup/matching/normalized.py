"""What matchers share that find scores first: the way from there to M."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from torch import Tensor

from smixup.graphs import Operator
from smixup.graphs.codes import Layout, layout_of
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
        encode: how to read `x` of PyG graphs that are codes of categories: `one-hot`, `ogb`,
            `from-smiles`, or an object such as `Codes(nodes=(28,))`; see `graphs/codes.py`.
    """

    normalization: str | Normalization = field(default="columns", kw_only=True)
    encode: str | Layout | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.normalization = self.normalize
        self.encode = layout_of(self.encode)
        self.codes = None if self.encode is None else self.encode.known

    @property
    def normalize(self) -> Normalization:
        """The way from scores to M."""
        return NORMALIZATIONS.of(self.normalization)

    def normalized(self, pairs: Pairs, scores: Iterable[Tensor]) -> Operator:
        """Return M of all pairs from their scores `[b, N1, N2]`, one tensor per bucket."""
        blocks = zip(scores, pairs.blocks(), strict=True)
        M = pairs.operator([self.normalize(score, block) for score, block in blocks])
        return M.to_sparse() if self.normalize.sparse else M
