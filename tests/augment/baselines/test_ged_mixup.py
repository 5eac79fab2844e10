"""GED-Mixup: whole mixes on edit paths, behind the originals."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from edited_graphs import distance
from torch_geometric.utils import from_networkx

from experiments.mixes import Parents, tagged
from smixup.augment import GEDMixup, edits
from smixup.augment.edits import weighted_graphs
from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.graphs.pyg import from_pyg
from smixup.progress import silent


def trees(number: int = 10, largest: int = 8) -> Graphs:
    """Connected graphs of few nodes."""
    made = [
        nx.random_labeled_tree(3 + place % (largest - 2), seed=place) for place in range(number)
    ]
    data = [from_networkx(each) for each in made]
    for place, each in enumerate(data):
        each.y = torch.tensor([place % 2])
        each.x = torch.eye(2)[torch.arange(each.num_nodes) % 2]
    return from_pyg(data).renumbered()


def test_mixes_stand_behind_originals_at_the_cost_of_their_ratio() -> None:
    graphs = tagged(trees())
    method = GEDMixup(seed=0).fit(graphs, silent)
    found = method.on_batch(graphs)
    assert found[:10].fingerprint() == graphs.fingerprint()
    mixes = found[10:]
    assert 0 < len(mixes) <= 10
    parents = Parents.of(mixes)
    assert parents is not None
    for b in parents.pairs.tolist():
        ends = graphs[[int(parents.left[b])]], graphs[[int(parents.right[b])]]
        half, left, right = (weighted_graphs(each, True)[0] for each in (mixes[[b]], *ends))
        whole, rest = distance(left, right, 0.0), distance(half, right, 0.0)
        assert rest == pytest.approx(float(parents.lam[b]) * whole, abs=0.5)
        assert distance(left, half, 0.0) + rest == pytest.approx(whole)


def test_mixes_are_not_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = trees(30)
    method = GEDMixup(seed=0, amount=2.0).fit(graphs, silent)
    mixes = method.on_batch(graphs)[30:]
    dense = [mixes[[b]].adj.to_dense().numpy() for b in range(len(mixes))]
    assert all(nx.is_connected(nx.from_numpy_array(each)) for each in dense)
    assert 30 < len(mixes) < 60
    monkeypatch.setattr(edits, "TRIES", 1)
    once = GEDMixup(seed=0, amount=2.0).fit(graphs, silent)
    assert len(once.on_batch(graphs)[30:]) < len(mixes)


def test_large_graphs_are_left_out_or_refused_in_a_sentence() -> None:
    graphs = trees(12, largest=8)
    with pytest.warns(UserWarning, match="up to max_nodes=7 nodes; 2 of 12 graphs have more"):
        method = GEDMixup(seed=1, max_nodes=7).fit(graphs, silent)
    mixes = method.on_batch(graphs)[12:]
    assert len(mixes) > 0 and int(graphs.sizes[mixes.ids].max()) <= 7
    with pytest.raises(SmixupError, match="up to max_nodes=2 nodes, and 12 of 12 graphs"):
        GEDMixup(max_nodes=2).fit(graphs, silent)
