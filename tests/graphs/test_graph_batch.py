"""Batches are joined without a graph noticing."""

from __future__ import annotations

import torch

from smixup.graphs import BlockOperator, GraphBatch, GraphSet, concatenate, padding_of


def test_sizes_and_graph_of_every_node(graphs: GraphSet) -> None:
    batch = graphs[[0, 1, 6]]
    assert len(batch) == 3
    assert batch.num_nodes == 7
    assert batch.sizes.tolist() == [4, 1, 2]
    assert batch.batch.tolist() == [0, 0, 0, 0, 1, 2, 2]


def test_a_changed_copy_leaves_the_original_alone(graphs: GraphSet) -> None:
    batch = graphs[[0, 1]]
    before = batch.batch.tolist()
    other = batch.replace(ptr=torch.tensor([0, 1, 5]))
    assert other.batch.tolist() == [0, 1, 1, 1, 1]
    assert batch.batch.tolist() == before


def test_joining_batches_of_different_make(graphs: GraphSet) -> None:
    first, second = graphs[[4, 1]], graphs[[0, 2, 3]]
    padding = padding_of(second.ptr, waste=20)
    dense = second.replace(adj=BlockOperator.from_sparse(second.adj.to_sparse(), padding, padding))
    joined, expected = concatenate([first, dense]), graphs[[4, 1, 0, 2, 3]]
    torch.testing.assert_close(joined.adj.to_dense(), expected.adj.to_dense())
    torch.testing.assert_close(joined.adj @ joined.x, expected.adj @ expected.x)
    torch.testing.assert_close(joined.x, expected.x)
    torch.testing.assert_close(joined.y, expected.y)
    assert joined.ptr.tolist() == expected.ptr.tolist()
    assert joined.ids.tolist() == expected.ids.tolist()


def test_one_batch_joined_with_nothing_is_itself(graphs: GraphSet) -> None:
    batch = graphs[[2, 5]]
    alone = concatenate([batch])
    assert alone.ptr.tolist() == batch.ptr.tolist()
    torch.testing.assert_close(alone.adj.to_dense(), batch.adj.to_dense())


def test_the_motif_survives_only_if_every_part_has_one(graphs: GraphSet) -> None:
    marked = graphs.replace(motif=torch.arange(graphs.x.size(0)) % 2 == 0)
    both = concatenate([marked[[0]], marked[[1]]]).motif
    assert both is not None
    assert both.tolist() == [True, False, True, False, True]
    assert concatenate([marked[[0]], graphs[[1]]]).motif is None


def test_it_moves_with_all_its_parts(graphs: GraphSet) -> None:
    marked = graphs.replace(motif=torch.ones(graphs.x.size(0), dtype=torch.bool))
    moved: GraphBatch = marked[[0, 1]].to("meta")
    tensors = (moved.x, moved.y, moved.ptr, moved.ids, moved.motif)
    assert {tensor.device.type for tensor in tensors if tensor is not None} == {"meta"}
    assert moved.adj.device.type == "meta"


def test_graphs_can_be_taken_in_any_order_or_in_a_row(graphs: GraphSet) -> None:
    batch = graphs[[4, 0, 1, 6, 2]]
    for part, index in (
        (batch.take(torch.tensor([3, 0, 0])), [6, 4, 4]),
        (batch.window(1, 3), [0, 1, 6]),
    ):
        expected = graphs[index]
        torch.testing.assert_close(part.x, expected.x)
        torch.testing.assert_close(part.adj.to_dense(), expected.adj.to_dense())
        assert part.ptr.tolist() == expected.ptr.tolist()
        assert part.ids.tolist() == index
        torch.testing.assert_close(part.y, expected.y)


def test_some_nodes_of_every_graph(graphs: GraphSet) -> None:
    chosen = torch.arange(30) % 2 == 1
    batch = graphs.replace(motif=torch.arange(30) < 5)[range(7)]
    part = batch.induced(chosen)
    assert part.sizes.tolist() == [2, 0, 3, 2, 4, 3, 1]
    assert torch.equal(part.x, batch.x[chosen])
    assert torch.equal(part.adj.to_dense(), batch.adj.to_dense()[chosen][:, chosen])
    assert part.motif is not None
    assert int(part.motif.sum()) == 2
