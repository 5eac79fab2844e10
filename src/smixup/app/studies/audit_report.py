"""What an audit measured, and how much of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from smixup.analysis.drift import Drift
from smixup.analysis.interpolation import InterpolationError
from smixup.analysis.label_fidelity import LabelFidelity
from smixup.analysis.row_sums import RowSums
from smixup.analysis.transport_error import TransportError
from smixup.app.studies.properties import Properties
from smixup.ranges import Count, Natural, Range, RangedFields, Steps


@dataclass(frozen=True)
class Effort(RangedFields):
    """How much is measured.

    Attributes:
        mixes: of every row.
        graphs: originals at most, drawn from the held-out ones.
        max_nodes: larger graphs are left out.
        distances: mixes whose distances to their graphs are taken, edit distances and others.
        small_nodes: edit distances are taken of mixes of graphs up to this size.
        judge_epochs: the judge is trained for so long at most.
    """

    mixes: Annotated[int, Range(2, limit=10**6)] = 200
    graphs: Annotated[int, Range(2, limit=10**6)] = 200
    max_nodes: Count = 150
    distances: Count = 60
    small_nodes: Natural = 16
    judge_epochs: Steps = 100


@dataclass(frozen=True)
class AlignmentQuality:
    """What a method's matcher does, on the same pairs for every row.

    Attributes:
        row_sums: of M, any pairs.
        motif_edges: share of a motif's edges that arrive, pairs of one class; None without motifs.
        motif_mass: share of a motif's nodes that fall on a motif; None without motifs.
    """

    row_sums: RowSums
    motif_edges: float | None
    motif_mass: float | None


@dataclass(frozen=True)
class Audited:
    """One row; None stands for what a method does not have.

    Attributes:
        title, method, settings: what was audited.
        mixes: how many were made.
        pairs: share of mixes that have two graphs behind them.
        lam: their mean ratio.
        edit: interpolation error by edit distances, mixes of small graphs.
        transport: interpolation error by fused Gromov-Wasserstein distances.
        label: label fidelity.
        drift: of degrees, density and features.
        duplicates: share of mixes that equal an original.
        outside: share of nodes with features outside the range of the originals'.
        originals_std: behind the batch norm that is farthest from 1, in a batch of as many mixes as
            originals.
        alignment: of methods with a matcher.
        properties: Table 1.
        seconds: it took, with fitting.
    """

    title: str
    method: str
    settings: Mapping[str, Any]
    mixes: int
    pairs: float | None
    lam: float | None
    edit: InterpolationError | None
    transport: TransportError | None
    label: LabelFidelity | None
    drift: Drift | None
    duplicates: float | None
    outside: float | None
    originals_std: float | None
    alignment: AlignmentQuality | None
    properties: Properties
    seconds: float


@dataclass(frozen=True)
class AuditReport:
    """All rows, and on what they were measured.

    Attributes:
        dataset: its name.
        seed: of split, judge, matchers and methods.
        backbone: of the judge.
        accuracy: of the judge on the graphs of the audit.
        ratios: a name of `RATIOS`.
        graphs: held-out graphs that were mixed.
        small: those among which edit distances were taken.
        effort: how much was measured.
        rows: one per method.
    """

    dataset: str
    seed: int
    backbone: str
    accuracy: float
    ratios: str
    graphs: int
    small: int
    effort: Effort
    rows: list[Audited]

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for JSON but for numbers that are none."""
        return asdict(self)
