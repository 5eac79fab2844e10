"""Stacks of adjacency or correlation matrices: the same nodes in every graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of, graphs_of, sentences
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
from smixup.settings import Positive, PositiveShare, require_ranges

FEATURES = ("profile", "region", "none", "given")
SIGNS = ("keep", "absolute", "positive")
NEARLY = 1e-5
"""A matrix that differs from its transpose by no more than this share of its largest entry is
symmetric, but for rounding.
"""


def read_matrices(
    path: Any,
    like: Reading | None = None,
    y: Any = None,
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
        path: of the file or the folder; or arrays by name.
        labels: the table, if it is called otherwise; beside a stack its rows are in the order of
            the matrices, unless the stack has `names`.
        array: which array of an `.npz` file holds the matrices, if several might.
        threshold: edges whose weight is smaller, whatever its sign, are left out.
        density: of every graph, keep this share of all possible edges, those of the largest
            weights, whatever their sign.
        sign: `keep` weights as they are, take their `absolute` values, or the `positive` ones
            alone.
        features: of nodes: `profile`, a node's row of the matrix, before edges are left out;
            `region`, one-hot which node it is; `none`, so that degrees are taken; `given`, the
            array `x`. Where none is named, `given` if there is an `x`, else `profile`, which is
            usual for connectomes.
        like, y, ...: see `readers.registry`.
    """
    options = options_of(read_matrices, locals(), like)
    if isinstance(path, Path):
        stack = open_stack(path, options["array"])
        table = beside(path if path.is_dir() else path.parent, (LABELS,), options["labels"])
    else:
        arrays = {**path} if y is None else {**path, "y": np.asarray(y, object)}
        stack, table = stack_of_arrays(arrays, "the dictionary", options["array"]), None
    threshold, density, sign = (options[name] for name in ("threshold", "density", "sign"))
    features = options["features"] or ("given" if "x" in stack.beside else "profile")
    require(features in FEATURES, "features", features, "profile, region, none or given")
    require(sign in SIGNS, "sign", sign, "keep, absolute or positive")
    require_ranges(read_matrices, {"threshold": threshold, "density": density})
    if threshold is not None and density is not None:
        raise UsageError("threshold and density both say which edges to keep: give one.")
    answered = _answers(stack, table, options, like)
    number, n = len(stack.matrices), _size(stack, like)
    x = _features(stack, n, features)
    ends, weights = [], []
    seen: Counter[str] = Counter()
    for place in range(number):
        matrix = _checked(stack, place, n, seen)
        if features == "profile":
            x[place * n : (place + 1) * n] = torch.from_numpy(matrix)
        edges = _kept(matrix, options)
        source, end = np.nonzero(edges)
        ends.append(np.stack([source, end]) + place * n)
        weights.append(edges[source, end])
        seen["negative"] += int((weights[-1] < 0).sum())
        seen["empty"] += not len(source)
    weight = np.concatenate(weights)
    if like is None and threshold is not None and not len(weight):
        raise UsageError(f"threshold={threshold:g} leaves no edge in any matrix: lower it.")
    index = torch.from_numpy(np.concatenate(ends, axis=1))
    return dataset_of(
        path,
        graphs_of(torch.arange(number + 1) * n, x, index, torch.from_numpy(weight)),
        answered,
        Reading(
            "matrices",
            options | {"features": features},
            {"nodes": n, "regions": list(stack.regions)},
        ),
        [*_notes(n, seen, len(weight), features, like is None), *stack.notes],
        stack.names,
        [stack.regions] * number if stack.regions else None,
    )


def _answers(
    stack: Stack, labels: Path | None, options: Mapping[str, Any], like: Reading | None
) -> Answers:
    number = len(stack.matrices)
    if labels is not None and "y" in stack.beside:
        raise UsageError(f"targets stand in {labels.name} and in an array y: remove one of them.")
    if "y" in stack.beside:
        return answers_of_array(stack.beside["y"], number, options["task"], like)
    if labels is None:
        advice = "put a table labels.csv beside the matrices, or an array y into the .npz file."
        return no_answers(number, like, advice)
    if stack.names:
        table, key, rows = matched_rows(labels, stack.names, options["key"])
        return answers(table, rows, key, options, like, labels.name)
    table = read_table(labels)
    if (found := len(next(iter(table.values())))) != number:
        raise SmixupError(f"{labels.name} has {found} rows, but there are {number} matrices.")
    return answers(table, range(number), options["key"] or "", options, like, labels.name)


def _size(stack: Stack, like: Reading | None) -> int:
    """Return how many nodes graphs have, which must be those of matrices read before."""
    n = int(sum(np.shape(stack.matrices[0])[:1]))
    known: Mapping[str, Any] = {"nodes": n, "regions": ()} if like is None else like.vocabulary
    if n != known["nodes"]:
        raise SmixupError(f"the matrices have {n} nodes, but those read before {known['nodes']}.")
    if stack.regions and len(stack.regions) != n:
        raise SmixupError(f"there are {len(stack.regions)} names of nodes, but {n} nodes.")
    if stack.regions and known["regions"] and list(stack.regions) != list(known["regions"]):
        raise SmixupError("the names of the nodes are not those of the matrices read before.")
    return n


def _checked(stack: Stack, place: int, n: int, seen: Counter[str]) -> NDArray[np.float32]:
    """Return a matrix in single precision without its diagonal, symmetric if it nearly is."""
    name = stack.names[place] if stack.names else f"matrix {place}"
    matrix = _single(np.asarray(stack.matrices[place]), name, (n, n))
    seen["diagonal"] += bool((np.diagonal(matrix) != 0).any())
    np.fill_diagonal(matrix, 0)  # correlations of constants leave NaN there, too
    _require_finite(matrix, name)
    gap = float(np.abs(matrix - matrix.T).max())
    if gap > NEARLY * float(np.abs(matrix).max()):
        seen["directed"] += 1
        return matrix
    return (matrix + matrix.T) / np.float32(2) if gap else matrix


def _single(given: NDArray[Any], name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    if given.shape != shape or not given.size or given.dtype.kind not in "biuf":
        raise SmixupError(
            f"{name} holds {given.dtype} of shape {list(given.shape)}, where real numbers of shape "
            f"{list(shape)} are needed."
        )
    with np.errstate(over="ignore"):
        return given.astype(np.float32)


def _require_finite(values: NDArray[np.float32], name: str) -> None:
    if len(odd := np.argwhere(~np.isfinite(values))):
        raise SmixupError(
            f"{name} holds a number that is not finite in single precision at "
            f"{odd[0].tolist()}, counted from 0; zero is no edge."
        )


def _kept(matrix: NDArray[np.float32], options: Mapping[str, Any]) -> NDArray[np.float32]:
    """Return a matrix with zeros where there is to be no edge: below a threshold, or beyond a share
    of all possible edges; of equal ones, those that stand first are kept.
    """
    threshold, density = options["threshold"], options["density"]
    symmetric = np.array_equal(matrix, matrix.T)
    if options["sign"] != "keep":
        matrix = np.abs(matrix) if options["sign"] == "absolute" else np.maximum(matrix, 0)
    if threshold is not None:
        return np.where(np.abs(matrix) >= threshold, matrix, np.float32(0))
    if density is None:
        return matrix
    n = len(matrix)
    row, column = np.triu_indices(n, 1) if symmetric else np.nonzero(~np.eye(n, dtype=bool))
    order = np.argsort(-np.abs(matrix[row, column]), kind="stable")
    order = order[: max(round(density * len(order)), 1)]
    kept = np.zeros_like(matrix)
    kept[row[order], column[order]] = matrix[row[order], column[order]]
    return np.asarray(kept + kept.T if symmetric else kept)


def _features(stack: Stack, n: int, features: str) -> Tensor:
    """Return features of all nodes, those of profiles yet to be filled in."""
    number = len(stack.matrices)
    if features == "region":
        return torch.eye(n, dtype=torch.uint8).repeat(number, 1)
    if features != "given":
        return torch.zeros(number * n, n if features == "profile" else 0)
    if "x" not in stack.beside:
        raise UsageError("features=given needs an array x, [graphs, nodes, features].")
    given = stack.beside["x"]
    x = _single(given, "the array x", (number, n, *given.shape[2:3]))
    _require_finite(x, "the array x")
    return torch.from_numpy(x.reshape(number * n, -1))


def _notes(n: int, seen: Mapping[str, int], entries: int, features: str, trains: bool) -> list[str]:
    """Say what was done to the matrices, and, to who trains, what matters."""
    share = 100 * seen["negative"] / max(entries, 1)
    said = {
        f"the same {n} nodes are in every graph, in the same order, so that the alignment is "
        "known: `smixup compare` takes it, and `smixup train --method s-mixup` by --set "
        "matcher=identity; in Python SMixup(Identity()).": trains,
        "features of a node are its row of the matrix (features=profile); they fit the identity "
        "alone, as another alignment would not put their columns in its order.": trains
        and features == "profile",
        f"{share:.0f} % of the weights are negative: they turn the sign of a message, and count in "
        "degrees by their size; sign=absolute or sign=positive does away with signs.": trains
        and share,
        "the diagonal, a node's weight with itself, is left out.": seen["diagonal"],
        f"graphs without edges: {seen['empty']}.": seen["empty"],
        f"{seen['directed']} matrices are not symmetric: they are read as directed graphs, "
        "entry [i, j] an edge from node i to node j.": seen["directed"],
    }
    return sentences(said)
