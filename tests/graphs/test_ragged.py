"""Index arithmetic equals plain Python loops."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from smixup.graphs.ragged import offsets, ranges, ranks, row_of


def test_examples_of_the_docstrings() -> None:
    assert offsets(torch.tensor([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert row_of(torch.tensor([0, 2, 2, 5])).tolist() == [0, 0, 2, 2, 2]
    assert ranges(torch.tensor([5, 0]), torch.tensor([2, 3])).tolist() == [5, 6, 0, 1, 2]


def test_offsets_of_a_mask_count_the_chosen() -> None:
    assert offsets(torch.tensor([True, False, True])).tolist() == [0, 1, 1, 2]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 6)), max_size=8))
def test_any_rows(rows: list[tuple[int, int]]) -> None:
    starts, counts = (
        torch.tensor([row[side] for row in rows], dtype=torch.long) for side in (0, 1)
    )
    ptr = offsets(counts)
    assert ptr.tolist() == [sum(count for _, count in rows[:i]) for i in range(len(rows) + 1)]
    assert row_of(ptr).tolist() == [i for i, (_, count) in enumerate(rows) for _ in range(count)]
    assert ranges(starts, counts).tolist() == [
        start + i for start, count in rows for i in range(count)
    ]


def test_arguments_are_left_alone() -> None:
    starts, counts = torch.tensor([5, 0]), torch.tensor([2, 3])
    ranges(starts, counts)
    assert starts.tolist() == [5, 0]
    assert counts.tolist() == [2, 3]


@given(st.lists(st.lists(st.integers(-3, 3), max_size=6), max_size=6))
def test_ranks_are_those_of_a_sorted_row(rows: list[list[int]]) -> None:
    ptr = offsets(torch.tensor([len(row) for row in rows], dtype=torch.long))
    score = torch.tensor([value for row in rows for value in row], dtype=torch.float)
    expected = [
        sorted(range(len(row)), key=row.__getitem__).index(i)
        for row in rows
        for i in range(len(row))
    ]
    assert ranks(ptr, score).tolist() == expected
