"""A long run goes on where it was."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fuzz.harness import REFUSED, RIGHT, Tally
from fuzz.tallies import peak, read_tallies, told, write_tallies

TALLIES = {
    "stores": Tally(Counter({REFUSED: 3, RIGHT: 1, "slow": 1}), {"slow": [4]}, 12.5),
    "archives": Tally(Counter({REFUSED: 1000})),
}


def test_tallies_come_back(tmp_path: Path) -> None:
    path = tmp_path / "tally.json"
    assert read_tallies(path, 1) == {}
    write_tallies(path, 1, TALLIES)
    assert read_tallies(path, 1) == TALLIES
    assert [each.name for each in tmp_path.iterdir()] == ["tally.json"]


def test_a_tally_of_another_seed_is_not_gone_on_with(tmp_path: Path) -> None:
    write_tallies(tmp_path / "tally.json", 1, TALLIES)
    with pytest.raises(SystemExit, match="has the tally of seed 1, not of 2"):
        read_tallies(tmp_path / "tally.json", 2)


def test_the_table_adds_up() -> None:
    lines = told(TALLIES).splitlines()
    assert lines[1].split() == ["stores", "5", "3", "1", "1", "12.50", "s"]
    assert lines[3].split() == ["all", "1,005", "1,003", "1", "1", "12.50", "s"]
    assert lines[4].split() == ["1", "slow"]
    assert TALLIES["archives"].found == 0


def test_the_peak_is_that_of_this_process() -> None:
    assert 1 < peak() < 1e6
