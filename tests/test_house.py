"""No part of the repository is larger than house.toml allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tomllib import loads

import pytest

ROOT = Path(__file__).parents[1]
BUDGETS = loads((ROOT / "house.toml").read_text(encoding="utf-8"))
MEASURES: dict[str, Callable[[Path], int]] = {
    "lines": lambda path: path.read_text(encoding="utf-8").count("\n"),
    "words": lambda path: len(path.read_text(encoding="utf-8").split()),
    "files": lambda path: 1,
}


def files(patterns: str) -> Iterator[Path]:
    """Yield the files of some patterns, but for what builds leave behind."""
    for pattern in patterns.split():
        yield from (path for path in ROOT.glob(pattern) if "_gallery" not in path.parts)


@pytest.mark.parametrize(
    ("measure", "patterns"), [(unit, name) for unit in MEASURES for name in BUDGETS[unit]]
)
def test_no_part_is_over_its_budget(measure: str, patterns: str) -> None:
    size = sum(map(MEASURES[measure], files(patterns)))
    assert 0 < size <= BUDGETS[measure][patterns]
