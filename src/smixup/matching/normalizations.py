"""All ways from scores to an assignment by name; a new one is one line here."""

from __future__ import annotations

from smixup.matching.consensus import Consensus, OneToOne
from smixup.matching.normalization import Columns, Normalization, Rows, Sinkhorn
from smixup.ranges import Choices

NORMALIZATIONS: Choices[Normalization] = Choices(
    "normalization", Columns, Rows, Sinkhorn, Consensus, OneToOne
)
