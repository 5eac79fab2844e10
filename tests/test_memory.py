"""The budget of memory: how it is said, what it defaults to, and what is refused in time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from smixup import memory
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs, SparseOperator, buckets_of_pairs
from smixup.matching.large_pairs import in_table_runs
from smixup.memory import (
    budget,
    cells_at_once,
    free_memory,
    in_words,
    parse_size,
    require_room,
    set_budget,
)


@pytest.fixture(autouse=True)
def default_budget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SMIXUP_MEMORY", raising=False)
    set_budget(None)
    yield
    set_budget(None)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4GB", 4 * 2**30),
        ("1.5G", 3 * 2**29),
        ("500 mb", 500 * 2**20),
        ("2GiB", 2**31),
        ("1024", 1024),
        (4096, 4096),
        (".5k", 512),
    ],
)
def test_sizes_as_people_write_them(text: int | str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "lots", "4 XB", "-1GB", "0", "4,5GB", "GB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"a size such as 4GB or 500MB, not"):
        parse_size(text)


def test_half_of_what_is_free_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10 * 2**30)
    assert budget() == 5 * 2**30
    monkeypatch.setattr(memory, "free_memory", lambda: 2**30)
    assert budget() == 5 * 2**30  # decided once, so that a run does not change its mind


def test_a_variable_and_a_call_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMIXUP_MEMORY", "3GB")
    assert budget() == 3 * 2**30
    set_budget("1GB")
    assert budget() == 2**30


def test_what_is_free_is_within_the_machine_and_its_container(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert 2**20 < free_memory() < 2**45
    monkeypatch.setattr(memory, "CONTROL_GROUP", tmp_path)
    (tmp_path / "memory.max").write_text(f"{2**24}\n")
    (tmp_path / "memory.current").write_text(f"{2**23}\n")
    assert free_memory() == 2**23
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory() > 2**23


def test_too_much_is_refused_with_what_it_needs() -> None:
    set_budget("1GB")
    require_room(2**30, "a graph", "leave it out")
    with pytest.raises(
        SmixupError,
        match=r"^a graph needs about 1\.5 GB of memory, and 1\.0 GB may be used: leave it out, or "
        r"allow more \(--memory, SMIXUP_MEMORY\)\.$",
    ):
        require_room(1.5 * 2**30, "a graph", "leave it out")


def test_sizes_in_words() -> None:
    assert [in_words(size) for size in (10, 300 * 2**20, 2.25 * 2**30)] == [
        "1 MB",
        "300 MB",
        "2.2 GB",
    ]


def test_fewer_cells_at_once_where_memory_is_short() -> None:
    set_budget("8GB")
    assert cells_at_once(2**20, bytes_per_cell=32) == 2**20
    set_budget("8MB")
    assert cells_at_once(2**20, bytes_per_cell=32) == 2**15
    set_budget("8")
    assert cells_at_once(2**20, bytes_per_cell=32) == 1


def test_tables_of_pairs_keep_to_it() -> None:
    sizes = torch.full((40,), 100)
    assert len(buckets_of_pairs(sizes, sizes)) == 1
    set_budget(8 * 32 * 10**5)  # ten pairs of 100 by 100 cells in an eighth of it
    assert [len(group) for group in buckets_of_pairs(sizes, sizes)] == [10] * 4
    pairs = Graphs(
        torch.zeros(4000, 0),
        SparseOperator.from_edges(torch.zeros(2, 0, dtype=torch.long), torch.zeros(0), 4000),
        torch.zeros(40, 2),
        torch.arange(41) * 100,
    )
    runs = list(in_table_runs(pairs, pairs, torch.arange(40)))
    assert [len(run) for run in runs] == [5] * 8  # of 200 by 200 cells, 16 bytes each
