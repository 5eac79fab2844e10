"""A batch is the graphs one asked for, in that order."""

from __future__ import annotations

import torch

from smixup.graphs import GraphSet, concatenate, concatenate_sets


def dense(graphs: GraphSet, i: int) -> torch.Tensor:
    a, b = graphs.ptr[i], graphs.ptr[i + 1]
    return graphs.adj.to_dense()[a:b, a:b]


def test_selection_keeps_order_features_edges_and_targets(graphs: GraphSet) -> None:
    index = [4, 0, 1, 4]
    batch = graphs[index]
    assert len(batch) == 4
    assert batch.ids.tolist() == index
    for place, i in enumerate(index):
        a, b = batch.ptr[place], batch.ptr[place + 1]
        torch.testing.assert_close(batch.x[a:b], graphs.x[graphs.ptr[i] : graphs.ptr[i + 1]])
        torch.testing.assert_close(batch.adj.to_dense()[a:b, a:b], dense(graphs, i))
    whole = torch.block_diag(*[dense(graphs, i) for i in index])
    torch.testing.assert_close(batch.adj.to_dense(), whole, msg="an edge crosses graphs")
    torch.testing.assert_close(batch.y, graphs.y[index])
    assert batch.batch.bincount(minlength=4).tolist() == batch.sizes.tolist()


def test_subset_equals_a_batch_of_the_same_graphs(graphs: GraphSet) -> None:
    part, batch = graphs.subset([6, 2, 3]), graphs[[6, 2, 3]]
    torch.testing.assert_close(part.x, batch.x)
    torch.testing.assert_close(part.adj.to_dense(), batch.adj.to_dense())
    assert part.ptr.tolist() == batch.ptr.tolist()


def test_batches_visit_every_graph_once_and_repeat_with_the_seed(graphs: GraphSet) -> None:
    def order(seed: int) -> list[int]:
        generator = torch.Generator().manual_seed(seed)
        return [i for batch in graphs.batches(3, generator) for i in batch.ids.tolist()]

    assert sorted(order(0)) == list(range(7))
    assert order(0) == order(0)
    assert order(0) != order(1)
    assert [i for batch in graphs.batches(3) for i in batch.ids.tolist()] == list(range(7))


def test_one_hot_features_are_kept_small_and_become_float_in_a_batch(graphs: GraphSet) -> None:
    compact = graphs.replace(x=torch.ones(graphs.x.shape, dtype=torch.uint8))
    assert compact.subset([0, 1]).x.dtype == torch.uint8
    assert compact[[0, 1]].x.dtype == torch.float32


def test_concatenation_of_batches_and_of_sets(graphs: GraphSet) -> None:
    both = concatenate([graphs[[0, 1]], graphs[[4]]])
    expected = graphs[[0, 1, 4]]
    torch.testing.assert_close(both.adj.to_dense(), expected.adj.to_dense())
    torch.testing.assert_close(both.x, expected.x)
    assert both.ptr.tolist() == expected.ptr.tolist()
    assert both.ids.tolist() == [0, 1, 4]
    whole = concatenate_sets([graphs.subset([0, 1]), graphs.subset([4])])
    torch.testing.assert_close(whole.adj.to_dense(), expected.adj.to_dense())
    assert len(whole) == 3


def test_everything_about_the_graphs_is_in_the_fingerprint(graphs: GraphSet) -> None:
    changes = [
        graphs.replace(y=graphs.y.flip(1)),
        graphs.replace(x=graphs.x + 1),
        graphs.replace(adj=graphs.adj.keep(graphs.adj.row < 3)),
        graphs.subset([1, 0, 2, 3, 4, 5, 6]),
    ]
    assert len({each.fingerprint() for each in [graphs, *changes]}) == 5
    assert graphs.fingerprint() == graphs.subset(range(7)).fingerprint()
