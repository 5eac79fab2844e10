"""Which epoch to take where few graphs validate: what development seeds said."""

from __future__ import annotations

import json
from itertools import groupby
from statistics import fmean
from typing import Any

from smixup.app.pages.results.committed_records import CommittedRecords
from smixup.app.pages.results.words import markdown_table

FILE = "selection_development.jsonl"
RULES = ("score", "smoothed-loss", "last")


def selection(committed: CommittedRecords) -> str:
    """Compare rules of selection on the same runs, whose test split was evaluated every epoch."""
    lines = committed.folder.joinpath(FILE).read_text(encoding="utf-8").splitlines()
    rows = []
    for place, found in groupby(map(json.loads, lines), key=_place):
        runs = list(found)
        means = (fmean(100 * run["accuracy"][rule] for run in runs) for rule in RULES)
        rows.append([place, str(len(runs)), *(f"{mean:.1f}" for mean in means)])
    return markdown_table(["test accuracy, %", "n", *(f"`{rule}`" for rule in RULES)], rows)


def _place(run: dict[str, Any]) -> str:
    dataset, graphs = run["dataset"], run["train_graphs"]
    return f"{dataset}-{graphs}, {run['backbone'].upper()}, {run['method']}"
