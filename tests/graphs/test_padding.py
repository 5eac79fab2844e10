"""Padding loses nothing, and a bucket wastes no more cells than it may."""

from __future__ import annotations

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from smixup.graphs import Padding, buckets_by_size, buckets_of_pairs, padding, padding_of
from smixup.graphs.ragged import offsets

sizes_of_graphs = st.lists(st.integers(0, 12), min_size=1, max_size=10).filter(any)


def test_two_graphs_by_hand() -> None:
    padding = Padding.of(torch.tensor([0, 1, 4]), [torch.arange(2)])
    assert padding.shapes == ((2, 3),)
    assert padding.mask.tolist() == [True, False, False, True, True, True]
    assert padding.slot.tolist() == [0, 3, 4, 5]
    (block,) = padding.pad(torch.tensor([[1.0], [2.0], [3.0], [4.0]]))
    assert block[padding.masks()[0]].tolist() == [[1.0], [2.0], [3.0], [4.0]]
    assert block[1].tolist() == [[2.0], [3.0], [4.0]]


def test_buckets_by_hand() -> None:
    groups = buckets_by_size(torch.tensor([2, 10, 2, 3]), waste=9)
    assert [group.tolist() for group in groups] == [[1], [3, 0], [2]], (
        "9 - 4 = 5 cells are spared once, not twice"
    )


def test_one_bucket_is_enough_where_much_may_be_wasted() -> None:
    assert len(buckets_by_size(torch.tensor([2, 10, 2, 3]))) == 1
    assert buckets_by_size(torch.zeros(0, dtype=torch.long)) == []


@settings(deadline=None)
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
    for group in groups:
        for sizes in (left[group], right[group]):
            assert int((sizes.max() - sizes).sum()) <= waste


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sizes=sizes_of_graphs, budget=st.sampled_from([1, 40, 2**13]))
def test_unpad_undoes_pad_and_every_block_holds_whole_graphs(
    device: torch.device, sizes: list[int], budget: int
) -> None:
    ptr = offsets(torch.tensor(sizes, device=device))
    padding = padding_of(ptr, waste=budget)
    h = torch.arange(2.0 * sum(sizes), device=device).view(-1, 2)
    blocks = padding.pad(h)
    assert padding.num_nodes == sum(sizes)
    torch.testing.assert_close(padding.unpad(blocks), h)
    rows = [row for block in blocks for row in block]
    masks = [mask for block in padding.masks() for mask in block]
    found = [tuple(row[mask].flatten().tolist()) for row, mask in zip(rows, masks, strict=True)]
    assert sorted(found) == sorted(tuple(part.flatten().tolist()) for part in h.split(sizes))


def test_a_node_may_have_one_number_or_a_whole_tensor() -> None:
    padding = padding_of(torch.tensor([0, 1, 4]))
    for h in (torch.arange(4), torch.rand(4, 2, 5)):
        (block,) = padding.pad(h)
        assert block.shape == (2, 3, *h.shape[1:])
        assert torch.equal(padding.unpad([block]), h)


def test_gradient_of_padding_counts_each_node_once() -> None:
    padding = padding_of(torch.tensor([0, 1, 4]), waste=4)
    h = torch.randn(4, 2, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda h: padding.unpad(padding.pad(h)), h)


def test_empty_slots_have_no_part_in_gradients() -> None:
    """Slots 1 and 2 are empty and show node 0: what is done with them must not reach it."""
    padding = Padding.of(torch.tensor([0, 1, 4]), [torch.arange(2)])
    weight = torch.tensor([1.0, 20.0, 300.0, 4.0, 5.0, 6.0])
    h = torch.ones(4, requires_grad=True)
    (block,) = padding.pad(h)
    (block.flatten() * weight).sum().backward()
    assert h.grad is not None
    assert h.grad.tolist() == [1, 4, 5, 6]
    slots = torch.ones(2, 3, 1, requires_grad=True)
    (padding.unpad([slots]) * torch.tensor([[7.0], [8.0], [9.0], [10.0]])).sum().backward()
    assert slots.grad is not None
    assert slots.grad.flatten().tolist() == [7, 0, 0, 8, 9, 10]


def test_it_moves_with_all_its_parts() -> None:
    moved: Padding = Padding.of(torch.tensor([0, 1, 4]), [torch.arange(2)]).to("meta")
    assert {moved.index.device.type, moved.mask.device.type, moved.slot.device.type} == {"meta"}


def test_no_group_of_pairs_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(padding, "CELLS_AT_ONCE", 200)
    left, right = torch.full((9,), 10), torch.full((9,), 5)
    left[0], right[0] = 30, 40
    groups = buckets_of_pairs(left, right)
    assert [len(group) for group in groups] == [1, 4, 1, 3]
    assert sorted(torch.cat(groups).tolist()) == list(range(9))
