"""A replay becomes the pair that pictures show."""

from __future__ import annotations

import torch
from torch_geometric.data import Batch, Data

from smixup import Identity, SMixup, silent
from smixup.app.studies.replayed_pair import names_of, replayed_pair


def path(n: int) -> Data:
    """A path along which edges lead in one direction, and half of them against the numbers."""
    ends = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    ends[:, ::2] = ends[:, ::2].flip(0)
    return Data(x=torch.ones(n, 1), edge_index=ends, y=torch.tensor([n % 2]))


def test_the_pair_is_that_of_the_mix_and_its_edges_are_drawn_in_both_directions() -> None:
    data = [path(4), path(6), path(5)]
    mix = SMixup(Identity(partial=True), seed=0).fit(data, silent)
    mix(Batch.from_data_list([data[1], data[0]]))
    how = mix.replay(0)
    pair = replayed_pair(how)
    assert pair.left.num_nodes == 6
    assert pair.right.num_nodes == data[how.second].num_nodes
    assert pair.lam == how.ratio
    assert torch.equal(pair.assignment, how.alignment)
    for graph, own in ((pair.left, how.left), (pair.mixed, how.mixed), (pair.aligned, how.aligned)):
        adj, before = graph.adj.to_dense(), own.adj.to_dense()
        assert torch.equal(adj, adj.T)
        assert torch.equal(adj, torch.maximum(before, before.T)), "no weight is halved"
    assert pair.left.adj.to_dense().sum() == 10
    assert names_of(how) == ("G1, training graph 1", f"G2, training graph {how.second}")
    mix(Batch.from_data_list([path(7), path(7)]))
    assert names_of(mix.replay(1))[0] == "G1, batch graph 1"
