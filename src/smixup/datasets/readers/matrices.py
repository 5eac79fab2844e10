"""Stacks of adjacency or correlation matrices: the same nodes in every graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import NodeNames, counted, dataset_of
from smixup.datasets.readers.labels import (
    Answers,
    answers,
    answers_of_array,
    beside,
    matched_rows,
    no_answers,
)
from smixup.datasets.readers.matrix_files import LABELS, Stack, open_stack, stack_of_arrays
from smixup.datasets.readers.registry import options_of
from smixup.datasets.readers.tables import read_table
from smixup.errors import SmixupError, UsageError, require
from smixup.graphs import Graphs, SparseOperator
from smixup.ranges import Positive, PositiveShare, RangedFields

FEATURES = ("profile", "region", "none", "given")
SIGNS = ("keep", "absolute", "positive")
NEARLY = 1e-5
"""A matrix that differs from its transpose by no more than this share of its largest entry is
symmetric, but for rounding.
"""


def read_matrices(
    path: Path,
    like: Reading | None = None,
    labels: str | None = None,
    key: str | None = None,
    target: Any = None,
    task: str = "",
    metric: str = "",
    array: str | None = None,
    threshold: Positive | None = None,
    density: PositiveShare | None = None,
    sign: str = "keep",
    features: str = "",
) -> Dataset:
    """A stack of matrices `[graphs, nodes, nodes]` in a `.npy` or `.npz` file, or a folder
    of `.npy` or `.csv` files with a matrix each, such as the connectivity of one subject.

    Entry `[i, j]` is the weight of the edge from node i to node j, of any sign; zero is no edge.
    The diagonal is left out. Targets are in a table `labels.csv` beside the files, or in an array
    `y` of the `.npz` file, which may hold `names` of graphs, names of nodes (`regions`) and
    features of nodes (`x`), too. Pickled objects are never read.

    Args:
        path: of the file or the folder.
        like: how files were read before.
        labels: the table, if it is called otherwise; beside a stack its rows are in the order of
            the matrices, unless the stack has `names`.
        key: its column that names files or graphs; None is the first.
        target: the target columns.
        task: `classes`, `labels` or `values`, where the targets do not tell.
        metric: what is reported; by default the usual one of the task.
        array: which array of an `.npz` file holds the matrices, if several might.
        threshold: edges whose weight is smaller, whatever its sign, are left out.
        density: of every graph, keep this share of all possible edges, those of the largest
            weights, whatever their sign.
        sign: `keep` weights as they are, take their `absolute` values, or the `positive` ones
            alone.
        features: of nodes: `profile`, a node's row of the matrix, before edges are left out;
            `region`, one-hot which node it is; `none`, so that degrees are taken; `given`, the
            array `x`. Where none is named, `given` if there is an `x`, else `profile`, which is
            usual for connectomes: a node is known by what it is connected with. A mix of rows is
            the row of the mix.
    """
    options, kept = options_of(read_matrices, locals(), like)
    path = Path(path)
    stack = open_stack(path, options["array"])
    folder = path if path.is_dir() else path.parent
    table = beside(folder, (LABELS,), options["labels"])
    answered = _answers(stack, table, options, like)
    return _dataset(path, stack, answered, options, kept, like)


def matrices_of_arrays(
    arrays: Mapping[str, NDArray[Any]],
    answered: Answers | None,
    options: Mapping[str, Any],
    like: Reading | None = None,
) -> Dataset:
    """Return a dataset of arrays in memory, named as in an `.npz` file; `answered` where targets
    are given besides.
    """
    defaults = {name: each.default for name, each in signature(read_matrices).parameters.items()}
    every, kept = options_of(read_matrices, defaults | dict(options), like)
    stack = stack_of_arrays(arrays, "the dictionary", every["array"])
    found = answered or _answers(stack, None, every, like)
    return _dataset(Path("graphs"), stack, found, every, kept, like)


def _dataset(
    path: Path,
    stack: Stack,
    answered: Answers,
    options: Mapping[str, Any],
    kept: Mapping[str, Any],
    like: Reading | None,
) -> Dataset:
    rule = EdgeRule.of(options)
    features = options["features"] or ("given" if "x" in stack.beside else "profile")
    require(features in FEATURES, "features", features, "profile, region, none or given")
    n = _size(stack)
    if like is not None:
        _require_alike(stack, n, like)
    adj, profiles, seen = edges_of(stack, n, rule, features == "profile")
    if like is None and rule.threshold is not None and not seen.entries:
        raise UsageError(
            f"threshold={rule.threshold:g} leaves no edge in any matrix, as no entry beside the "
            f"diagonals is larger than {seen.largest:.4g}: take a smaller one."
        )
    x = profiles if features == "profile" else _features(stack, n, features)
    ptr = torch.arange(len(stack.matrices) + 1) * n
    y = torch.zeros(len(stack.matrices), 0)
    vocabulary = {"nodes": n, "regions": list(stack.regions)}
    return dataset_of(
        path,
        Graphs(x, adj, y, ptr),
        answered,
        "matrices",
        {**kept, "features": features},
        vocabulary,
        [*_notes(n, seen, features, like is None), *stack.notes],
        stack.names,
        NodeNames.listed([stack.regions] * len(stack.matrices)) if stack.regions else None,
    )


def _size(stack: Stack) -> int:
    shape = np.shape(stack.matrices[0])
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise SmixupError(
            f"{stack.name(0)} has the shape {list(shape)}, where a square matrix is needed."
        )
    if stack.regions and len(stack.regions) != shape[0]:
        raise SmixupError(
            f"{counted(len(stack.regions), 'name', 'names')} of nodes are given for {shape[0]} "
            "nodes: give one for each."
        )
    return int(shape[0])


def _require_alike(stack: Stack, n: int, like: Reading) -> None:
    known, regions = int(like.vocabulary["nodes"]), list(like.vocabulary["regions"])
    if n != known:
        raise SmixupError(f"the matrices have {n} nodes, but those read before had {known}.")
    if regions and stack.regions and regions != list(stack.regions):
        place = next(
            i for i, (a, b) in enumerate(zip(regions, stack.regions, strict=True)) if a != b
        )
        raise SmixupError(
            f"column {place + 1} is '{stack.regions[place]}', but in the matrices read before it "
            f"was '{regions[place]}'."
        )


def _features(stack: Stack, n: int, features: str) -> Tensor:
    number = len(stack.matrices)
    if features == "none":
        return torch.zeros(number * n, 0)
    if features == "region":
        return torch.eye(n, dtype=torch.uint8).repeat(number, 1)
    given = stack.beside.get("x")
    if given is None or given.ndim != 3 or given.shape[1] != n or given.dtype.kind not in "biuf":
        shape = "missing" if given is None else f"{given.dtype} of shape {list(given.shape)}"
        raise SmixupError(
            f"features=given needs an array x of numbers, [{number}, {n}, features], but it is "
            f"{shape}."
        )
    if not np.isfinite(given).all():
        graph, node, column = (int(each) for each in np.argwhere(~np.isfinite(given))[0])
        raise SmixupError(
            f"x holds {given[graph, node, column]} for graph {graph}, node {node}, column "
            f"{column}, where a finite number is needed."
        )
    return torch.from_numpy(given.reshape(number * n, -1).astype(np.float32))


def _answers(
    stack: Stack, labels: Path | None, options: Mapping[str, Any], like: Reading | None
) -> Answers:
    asked = options["target"], options["task"], like
    number = len(stack.matrices)
    if labels is not None and "y" in stack.beside:
        raise UsageError(f"targets stand in {labels.name} and in an array y: remove one of them.")
    if labels is not None and stack.names:
        table, key, rows = matched_rows(labels, stack.names, options["key"])
        return answers(table, rows, key, *asked, labels.name)
    if labels is not None:
        table = read_table(labels)
        rows_found = len(next(iter(table.values())))
        if rows_found != number:
            raise SmixupError(
                f"{labels.name} has {rows_found} rows, but there are {number} matrices, one for "
                "each row in this order."
            )
        return answers(table, range(number), options["key"], *asked, labels.name)
    if "y" in stack.beside:
        return answers_of_array(stack.beside["y"], number, options["task"], like)
    return no_answers(
        number,
        like,
        "put a table labels.csv beside the matrices, or an array y into the .npz file.",
    )


def _notes(n: int, seen: Seen, features: str, trains: bool) -> list[str]:
    """Say what was done to the matrices, and, to who trains, what matters."""
    share = 100 * seen.negative / max(seen.entries, 1)
    advice = {
        f"the same {n} nodes are in every graph, in the same order, so that the alignment is "
        "known: `smixup compare` takes it, and `smixup train --method s-mixup` by --set "
        "matcher=identity; in Python SMixup(Identity()).": trains,
        "features of a node are its row of the matrix (features=profile); they fit the identity "
        "alone, as another alignment would not put their columns in its order.": trains
        and features == "profile",
        f"{share:.0f} % of the weights are negative: they turn the sign of a message, and count in "
        "degrees by their size; sign=absolute or sign=positive does away with signs.": trains
        and seen.negative,
        "the diagonal, a node's weight with itself, is left out.": seen.diagonal,
        f"{counted(seen.empty, 'graph has', 'graphs have')} no edges.": seen.empty,
        f"{seen.rounded} matrices are symmetric but for rounding, and were made so.": seen.rounded,
        f"{seen.directed} matrices are not symmetric: they are read as directed graphs, entry "
        "[i, j] an edge from node i to node j.": seen.directed,
    }
    return [sentence for sentence, applies in advice.items() if applies]


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
        require(options["sign"] in SIGNS, "sign", options["sign"], "keep, absolute or positive")
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


@dataclass
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
        seen.diagonal |= diagonal
        seen.negative += int((weights[-1] < 0).sum())
        seen.directed += not symmetric
        seen.rounded += symmetric and not exact
        seen.entries += len(source)
        seen.empty += not len(source)
        seen.largest = max(seen.largest, float(np.abs(matrix).max(initial=0)))
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
