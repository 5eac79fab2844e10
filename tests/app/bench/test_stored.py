"""Bytes of stored alignments are counted rightly, for the same pairs either way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from smixup.app.bench import settings as module
from smixup.app.bench.settings import Settings
from smixup.app.bench.stored import MAX_NODES, compare_stored, sample, stored_bytes
from smixup.augment.transport import Paper, Partial
from smixup.datasets import Dataset
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.matching.consensus import OneToOne
from smixup.matching.normalization import Columns

FLOAT, INDEX = 4, 8


@pytest.fixture
def matcher(motif_graphs: Graphs) -> GraphMatcher:
    return GraphMatcher(max_steps=1, num_layers=1, hidden_channels=4).fit(motif_graphs)


def test_one_to_one_stores_edges_of_the_partner_at_most(
    motif_graphs: Graphs, matcher: GraphMatcher
) -> None:
    graphs = motif_graphs.renumbered()
    whole, edges = stored_bytes(graphs, matcher, OneToOne(), Partial())
    nodes = graphs.num_nodes / len(graphs)
    assert whole - edges == pytest.approx(FLOAT * nodes * graphs.num_features)
    entries = int((graphs.adj.to_dense() > 0).sum()) / len(graphs)
    assert 0 < edges <= (FLOAT + INDEX) * entries, "every graph is drawn once as a partner"
    assert stored_bytes(graphs, matcher, OneToOne(), Partial()) == (whole, edges)


def test_columns_store_all_weights_above_the_threshold(
    motif_graphs: Graphs, matcher: GraphMatcher
) -> None:
    """A blurred assignment of a matcher that has learnt nothing fills nearly all of A2'."""
    graphs = motif_graphs.renumbered()
    _, edges = stored_bytes(graphs, matcher, Columns(), Paper())
    _, few = stored_bytes(graphs, matcher, OneToOne(), Partial())
    cells = sum(n * (n - 1) for n in graphs.sizes.tolist()) / len(graphs)
    assert few < edges <= (FLOAT + INDEX) * cells


def test_a_sample_has_no_graph_too_large(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([3, MAX_NODES + 1, 4, 5])
    assert sorted(sample(graphs, 10).sizes.tolist()) == [3, 4, 5]
    assert len(sample(graphs, 2)) == 2
    assert torch.equal(sample(graphs, 2).ids, torch.arange(2))


def test_every_dataset_is_compared(monkeypatch: pytest.MonkeyPatch, motif_graphs: Graphs) -> None:
    def tiny(name: str, root: Path | None) -> Dataset:
        return Dataset(name, motif_graphs)

    monkeypatch.setattr(module, "load_dataset", tiny)
    monkeypatch.setattr("smixup.app.bench.stored.FIT_STEPS", 1)
    found = list(compare_stored(Settings(("NCI1",), 1, None, 6, pytest.fail)))
    assert [each.case for each in found] == [
        "G2', one-to-one : columns",
        "edges of G2', one-to-one : columns",
    ]
    assert all(each.ratio > 1 and each.unit == "pairs/MB" for each in found)
    assert found[1].ratio > found[0].ratio, "features take the same either way"
