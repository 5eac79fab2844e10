"""Measures of alignments: perfect and ignorant matchers at the ends."""

from __future__ import annotations

import pytest
import torch
from small_graphs import operator

from experiments.matchers import alignment_quality, edges_kept
from smixup import load_dataset
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Identity, Uniform


def test_edges_kept_by_hand(graphs: Graphs) -> None:
    left = graphs[[0]]
    n, edges = left.num_nodes, left.adj.to_dense()
    assert edges_kept(operator(torch.eye(n)), left, left) == pytest.approx(1)
    turned = operator(torch.eye(n).roll(1, 0))
    expected = torch.minimum(edges, edges.roll((1, 1), (0, 1))).sum() / edges.sum()
    assert edges_kept(turned, left, left) == pytest.approx(float(expected))


def test_quality_of_controls_and_of_a_learned_matcher(graphs: Graphs) -> None:
    motifs = load_dataset("MOTIF", num_graphs=60).graphs
    found, uniform = (alignment_quality(each, motifs, 40) for each in (Identity(), Uniform()))
    assert 0 < uniform["motif kept"] < 0.4  # type: ignore[operator]
    assert found["triplets"] is uniform["triplets"] is None
    matcher = GraphMatcher(max_steps=60, evaluate_every=20, learning_rate=1e-2, hidden_channels=8)
    learned, chance = (alignment_quality(m, graphs, 40) for m in (matcher.fit(graphs), Uniform()))
    assert learned["motif kept"] is None
    assert learned["copy kept"] > 0.8 > chance["copy kept"]  # type: ignore[operator]
    assert 0.5 < learned["triplets"] <= 1  # type: ignore[operator]
