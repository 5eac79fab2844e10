"""The tables of the paper, read from its LaTeX where that is at hand."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from smixup.datasets.catalogue import canonical_name

NUMBER = re.compile(r"(\d+\.\d+)\s*\$\\pm\$\s*(\d+\.\d+)")
Row = tuple[str, list[tuple[float, float]]]


def source() -> str:
    """Return the paper's LaTeX, or skip."""
    folder = os.environ.get("SMIXUP_PAPER")
    if folder is None:
        pytest.skip("no source of the paper: SMIXUP_PAPER names no folder with its LaTeX")
    files = sorted(Path(folder).expanduser().glob("*.tex"))
    if not files:
        pytest.skip(f"no source of the paper: there is no LaTeX in {folder} (SMIXUP_PAPER)")
    return files[0].read_text(encoding="utf-8")


def rows(label: str) -> Iterator[Row]:
    """Yield the lines of a table of the paper: their text, and the pairs of numbers in them."""
    before = source().split(rf"\label{{{label}}}")[0]
    body = before[before.rindex(r"\begin{tabular}") :]
    for line in body.split(r"\\"):
        yield (
            NUMBER.sub("", line),
            [(float(mean), float(deviation)) for mean, deviation in NUMBER.findall(line)],
        )


def columns(label: str) -> list[str]:
    """Return the datasets in the head of a table, by their full names."""
    head = next(text for text, numbers in rows(label) if "IMDB-B" in text and not numbers)
    return [name for cell in head.split("&") if (name := canonical_name(cell.strip()))]


def numbered(label: str) -> list[Row]:
    return [(text, numbers) for text, numbers in rows(label) if numbers]
