"""The pair of the overview is a clear one, of two classes, and none of it was learnt from."""

from __future__ import annotations

from pathlib import Path

import pytest

from smixup.app.runs.opened import open_dataset
from smixup.app.studies.overview import best_carried, overview
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Identity


def test_the_pair_that_loses_least_is_taken_among_two_classes(motif_graphs: Graphs) -> None:
    labels, sizes = motif_graphs.labels, motif_graphs.sizes
    pairs = [(a, b) for a in range(12) for b in range(12) if a != b]
    left, right = best_carried(pairs, motif_graphs, Identity())
    assert labels[left] != labels[right]
    assert sizes[left] >= sizes[right], "every node of G2 has a node of its own"
    assert best_carried([(0, 0)], motif_graphs, Identity()) == (0, 0)


def test_a_given_pair_is_mixed_at_the_given_ratio() -> None:
    pair, names = overview(matcher="identity", pair=(3, 5), lam=0.7, options={"num_graphs": 30})
    assert (int(pair.left.ids), int(pair.right.ids), pair.lam) == (3, 5, 0.7)
    assert names == ("cycle", "house", "crane")


@pytest.mark.parametrize("seed", [None, 0, 1])
def test_a_saved_matcher_brings_its_split(tmp_path: Path, seed: int | None) -> None:
    """At another seed, the graphs that it was fitted on would be among the test graphs."""
    options = {"num_graphs": 30}
    opened = open_dataset("MOTIF", 5, options=options)
    small = GraphMatcher(max_steps=1, num_layers=1, hidden_channels=4, seed=5)
    small.fit(opened.train).save(tmp_path / "kept")
    pair, _ = overview(matcher=str(tmp_path / "kept"), seed=seed, options=options)
    assert {int(pair.left.ids), int(pair.right.ids)} <= set(opened.split.test.tolist())


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no graph 99"):
        overview(matcher="identity", pair=(0, 99), options={"num_graphs": 30})
    with pytest.raises(UsageError, match="unknown matcher"):
        overview(matcher=str(tmp_path / "none"))
