"""Stacks of adjacency or correlation matrices: the same nodes in every graph."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch import Tensor

from smixup.datasets.base import Dataset, Reading
from smixup.datasets.readers.assembly import dataset_of, graphs_of, sentences
from smixup.datasets.readers.labels import (
    answers_beside,
    answers_of_array,
    beside,
)
from smixup.datasets.readers.registry import options_of
from smixup.datasets.tables import MATRIX_TEXT, parsed, read_text, readable, stem_of
from smixup.errors import SmixupError, UsageError, require, shown
from smixup.memory import require_room
from smixup.settings import Positive, PositiveShare, require_ranges

OWN = ("y", "x", "names", "regions")
"""Arrays of an `.npz` file that are no matrices: targets, features of nodes `[G, n, d]`, names of
graphs, names of nodes.
"""
LABELS = "labels"
HOW = " Python objects are never read: save names by np.array(names, dtype=str)."
NUMBER = re.compile(r"\s*[-+]?(\d|\.\d|nan|inf)", re.IGNORECASE)
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
        stack = open_stack(path)
        table = beside(path if path.is_dir() else path.parent, (LABELS,), options["labels"])
    else:
        given = {} if y is None else {"y": np.asarray(y, object)}
        stack, table = stack_of_arrays({**path} | given, "the dictionary"), None
    number, n = len(stack.matrices), int(sum(np.shape(stack.matrices[0])[:1]))
    features = options["features"] or ("given" if "x" in stack.beside else "profile")
    cuts = {name: options[name] for name in ("threshold", "density")}
    require_ranges(read_matrices, cuts)
    require(None in cuts.values(), "edges", "both", "kept by threshold or by density")
    require(features in FEATURES, "features", features, " or ".join(FEATURES))
    require(options["sign"] in SIGNS, "sign", options["sign"], " or ".join(SIGNS))
    require(len(stack.names) in (0, number), "names", len(stack.names), f"of {number} graphs")
    require(len(stack.regions) in (0, n), "regions", len(stack.regions), f"of {n} nodes")
    _require_same_nodes(n, stack.regions, like)
    if "y" in stack.beside:
        require(table is None, "targets", "both", "in a table labels or in an array y")
        answered = answers_of_array(stack.beside["y"], number, options["task"], like)
    else:
        advice = "put a table labels.csv beside the matrices, or an array y into the .npz file."
        answered = answers_beside(table, stack.names, number, options, like, advice)
    names = stack.names or [f"matrix {place}" for place in range(number)]
    matrices = [_checked(*own, n) for own in zip(stack.matrices, names, strict=True)]
    edges = np.concatenate([_kept(matrix, options) for matrix in matrices])  # [graphs * nodes, n]
    source, end = np.nonzero(edges)
    weight = torch.from_numpy(edges[source, end])
    counts = np.count_nonzero(edges.reshape(number, -1), axis=1)
    end += np.repeat(np.arange(number) * n, counts)
    if like is None and options["threshold"] is not None and not len(weight):
        raise UsageError(f"threshold={options['threshold']:g} leaves no edge in any matrix.")
    x, index = _features(stack, matrices, features), torch.from_numpy(np.stack([source, end]))
    graphs = graphs_of(torch.arange(number + 1) * n, x, index, weight)
    empty, directed = int((counts == 0).sum()), sum(not _is_symmetric(own) for own in matrices)
    notes = {
        **(_advice(n, weight) if like is None else {}),
        f"graphs without edges: {empty}.": empty,
        f"{directed} matrices are not symmetric: they are read as directed graphs, entry [i, j] "
        "an edge from node i to node j.": directed,
        **{f"the array '{name}' is not used.": True for name in stack.unused},
    }
    vocabulary = {"nodes": n, "regions": list(stack.regions)}
    reading = Reading("matrices", options | {"features": features}, vocabulary)
    node_names = [stack.regions] * number if stack.regions else None
    return dataset_of(path, graphs, answered, reading, sentences(notes), stack.names, node_names)


def _advice(n: int, weight: Tensor) -> dict[str, object]:
    """Return what matters to who trains."""
    negative = 100 * float((weight < 0).float().mean()) if len(weight) else 0
    return {
        f"the same {n} nodes are in every graph, in the same order, so that the alignment is known "
        "(features=profile go with no other): `smixup compare` takes it, and `smixup train "
        "--method s-mixup` by --set matcher=identity; in Python SMixup(Identity()).": True,
        f"{negative:.0f} % of the weights are negative: they turn the sign of a message, and count "
        "in degrees by their size; sign=absolute or sign=positive does away with signs.": negative,
    }


def _require_same_nodes(n: int, regions: Sequence[str], like: Reading | None) -> None:
    """Refuse other nodes than those of matrices read before."""
    known = {} if like is None else like.vocabulary
    if n != known.get("nodes", n):
        raise SmixupError(f"the matrices have {n} nodes, but those read before {known['nodes']}.")
    if regions and list(regions) != (list(known.get("regions", ())) or list(regions)):
        raise SmixupError("the names of nodes are not those of matrices read before.")


def _checked(given: Any, name: str, n: int) -> NDArray[np.float32]:
    """Return a matrix without its diagonal, symmetric if it nearly is."""
    matrix = _single(np.asarray(given), name, (n, n))
    gap = float(np.abs(matrix - matrix.T).max())
    nearly = 0 < gap <= NEARLY * float(np.abs(matrix).max())
    return (matrix + matrix.T) / np.float32(2) if nearly else matrix


def _single(given: NDArray[Any], name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return finite numbers in single precision; the diagonal of a matrix becomes zero."""
    if given.shape != shape or not given.size or given.dtype.kind not in "biuf":
        raise SmixupError(
            f"{name} holds {given.dtype} of shape {list(given.shape)}, where real numbers of shape "
            f"{list(shape)} are needed."
        )
    with np.errstate(over="ignore"):
        values = given.astype(np.float32)
    if values.ndim == 2:
        np.fill_diagonal(values, 0)  # correlations of constants leave NaN there, too
    if len(odd := np.argwhere(~np.isfinite(values))):
        raise SmixupError(
            f"{name} holds a number that is not finite in single precision at "
            f"{odd[0].tolist()}, counted from 0; zero is no edge."
        )
    return values


def _kept(matrix: NDArray[np.float32], options: Mapping[str, Any]) -> NDArray[np.float32]:
    """Return a matrix with zeros where there is to be no edge: below a threshold, or beyond a share
    of all possible edges; of equal ones, those that stand first are kept.
    """
    symmetric = _is_symmetric(matrix)
    if options["sign"] != "keep":
        matrix = np.abs(matrix) if options["sign"] == "absolute" else np.maximum(matrix, 0)
    if options["threshold"] is not None:
        return np.where(np.abs(matrix) >= options["threshold"], matrix, np.float32(0))
    if options["density"] is None:
        return matrix
    n = len(matrix)
    row, column = np.triu_indices(n, 1) if symmetric else np.nonzero(~np.eye(n, dtype=bool))
    order = np.argsort(-np.abs(matrix[row, column]), kind="stable")
    order = order[: max(round(options["density"] * len(order)), 1)]
    kept = np.zeros_like(matrix)
    kept[row[order], column[order]] = matrix[row[order], column[order]]
    return np.asarray(kept + kept.T if symmetric else kept)


def _is_symmetric(matrix: NDArray[np.float32]) -> bool:
    return np.array_equal(matrix, matrix.T)


def _features(stack: Stack, matrices: Sequence[NDArray[np.float32]], features: str) -> Tensor:
    number, n = len(matrices), len(matrices[0])
    if features == "profile":
        return torch.from_numpy(np.concatenate(matrices))
    if features == "region":
        return torch.eye(n, dtype=torch.uint8).repeat(number, 1)
    if features == "none":
        return torch.zeros(number * n, 0)
    if "x" not in stack.beside:
        raise UsageError("features=given needs an array x, [graphs, nodes, features].")
    given = stack.beside["x"]
    x = _single(given, "the array x", (number, n, *given.shape[2:3]))
    return torch.from_numpy(x.reshape(number * n, -1))


# --- files of matrices: NumPy's, never with pickled objects in them, and text by Arrow


class Stack(NamedTuple):
    """Matrices, one after another."""

    matrices: Sequence[NDArray[Any]]  # [n, n] each, all of one size
    names: tuple[str, ...]  # of the graphs; empty where they have numbers alone
    regions: tuple[str, ...]  # names of the nodes, or none
    beside: Mapping[str, NDArray[Any]] = {}  # what else a file holds, of `OWN`
    unused: tuple[str, ...] = ()  # arrays that are nothing of this


def open_stack(path: Path) -> Stack:
    """Open a file of many matrices, or a folder of files with one each."""
    if path.is_file():
        return stack_of_arrays(_arrays(path), path.name)
    files = [file for file in sorted(path.glob("[!.]*")) if stem_of(file) != LABELS]
    arrays = [file for file in files if file.name.endswith((".npy", ".npz"))]
    texts = [file for file in files if file.name.endswith(MATRIX_TEXT)]
    if bool(arrays) == bool(texts):
        raise SmixupError(f"{path} needs matrices in files of one kind, .npy, .npz or .csv.")
    if len(arrays) == 1:
        return open_stack(arrays[0])
    if arrays:
        matrices = [matrix for file in arrays for matrix in _arrays(file).values()]
        return Stack(matrices, tuple(file.name for file in arrays), ())
    tables, named = zip(*map(_text, texts), strict=True)
    for file, regions in zip(texts, named, strict=True):
        if regions != named[0]:
            raise SmixupError(
                f"{file.name} names other columns than {texts[0].name}: the same nodes in the same "
                "order are needed in all."
            )
    return Stack(tables, tuple(file.name for file in texts), named[0])


def stack_of_arrays(arrays: Mapping[str, Any], where: str) -> Stack:
    """Return the matrices among arrays from somewhere, the only one of three dimensions, and what
    is known of them.
    """
    likely = [name for name, value in arrays.items() if name not in OWN and np.ndim(value) == 3]
    matrices = np.asarray(arrays[likely[0]] if len(likely) == 1 else ())
    if matrices.ndim != 3 or not len(matrices) or matrices.shape[1] != matrices.shape[2]:
        shapes = ", ".join(f"{name} {list(np.shape(value))}" for name, value in arrays.items())
        raise UsageError(
            f"{where} holds {shapes or 'nothing'}, where one array [graphs, nodes, nodes] is "
            "needed, with one graph at least; np.moveaxis(a, -1, 0) puts the last axis first."
        )
    beside = {name: np.asarray(arrays[name]) for name in OWN if name in arrays}
    names, regions = (tuple(map(str, np.ravel(beside.get(name, ())))) for name in OWN[2:])
    unused = tuple(name for name in arrays if name not in (*likely, *OWN))
    return Stack(list(matrices), names, regions, beside, unused)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file of NumPy by name; pickled objects are never read."""
    with readable(path, HOW):
        if path.suffix == ".npz" or zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                size = sum(entry.file_size for entry in packed.infolist())
            require_room(2 * size, shown(path.name), "take fewer matrices")
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {path.stem: loaded}
        with loaded:
            return {name: loaded[name] for name in loaded.files}


def _text(path: Path) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return a matrix in text, and the names of its columns if the first line has them. A first
    column of names is left out.
    """
    lines = read_text(path).rstrip().splitlines()
    if not lines:
        raise SmixupError(f"{path.name} is empty.")
    delimiter = next((mark for mark in ",;\t" if mark in lines[-1]), "")
    if not delimiter:  # blanks, as many as somebody likes
        lines, delimiter = [",".join(line.split()) for line in lines], ","
    first, last = lines[0].split(delimiter), lines[-1].split(delimiter)
    is_named = not all(map(NUMBER.match, first)) and all(map(str.strip, first[1:]))
    has_header, has_names = is_named and len(lines) > 1, not NUMBER.match(last[0])
    width = len(last) - has_names
    types = [pa.string()] * has_names + [pa.float64()] * width
    table = parsed(path, "\n".join(lines[has_header:]), delimiter, types)
    names = [cell.strip().strip('"') for cell in first] if has_header else []
    columns = table.columns[has_names:] or [np.zeros(len(table))]
    return np.column_stack(columns), tuple(names[-width:])
