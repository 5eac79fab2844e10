"""Stacks of matrices: .npy, .npz, and folders of text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from smixup.datasets.catalogue import load_dataset

from ..harness import Malformed, Subject
from ..mutators import Files
from ..plain_graphs import plain_graphs

LABELS = b"kind\nx\ny\nx\n"


class Matrices(Subject):
    name = "matrices"

    def good(self) -> Sequence[Files]:
        half = np.random.default_rng(0).normal(size=(3, 4, 4)).round(3)
        stack = half + half.transpose(0, 2, 1)
        npy, npz = io.BytesIO(), io.BytesIO()
        np.save(npy, stack.astype(np.float32))
        np.savez_compressed(npz, matrices=stack, y=np.array([0, 1, 0]))
        texts = {f"s{place}.csv": _text(each) for place, each in enumerate(stack)}
        labels = b"file,kind\ns0,x\ns1,y\ns2,x\n"
        return [
            {"stack.npy": npy.getvalue(), "labels.csv": LABELS},
            {"stack.npz": npz.getvalue()},
            texts | {"labels.csv": labels},
        ]

    def damage(self, random: Random, files: Files) -> Files:
        if "stack.npz" not in files or random.random() < 0.5:
            return super().damage(random, files)
        arrays = dict(np.load(io.BytesIO(files["stack.npz"])))
        odd = random.choice(("nan", "inf", "big", "shape", "type", "objects", "more", "text", "y"))
        matrices = arrays["matrices"].copy()
        at = tuple(random.randrange(each) for each in matrices.shape)
        if odd in ("nan", "inf", "big"):
            matrices[at] = {"nan": np.nan, "inf": np.inf, "big": 1e300}[odd]
        elif odd == "shape":
            matrices = random.choice(
                (matrices[:, :2], matrices[0], matrices[:0], matrices[:, :0, :0])
            )
        elif odd == "type":
            matrices = matrices.astype(
                random.choice((complex, bool, "U8", "S3", np.int8, np.float16))
            )
        elif odd == "objects":
            matrices = matrices.astype(object)
        elif odd == "more":
            arrays["other"] = matrices
        elif odd == "text":
            arrays["names"] = np.array(["a", "\x1b[31m", "c" * 500])
        else:
            arrays["y"] = random.choice(
                (np.zeros(2), np.array(["a", "b", "a"]), np.zeros((3, 2)), np.zeros(3) * np.nan)
            )
        stream = io.BytesIO()
        np.savez_compressed(stream, **(arrays | {"matrices": matrices}))
        return {"stack.npz": stream.getvalue()}

    def read(self, folder: Path) -> Any:
        path = next(
            (folder / name for name in ("stack.npy", "stack.npz") if (folder / name).exists()),
            folder,
        )
        dataset = load_dataset(path, features="none", task="classes")
        return [graph[:2] for graph in plain_graphs(dataset.graphs)]

    def plain(self, files: Files) -> Any:
        try:
            files = {name.replace("stackx", "stack"): each for name, each in files.items()}
            if "stack.npy" in files:
                stack = np.load(io.BytesIO(files["stack.npy"]), allow_pickle=False)
            elif "stack.npz" in files:
                arrays = np.load(io.BytesIO(files["stack.npz"]), allow_pickle=False)
                three = [
                    name
                    for name in arrays.files
                    if name not in ("x", "y") and arrays[name].ndim == 3
                ]
                (name,) = three
                stack = arrays[name]
            else:
                stack = np.stack(
                    [
                        _numbers(files[name])
                        for name in sorted(files)
                        if name.endswith(".csv") and name != "labels.csv"
                    ]
                )
        except Exception as reason:
            raise Malformed(repr(reason)[:50]) from reason
        return [_graph(matrix) for matrix in stack]


def _text(matrix: Any) -> bytes:
    return "".join(",".join(f"{each:g}" for each in row) + "\n" for row in matrix).encode()


def _numbers(content: bytes) -> Any:
    lines = content.decode("utf-8-sig").splitlines()
    rows = [line for line in lines if line.strip()]
    delimiter = next((each for each in ",;\t" if each in rows[-1]), None)
    return np.array([[float(cell) for cell in row.split(delimiter)] for row in rows])


def _graph(matrix: Any) -> Any:
    with np.errstate(over="ignore"):
        single = np.asarray(matrix).astype(np.float32)
    np.fill_diagonal(single, 0)
    nearly = 1e-5 * float(np.abs(single).max(initial=0))
    if not np.array_equal(single, single.T) and float(np.abs(single - single.T).max()) <= nearly:
        single = (single + single.T) / np.float32(2)
    places = np.argwhere(single.T != 0).tolist()
    return len(single), sorted((i, j, float(single[j, i])) for i, j in places)
