"""The budget of memory: how it is said, what it defaults to, and what is refused in time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from smixup import memory
from smixup.errors import SmixupError, UsageError
from smixup.graphs import buckets_of_pairs
from smixup.memory import budget, cells_at_once, free_memory, parse_size, require_room, set_budget

GB, MB = 2**30, 2**20


@pytest.fixture(autouse=True)
def default_budget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SMIXUP_MEMORY", raising=False)
    set_budget(None)
    yield
    set_budget(None)


def test_sizes_as_people_write_them() -> None:
    sizes = {"4GB": 4 * GB, "1.5G": 3 * GB // 2, "500 mb": 500 * MB, "2GiB": 2 * GB, "1024": 1024}
    for text, size in (*sizes.items(), (4096, 4096), (".5k", 512)):
        assert parse_size(text) == size
    for text in ("", "lots", "4 XB", "-1GB", "0", "4,5GB", "GB"):
        with pytest.raises(UsageError, match=r"a size such as 4GB or 500MB, not"):
            parse_size(text)
    words = [memory.in_words(size) for size in (10, 300 * MB, 2.25 * GB)]
    assert words == ["1 MB", "300 MB", "2.2 GB"]


def test_half_of_what_is_free_unless_a_variable_or_a_call_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for free in (10 * GB, GB):  # decided once, so that a run does not change its mind
        monkeypatch.setattr(memory, "free_memory", lambda free=free: free)
        assert budget() == 5 * GB
    set_budget(None)
    monkeypatch.setenv("SMIXUP_MEMORY", "3GB")
    assert budget() == 3 * GB
    set_budget("1GB")
    assert budget() == GB


def test_what_is_free_is_within_the_machine_and_its_container(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert MB < free_memory() < 2**45
    monkeypatch.setattr(memory, "CONTROL_GROUP", tmp_path)
    (tmp_path / "memory.max").write_text(f"{2**24}\n")
    (tmp_path / "memory.current").write_text(f"{2**23}\n")
    assert free_memory() == 2**23
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory() > 2**23


def test_too_much_is_refused_and_tables_keep_to_it() -> None:
    set_budget("1GB")
    require_room(GB, "a graph", "leave it out")
    with pytest.raises(
        SmixupError,
        match=r"^a graph needs about 1\.5 GB of memory, and 1\.0 GB may be used: leave it out, or "
        r"allow more \(.*SMIXUP_MEMORY\)\.$",
    ):
        require_room(1.5 * GB, "a graph", "leave it out")
    for size, cells in (("8GB", MB), ("8MB", 2**15), ("8", 1)):
        set_budget(size)
        assert cells_at_once(MB, bytes_per_cell=32) == cells
    set_budget(None)
    sizes = torch.full((40,), 100)
    assert len(buckets_of_pairs(sizes, sizes)) == 1
    set_budget(8 * 32 * 10**5)  # ten pairs of 100 by 100 cells in an eighth of it
    assert [len(group) for group in buckets_of_pairs(sizes, sizes)] == [10] * 4
