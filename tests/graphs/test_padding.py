"""Index arithmetic on ragged rows equals plain loops; padding loses nothing, and a bucket wastes
no more cells than it may.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from smixup.graphs import Padding, buckets_by_size, buckets_of_pairs, padding
from smixup.graphs.ragged import offsets, ranges, ranks, row_of

quick = settings(deadline=None, max_examples=40)


@quick
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 6)), max_size=8))
def test_any_rows(rows: list[tuple[int, int]]) -> None:
    starts, counts = (torch.tensor([row[i] for row in rows], dtype=torch.long) for i in (0, 1))
    ptr = offsets(counts)
    assert ptr.tolist() == [sum(count for _, count in rows[:i]) for i in range(len(rows) + 1)]
    assert row_of(ptr).tolist() == [i for i, (_, count) in enumerate(rows) for _ in range(count)]
    before = starts.clone()
    assert ranges(starts, counts).tolist() == [a + i for a, count in rows for i in range(count)]
    assert torch.equal(starts, before), "arguments are left alone"
    assert offsets(counts > 2).tolist() == offsets((counts > 2).long()).tolist()


@quick
@given(st.lists(st.lists(st.integers(-3, 3), max_size=6), max_size=6))
def test_ranks_are_those_of_a_sorted_row(rows: list[list[int]]) -> None:
    ptr = offsets(torch.tensor([len(row) for row in rows], dtype=torch.long))
    score = torch.tensor([value for row in rows for value in row], dtype=torch.float)
    expected = [sorted(range(len(row)), key=row.__getitem__) for row in rows]
    ranked = [order.index(i) for order in expected for i in range(len(order))]
    assert ranks(ptr, score).tolist() == ranked


def test_two_graphs_by_hand() -> None:
    layout = Padding.of(torch.tensor([0, 1, 4]), [torch.arange(2)])
    assert layout.shapes == ((2, 3),)
    assert layout.mask.tolist() == [True, False, False, True, True, True]
    assert layout.slot.tolist() == [0, 3, 4, 5]
    assert layout.index.tolist() == [0, 4, 4, 1, 2, 3]
    (block,) = layout.pad(torch.tensor([[1.0], [2.0], [3.0], [4.0]]))
    assert block[1].tolist() == [[2.0], [3.0], [4.0]]
    for h in (torch.arange(4), torch.rand(4, 2, 5)):
        (block,) = layout.pad(h)
        assert block.shape == (2, 3, *h.shape[1:])
        assert torch.equal(layout.unpad([block]), h)
    nothing = Padding.of(torch.tensor([0, 0, 0]), [torch.arange(2)])
    (block,) = nothing.pad(torch.rand(0, 2))
    assert block.tolist() == [[[0, 0]]] * 2


def test_buckets_by_hand() -> None:
    sizes = torch.tensor([2, 10, 2, 3])
    groups = buckets_by_size(sizes, waste=9)
    assert [group.tolist() for group in groups] == [[1], [3, 0], [2]], "5 + 5 empty cells are > 9"
    assert [len(group) for group in buckets_by_size(sizes, waste=10)] == [1, 3]
    assert len(buckets_by_size(sizes)) == 1
    assert buckets_by_size(torch.zeros(0, dtype=torch.long)) == []
    assert [len(group) for group in buckets_of_pairs(sizes, sizes)] == [4]


@quick
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=12),
    st.integers(0, 30),
)
def test_buckets_part_all_pairs_and_waste_no_more_than_they_may(
    pairs: list[tuple[int, int]], waste: int
) -> None:
    left, right = (torch.tensor([pair[side] for pair in pairs]) for side in (0, 1))
    groups = buckets_of_pairs(left, right, waste=waste)
    assert sorted(i for group in groups for i in group.tolist()) == list(range(len(pairs)))
    for sizes in (size[group] for group in groups for size in (left, right)):
        assert int((sizes.max() - sizes).sum()) <= waste


def test_no_group_of_pairs_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(padding, "CELLS_AT_ONCE", 200)
    left, right = torch.full((9,), 10), torch.full((9,), 5)
    left[0], right[0] = 30, 40
    groups = buckets_of_pairs(left, right)
    assert [len(group) for group in groups] == [1, 4, 1, 3]
    assert sorted(torch.cat(groups).tolist()) == list(range(9))


@quick
@given(
    sizes=st.lists(st.integers(0, 12), min_size=1, max_size=10).filter(any),
    waste=st.sampled_from([1, 40, 2**13]),
)
def test_unpad_undoes_pad_and_every_block_holds_whole_graphs(sizes: list[int], waste: int) -> None:
    ptr = offsets(torch.tensor(sizes))
    layout = Padding.of(ptr, buckets_by_size(ptr.diff(), waste))
    h = torch.arange(2.0 * sum(sizes)).view(-1, 2)
    blocks = layout.pad(h)
    torch.testing.assert_close(layout.unpad(blocks), h)
    rows = [row for block in blocks for row in block]
    masks = [mask for block in layout.masks() for mask in block]
    parts = [tuple(row[mask].flatten().tolist()) for row, mask in zip(rows, masks, strict=True)]
    assert sorted(parts) == sorted(tuple(part.flatten().tolist()) for part in h.split(sizes))


def test_empty_slots_have_no_part_in_gradients() -> None:
    """Slots 1 and 2 are empty: what is done with them reaches no node."""
    layout = Padding.of(torch.tensor([0, 1, 4]), [torch.arange(2)])
    h = torch.ones(4, requires_grad=True)
    (block,) = layout.pad(h)
    (block.flatten() * torch.tensor([1.0, 20.0, 300.0, 4.0, 5.0, 6.0])).sum().backward()
    assert h.grad is not None and h.grad.tolist() == [1, 4, 5, 6]
    slots = torch.ones(2, 3, 1, requires_grad=True)
    (layout.unpad([slots]) * torch.tensor([[7.0], [8.0], [9.0], [10.0]])).sum().backward()
    assert slots.grad is not None and slots.grad.flatten().tolist() == [7, 0, 0, 8, 9, 10]
    h = torch.randn(4, 2, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda h: layout.unpad(layout.pad(h)).pow(2), h)
