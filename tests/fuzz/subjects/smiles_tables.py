"""Tables of molecules, CSV and parquet."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rdkit import Chem, rdBase

from smixup.datasets.catalogue import load_dataset

from ..harness import Malformed, Subject
from ..mutators import Files

ROWS = [("CCO", "1"), ("c1ccccc1", "0"), ("CC(=O)O", "1"), ("N", "0"), ("C#N", "1"), ("O=C=O", "0")]


class SmilesTables(Subject):
    name = "SMILES tables"

    def good(self) -> Sequence[Files]:
        rdBase.DisableLog("rdApp.*")
        text = "smiles,active\n" + "".join(f"{smiles},{y}\n" for smiles, y in ROWS)
        quoted = "smiles;active;note\r\n" + "".join(
            f'"{smiles}";{y};"a ""b"";c"\r\n' for smiles, y in ROWS
        )
        stream = io.BytesIO()
        smiles, y = zip(*ROWS, strict=True)
        pq.write_table(
            pa.table({"smiles": list(smiles), "active": [int(each) for each in y]}), stream
        )
        return [
            {"m.csv": text.encode()},
            {"m.csv": quoted.encode()},
            {"m.tsv": text.replace(",", "\t").encode()},
            {"m.csv.gz": gzip.compress(text.encode(), 1)},
            {"m.parquet": stream.getvalue()},
        ]

    def read(self, folder: Path) -> Any:
        path = next(
            (each for each in folder.iterdir() if each.name.startswith("m.")), folder / "m.csv"
        )
        dataset = load_dataset(path, target="active", task="classes", smiles="smiles")
        classes = [str(dataset.task.names[each]) for each in dataset.graphs.labels.tolist()]
        bonds = [len(each) // 2 for each in _edges(dataset.graphs)]
        return dataset.graphs.sizes.tolist(), bonds, classes

    def plain(self, files: Files) -> Any:
        name = next((each for each in files if each.startswith("m.")), "")
        rows = (
            _parquet(files[name]) if name.endswith(("parquet", "pq")) else _text(name, files[name])
        )
        found = []
        for smiles, y in rows:
            molecule = Chem.MolFromSmiles(smiles.strip()) if smiles.strip() else None
            if molecule is None or not y.strip():
                raise Malformed(f"{smiles!r} {y!r}")
            found.append((molecule.GetNumAtoms(), molecule.GetNumBonds(), y.strip()))
        sizes, bonds, classes = (list(each) for each in zip(*found, strict=True))
        whole = all(re.fullmatch(r"[+-]?[0-9]{1,18}", each) for each in classes)
        return sizes, bonds, [str(int(each)) for each in classes] if whole else classes


def _edges(graphs: Any) -> list[Any]:
    from ..plain_graphs import plain_graphs

    return [edges for _, edges, _, _ in plain_graphs(graphs)]


def _parquet(content: bytes) -> list[tuple[str, str]]:
    try:
        table = pq.read_table(io.BytesIO(content))
        columns = (table[name].to_pylist() for name in ("smiles", "active"))
        return [
            ("" if a is None else str(a), "" if b is None else str(b))
            for a, b in zip(*columns, strict=True)
        ]
    except Exception as reason:
        raise Malformed("parquet") from reason


def _text(name: str, content: bytes) -> list[tuple[str, str]]:
    try:
        text = (gzip.decompress(content) if name.endswith(".gz") else content).decode("utf-8-sig")
    except Exception as reason:
        raise Malformed("no text") from reason
    first = text.split("\n")[0]
    delimiter = "\t" if ".tsv" in name else max(",;\t", key=first.count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    header = [cell.strip() for cell in rows[0]]
    a, b = header.index("smiles"), header.index("active")
    return [(row[a], row[b]) for row in rows[1:] if row]
