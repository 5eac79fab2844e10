"""Matching in padded blocks is the same mathematics as the plain way."""

from __future__ import annotations

import pytest
import torch
from oracles import distances, one_to_one, representations

from smixup.datasets.motif import motif_dataset
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, SiameseMatcher
from smixup.matching.learned import EMBEDDING, LearnedMatcher
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import Pairs


def test_representations_distances_and_gradients(graphs: Graphs) -> None:
    torch.manual_seed(0)
    network = MatchingNetwork(3, hidden_channels=16, num_layers=3)
    left, right = graphs[[0, 1, 2, 3, 4]], graphs[[4, 6, 1, 5, 2]]
    pairs = Pairs.of(left, right)
    plain = torch.cat(representations(network, left, right))
    torch.testing.assert_close(network(pairs), plain, rtol=1e-5, atol=1e-5)
    ours, theirs = network.distances(pairs), distances(network, left, right)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    gradients = (torch.autograd.grad(d.sum(), network.layers.parameters()) for d in (ours, theirs))
    for mine, other in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("kind", [GraphMatcher, SiameseMatcher])
@pytest.mark.parametrize("way", ["one-to-one", "one-to-one(rounds=3, noise=0.2, bin=-2, steps=4)"])
def test_one_to_one_matches(kind: type[LearnedMatcher], way: str) -> None:
    graphs = motif_dataset(num_graphs=40).graphs
    matcher = kind(max_steps=3, normalization=way).fit(graphs)
    prepared = matcher.prepare(graphs)
    left, right = torch.randint(40, (2, 24), generator=torch.Generator().manual_seed(0))
    plain = []
    for i, j in zip(left.tolist(), right.tolist(), strict=True):
        one, other = prepared[[i]], prepared[[j]]
        network, inputs = matcher.ready_for(one)
        with torch.no_grad():
            if kind is SiameseMatcher:
                h1, h2 = one.node_attrs[EMBEDDING], other.node_attrs[EMBEDDING]
            else:
                h1, h2 = representations(network, inputs(one), inputs(other))
            S = network.scores(h1[None], h2[None])[0]
        plain.append(one_to_one(S, one.adj.to_dense(), other.adj.to_dense(), matcher.normalize))
    found = matcher.assign(prepared, left, right).to_dense()
    assert torch.equal(found, torch.block_diag(*plain))
