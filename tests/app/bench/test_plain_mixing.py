"""Mixing in blocks equals mixing pair by pair."""

from __future__ import annotations

from dataclasses import replace

import torch

from smixup.app.bench.plain_mixing import dense_graphs, mix_pairs
from smixup.augment.mixing import interpolate, transform
from smixup.graphs import Graphs
from smixup.matching import RandomOrder, Uniform


def test_blocks_equal_pair_by_pair(graphs: Graphs) -> None:
    left, right, lam = graphs[[0, 1, 2, 3, 4]], graphs[[4, 6, 1, 5, 2]], torch.linspace(0.5, 1.0, 5)
    for matcher in (Uniform(), RandomOrder()):
        M = matcher(left, right)
        mixed = interpolate(left, transform(M, left, right), lam)
        dense = M.to_dense()
        parts = [
            rows.split(right.sizes.tolist(), 1)[i]
            for i, rows in enumerate(dense.split(left.sizes.tolist()))
        ]
        expected = mix_pairs(left, right, parts, lam)
        torch.testing.assert_close(mixed.x, torch.cat([graph.x for graph in expected]))
        torch.testing.assert_close(
            mixed.adj.to_dense(), torch.block_diag(*[graph.A for graph in expected])
        )
        torch.testing.assert_close(mixed.y, torch.stack([graph.y for graph in expected]))


def test_graphs_come_out_as_they_went_in(graphs: Graphs) -> None:
    batch = graphs[[4, 1, 0]]
    found = list(dense_graphs(batch))
    torch.testing.assert_close(
        torch.block_diag(*[graph.A for graph in found]), batch.adj.to_dense()
    )
    torch.testing.assert_close(torch.cat([graph.x for graph in found]), batch.x)


def test_features_of_bytes_mix_as_their_numbers(graphs: Graphs) -> None:
    left, right = graphs[[0, 4]], graphs[[4, 6]]
    left, right = (replace(each, x=each.x.round().abs().to(torch.uint8)) for each in (left, right))
    M = [torch.rand(int(n), int(m)) for n, m in zip(left.sizes, right.sizes, strict=True)]
    first = mix_pairs(left, right, M, torch.full((2,), 0.5))[0]
    ours, theirs = left.x[: left.sizes[0]].float(), right.x[: right.sizes[0]].float()
    torch.testing.assert_close(first.x, 0.5 * ours + 0.5 * M[0] @ theirs)
