"""OGB's gzipped tables, imported and loaded."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from smixup.datasets.archives import import_archive
from smixup.datasets.atoms import ATOM_VALUES
from smixup.datasets.catalogue import load_dataset
from smixup.datasets.ogb_sets import BONDS

from ..harness import Malformed
from ..mutators import Files
from ..plain_graphs import plain_graphs, single
from .tu_files import TUFiles

MOLECULES = {
    "raw/num-node-list": "3\n2\n1\n",
    "raw/num-edge-list": "2\n1\n0\n",
    "raw/edge": "0,1\n1,2\n0,1\n",
    "raw/edge-feat": "0,0,0\n1,2,1\n4,5,0\n",
    "raw/node-feat": "".join(f"{z},0,4,5,3,0,2,0,1\n" for z in (5, 6, 7, 5, 118, 0)),
    "split/scaffold/train": "2\n",
    "split/scaffold/valid": "0\n",
    "split/scaffold/test": "1\n",
}
HIV = {
    "raw/graph-label": "0\n1\n0\n",
    "mapping/mol": "HIV_active,smiles,mol_id\n0,CNO,\n1,C,\n0,H,\n",
}
ESOL = {
    "raw/graph-label": "0.5\n1.25\n-2\n",
    "mapping/mol": "logS,smiles,mol_id\n0.5,CNO,a\n1.25,C,b\n-2,H,c\n",
}
WHOLE = re.compile(r"[+-]?[0-9]+")


class OgbFiles(TUFiles):
    name = "OGB csv.gz"

    def good(self) -> Sequence[Files]:
        return [
            {f"{top}/{file}.csv.gz": gzip.compress(text.encode(), 1) for file, text in each.items()}
            for top, each in (("hiv", MOLECULES | HIV), ("esol", MOLECULES | ESOL))
        ]

    def read(self, folder: Path) -> Any:
        root = self.work / "root"
        name = import_archive(folder, root)
        dataset = load_dataset(name, root)
        split = dataset.split
        assert split is not None
        parts = [split.train.tolist(), split.validation.tolist(), split.test.tolist()]
        return name, plain_graphs(dataset.graphs), parts, list(dataset.table["smiles"])

    def plain(self, files: Files) -> Any:
        tops = {name.split("/")[0] for name in files if name.endswith("num-node-list.csv.gz")}
        if len(tops) != 1:
            raise Malformed("no set")
        (top,) = tops

        def text(file: str) -> str:
            try:
                return gzip.decompress(files[f"{top}/{file}.csv.gz"]).decode("utf-8-sig")
            except (KeyError, OSError, EOFError, zlib.error, UnicodeDecodeError) as reason:
                raise Malformed(file) from reason

        def whole(file: str) -> list[list[int]]:
            rows = [row.split(",") for row in _lines(text(file))]
            if any(not WHOLE.fullmatch(cell.strip()) for row in rows for cell in row):
                raise Malformed(file)
            return [[int(cell) for cell in row] for row in rows]

        sizes, counts = (
            [row[0] for row in whole(f"raw/num-{kind}-list")] for kind in ("node", "edge")
        )
        atoms, bonds = whole("raw/node-feat"), whole("raw/edge")
        mapping = text("mapping/mol")
        delimiter = max(",;\t", key=mapping.split("\n")[0].count)
        table = list(csv.reader(io.StringIO(mapping, newline=""), delimiter=delimiter))
        header = [cell.strip() for cell in table[0]]
        is_hiv = top == "hiv" or (top not in ("esol",) and header[:1] == ["HIV_active"])
        targets = _targets(text("raw/graph-label"), is_hiv)
        found, node, edge = [], 0, 0
        for size, count, y in zip(sizes, counts, targets, strict=True):
            own = [pair for i, j in bonds[edge : edge + count] for pair in ((i, j), (j, i))]
            weights = {pair: float(own.count(pair)) for pair in own}
            x = [_one_hot(row) for row in atoms[node : node + size]]
            found.append((size, sorted((i, j, w) for (i, j), w in weights.items()), x, y))
            node, edge = node + size, edge + count
        parts = [
            [row[0] for row in whole(f"split/scaffold/{part}")]
            for part in ("train", "valid", "test")
        ]
        place = header.index("smiles")
        smiles = [row[place] for row in table[1:] if row]
        return ("ogbg-molhiv" if is_hiv else "ogbg-molesol"), found, parts, smiles


def _lines(text: str) -> list[str]:
    return [
        line for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()
    ]


def _targets(text: str, is_hiv: bool) -> list[list[float]]:
    cells = [line.strip() for line in text.splitlines()]
    numbers = [float(cell) if cell else math.nan for cell in cells]
    if not is_hiv or any(map(math.isnan, numbers)):  # labels with gaps are no classes
        return [[single(number)] for number in numbers]
    return [[float(number == 0), float(number == 1)] for number in numbers]


def _one_hot(row: list[int]) -> list[float]:
    return [
        float(value == place)
        for value, width in zip(row, ATOM_VALUES, strict=True)
        for place in range(width)
    ]


assert BONDS == "raw/edge-feat.csv.gz"
