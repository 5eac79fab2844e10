"""Exports of stores, JSON lines and CSV, which `sweep import` reads."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from smixup.app.sweeps.exported import to_line, to_row
from smixup.app.sweeps.exported_csv import to_csv
from smixup.app.sweeps.merging import merge, read_source
from smixup.app.sweeps.store import Store

from ..harness import ANY, Subject
from ..mutators import Files, as_json
from .stores import write_store


class Exports(Subject):
    name = "exports"

    def good(self) -> Sequence[Files]:
        write_store(self.work / "runs.db")
        about = {"experiment": "quick", "row": "x", "column": "y", "selected": True}
        records = read_source(self.work / "runs.db").runs
        rows = [about | to_row(record) | {"predictions": ""} for record in records]
        lines = "".join(map(to_line, rows)).encode()
        table = to_csv(rows).encode()
        return [
            {"runs.jsonl": lines},
            {"runs.csv": table},
            {"runs.jsonl.gz": gzip.compress(lines, 1)},
        ]

    def damage(self, random: Any, files: Files) -> Files:
        if "runs.jsonl" not in files or random.random() < 0.4:
            return super().damage(random, files)
        lines = files["runs.jsonl"].splitlines()
        at = random.randrange(len(lines))
        lines[at] = as_json(random, lines[at])
        return {"runs.jsonl": b"\n".join(lines) + b"\n"}

    def read(self, folder: Path) -> Any:
        into = self.work / "into.db"
        for each in self.work.glob("into.db*"):
            each.unlink()
        path = next(iter(sorted(folder.iterdir())), folder / "runs.jsonl")
        merged = merge(Store(into), [path], any_code=True)
        assert len(Store(into).all_records()) == len(merged.new), "what was imported is not there"
        return len(merged.new)

    def plain(self, files: Files) -> Any:
        return ANY
