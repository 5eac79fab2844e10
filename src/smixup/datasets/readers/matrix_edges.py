"""From matrices to edges: which entries become edges, and what is noticed on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.datasets.readers.matrix_files import Stack
from smixup.datasets.readers.registry import require_one_of
from smixup.errors import SmixupError, UsageError
from smixup.graphs import SparseOperator
from smixup.ranges import Positive, PositiveShare, RangedFields

SIGNS = ("keep", "absolute", "positive")
NEARLY = 1e-5
"""A matrix that differs from its transpose by no more than this share of its largest entry is
symmetric, but for rounding.
"""


@dataclass(frozen=True)
class EdgeRule(RangedFields):
    """Which entries become edges.

    Attributes:
        threshold: those of this size at least, whatever their sign; None for all.
        density: of every matrix, this share of all possible edges, the largest; None for all.
        sign: one of `SIGNS`: what becomes of negative weights.
    """

    threshold: Positive | None
    density: PositiveShare | None
    sign: str

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> EdgeRule:
        """Return the rule that the options of a reader ask for."""
        threshold, density = options["threshold"], options["density"]
        require_one_of("sign", options["sign"], SIGNS)
        if threshold is not None and density is not None:
            raise UsageError("threshold and density both say which edges to keep: give one.")
        return cls(threshold, density, options["sign"])

    def kept(self, matrix: NDArray[np.float32], symmetric: bool) -> NDArray[np.float32]:
        """Return a matrix with zeros where there is to be no edge."""
        if self.sign == "absolute":
            matrix = np.abs(matrix)
        elif self.sign == "positive":
            matrix = np.maximum(matrix, 0)
        if self.threshold is not None:
            return np.where(np.abs(matrix) >= self.threshold, matrix, np.float32(0))
        if self.density is not None:
            return _strongest(matrix, self.density, symmetric)
        return matrix


def _strongest(matrix: NDArray[np.float32], density: float, symmetric: bool) -> NDArray[np.float32]:
    """Keep a share of all possible edges; of equal ones, those that stand first."""
    n = len(matrix)
    row, column = np.triu_indices(n, 1) if symmetric else np.nonzero(~np.eye(n, dtype=bool))
    order = np.argsort(-np.abs(matrix[row, column]), kind="stable")
    order = order[: max(round(density * len(order)), 1)]
    kept = np.zeros_like(matrix)
    kept[row[order], column[order]] = matrix[row[order], column[order]]
    return np.asarray(kept + kept.T if symmetric else kept)


@dataclass(frozen=True)
class Seen:
    """What was noticed in a stack of matrices.

    Attributes:
        diagonal: whether there were numbers on a diagonal, which are left out.
        negative: entries below zero that became edges.
        directed: matrices that are not symmetric.
        rounded: matrices that are symmetric but for rounding, and were made so.
        entries: entries that became edges.
        empty: matrices without any.
        largest: size of the largest entry beside the diagonals.
    """

    diagonal: bool = False
    negative: int = 0
    directed: int = 0
    rounded: int = 0
    entries: int = 0
    empty: int = 0
    largest: float = 0.0


def edges_of(
    stack: Stack, n: int, rule: EdgeRule, with_profiles: bool
) -> tuple[SparseOperator, Tensor, Seen]:
    """Return the adjacency of all graphs, the rows of their matrices if they are asked for, and
    what was noticed.
    """
    number, seen = len(stack.matrices), Seen()
    profiles = np.zeros((number * n, n) if with_profiles else (0, 0), np.float32)
    counts, columns, weights = [], [], []
    for place in range(number):
        matrix, diagonal = _checked(stack, place, n)
        nearly = NEARLY * float(np.abs(matrix).max(initial=0))
        exact = np.array_equal(matrix, matrix.T)
        symmetric = exact or bool(np.abs(matrix - matrix.T).max(initial=0) <= nearly)
        if symmetric and not exact:
            matrix = (matrix + matrix.T) / np.float32(2)
        if with_profiles:
            profiles[place * n : (place + 1) * n] = matrix
        kept = rule.kept(matrix, symmetric)
        target, source = np.nonzero(kept.T)  # A[target, source] is the entry [source, target]
        counts.append(np.bincount(target, minlength=n))
        columns.append(source + place * n)
        weights.append(kept.T[target, source])
        seen = replace(
            seen,
            diagonal=seen.diagonal or diagonal,
            negative=seen.negative + int((weights[-1] < 0).sum()),
            directed=seen.directed + (not symmetric),
            rounded=seen.rounded + (symmetric and not exact),
            entries=seen.entries + len(source),
            empty=seen.empty + (not len(source)),
            largest=max(seen.largest, float(np.abs(matrix).max(initial=0))),
        )
    row_ptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    adj = SparseOperator(
        torch.from_numpy(row_ptr.astype(np.int64)),
        torch.from_numpy(np.concatenate(columns).astype(np.int64)),
        torch.from_numpy(np.concatenate(weights)),
        number * n,
        symmetric=seen.directed == 0,
    )
    return adj, torch.from_numpy(profiles), seen


def _checked(stack: Stack, place: int, n: int) -> tuple[NDArray[np.float32], bool]:
    """Return a matrix in single precision without its diagonal, and whether it had one."""
    given = np.asarray(stack.matrices[place])
    if given.shape != (n, n):
        raise SmixupError(
            f"{stack.name(place)} has the shape {list(given.shape)}, where [{n}, {n}] is needed as "
            f"{stack.name(0)} has."
        )
    if given.dtype.kind not in "biuf":
        raise SmixupError(f"{stack.name(place)} holds {given.dtype} where real numbers are needed.")
    with np.errstate(over="ignore"):
        matrix = given.astype(np.float32)
    np.fill_diagonal(matrix, 0)  # correlations of constants leave NaN there, too
    if not np.isfinite(matrix).all():
        row, column = (int(each) for each in np.argwhere(~np.isfinite(matrix))[0])
        raise SmixupError(
            f"{stack.name(place)} holds {given[row, column]} in row {row + 1}, column "
            f"{column + 1}, where a finite number is needed: zero is no edge."
        )
    diagonal = np.diagonal(given)
    return matrix, bool((diagonal != 0).any())
