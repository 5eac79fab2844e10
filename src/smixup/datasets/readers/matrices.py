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
from smixup.datasets.readers.assembly import counted, dataset_of, graphs_of
from smixup.datasets.readers.labels import (
    Answers,
    answers,
    answers_of_array,
    beside,
    matched_rows,
    no_answers,
)
from smixup.datasets.readers.matrix_files import LABELS, Stack, open_stack
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
            usual for connectomes.
    """
    options, kept = options_of(read_matrices, locals(), like)
    path = Path(path)
    stack = open_stack(path, options["array"])
    table = beside(path if path.is_dir() else path.parent, (LABELS,), options["labels"])
    return dataset_of_stack(path, stack, table, options, kept, like)


def dataset_of_stack(
    path: Path,
    stack: Stack,
    labels: Path | None,
    options: Mapping[str, Any],
    kept: Mapping[str, Any],
    like: Reading | None,
) -> Dataset:
    """Return a dataset of matrices; `kept` are those options of `read_matrices` that were given."""
    threshold, density, sign = (options[name] for name in ("threshold", "density", "sign"))
    features = options["features"] or ("given" if "x" in stack.beside else "profile")
    require(features in FEATURES, "features", features, "profile, region, none or given")
    require(sign in SIGNS, "sign", sign, "keep, absolute or positive")
    require_ranges(read_matrices, {"threshold": threshold, "density": density})
    if threshold is not None and density is not None:
        raise UsageError("threshold and density both say which edges to keep: give one.")
    answered = _answers(stack, labels, options, like)
    number, n = len(stack.matrices), _size(stack, like)
    profiles = np.zeros((number * n, n) if features == "profile" else (0, 0), np.float32)
    ends, weights = [], []
    notable: Counter[str] = Counter()
    for place in range(number):
        matrix = _checked(stack, place, n, notable)
        if features == "profile":
            profiles[place * n : (place + 1) * n] = matrix
        edges = _kept(matrix, np.array_equal(matrix, matrix.T), options)
        source, target = np.nonzero(edges)
        ends.append(np.stack([source, target]) + place * n)
        weights.append(edges[source, target])
        notable["negative"] += int((weights[-1] < 0).sum())
        notable["empty"] += not len(source)
    weight = np.concatenate(weights)
    if like is None and threshold is not None and not len(weight):
        raise UsageError(f"threshold={threshold:g} leaves no edge in any matrix: lower it.")
    graphs = graphs_of(
        torch.arange(number + 1) * n,
        torch.from_numpy(profiles) if features == "profile" else _features(stack, n, features),
        torch.from_numpy(np.concatenate(ends, axis=1)),
        torch.from_numpy(weight),
    )
    notes = _notes(n, notable, len(weight), features, like is None)
    learned = {"nodes": n, "regions": list(stack.regions)}
    return dataset_of(
        path,
        graphs,
        answered,
        Reading("matrices", {**kept, "features": features}, learned),
        [*notes, *stack.notes],
        stack.names,
        [stack.regions] * number if stack.regions else None,
    )


def _answers(
    stack: Stack, labels: Path | None, options: Mapping[str, Any], like: Reading | None
) -> Answers:
    asked = options["target"], options["task"], like
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
        return answers(table, rows, key, *asked, labels.name)
    table = read_table(labels)
    if (found := len(next(iter(table.values())))) != number:
        raise SmixupError(f"{labels.name} has {found} rows, but there are {number} matrices.")
    return answers(table, range(number), options["key"], *asked, labels.name)


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


def _checked(stack: Stack, place: int, n: int, notable: Counter[str]) -> NDArray[np.float32]:
    """Return a matrix in single precision without its diagonal, symmetric if it nearly is."""
    given = np.asarray(stack.matrices[place])
    if given.shape != (n, n) or not n or given.dtype.kind not in "biuf":
        raise SmixupError(
            f"{stack.name(place)} holds {given.dtype} of shape {list(given.shape)}, where real "
            f"numbers [{n}, {n}] are needed."
        )
    with np.errstate(over="ignore"):
        matrix = given.astype(np.float32)
    notable["diagonal"] += bool((np.diagonal(given) != 0).any())
    np.fill_diagonal(matrix, 0)  # correlations of constants leave NaN there, too
    if len(odd := np.argwhere(~np.isfinite(matrix))):
        row, column = odd[0]
        raise SmixupError(
            f"{stack.name(place)} holds {given[row, column]} in row {row + 1}, column "
            f"{column + 1}, where a finite number is needed: zero is no edge."
        )
    gap = float(np.abs(matrix - matrix.T).max())
    if gap > NEARLY * float(np.abs(matrix).max()):
        notable["directed"] += 1
    elif gap:
        notable["rounded"] += 1
        return (matrix + matrix.T) / np.float32(2)
    return matrix


def _kept(
    matrix: NDArray[np.float32], symmetric: bool, options: Mapping[str, Any]
) -> NDArray[np.float32]:
    """Return a matrix with zeros where there is to be no edge: below a threshold, or beyond a share
    of all possible edges; of equal ones, those that stand first are kept.
    """
    threshold, density = options["threshold"], options["density"]
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
    number = len(stack.matrices)
    if features == "none":
        return torch.zeros(number * n, 0)
    if features == "region":
        return torch.eye(n, dtype=torch.uint8).repeat(number, 1)
    given = stack.beside.get("x", np.zeros(0))
    if given.ndim != 3 or given.shape[1] != n or given.dtype.kind not in "biuf":
        raise SmixupError(
            f"features=given needs an array x of numbers, [{number}, {n}, features], but it is "
            f"{given.dtype} of shape {list(given.shape)}."
        )
    with np.errstate(over="ignore"):
        x = given.astype(np.float32)
    if not np.isfinite(x).all():
        place = np.argwhere(~np.isfinite(x))[0].tolist()
        raise SmixupError(f"x holds a number that is not finite in single precision at {place}.")
    return torch.from_numpy(x.reshape(number * n, -1))


def _notes(n: int, seen: Mapping[str, int], entries: int, features: str, trains: bool) -> list[str]:
    """Say what was done to the matrices, and, to who trains, what matters."""
    share = 100 * seen["negative"] / max(entries, 1)
    sentences = {
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
        f"{counted(seen['empty'], 'graph has', 'graphs have')} no edges.": seen["empty"],
        f"{seen['rounded']} matrices, symmetric but for rounding, were made so.": seen["rounded"],
        f"{seen['directed']} matrices are not symmetric: they are read as directed graphs, "
        "entry [i, j] an edge from node i to node j.": seen["directed"],
    }
    return [sentence for sentence, applies in sentences.items() if applies]
