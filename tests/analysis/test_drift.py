"""Drift by hand."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import pytest
import torch

from smixup.analysis.drift import density_of, drift, feature_scale, mean_degree
from smixup.analysis.mixes import Mixes
from smixup.analysis.parents import Parents, tagged
from smixup.augment import SMixup
from smixup.graphs import Graphs
from smixup.matching import Identity


def test_degree_and_density(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.path_graph(4), nx.complete_graph(3), nx.empty_graph(1)])
    torch.testing.assert_close(mean_degree(graphs), torch.tensor([1.5, 2.0, 0.0]))
    torch.testing.assert_close(density_of(graphs), torch.tensor([0.5, 1.0, 0.0]))


def test_by_hand(from_networkx: Callable[..., Graphs]) -> None:
    """A path on four nodes and a triangle, degrees 1.5 and 2: at one half 1.75 is promised. The
    first mix is a triangle, the second an edge between two nodes.
    """
    originals = tagged(from_networkx([nx.path_graph(4), nx.complete_graph(3)]))
    made = from_networkx([nx.complete_graph(3), nx.path_graph(2)])
    made = made.replace(x=torch.tensor([[1.0], [1.0], [1.0], [3.0], [3.0]]))
    parents = Parents(torch.tensor([[0.5, 0.5], [0.5, 0.5]]), torch.tensor([0, 1]))
    found = drift(Mixes(originals, made, parents=parents))
    assert found is not None
    assert found.degree == pytest.approx((2 + 1) / 2 / 1.75)
    assert found.degree_error == pytest.approx((2 / 1.75 - 1 + 1 - 1 / 1.75) / 2)
    assert found.density == pytest.approx(1 / 0.75)
    assert found.density_error == pytest.approx(1 / 0.75 - 1)
    assert found.features == pytest.approx((0 + 2) / 2), "all features are 1, so 1 is the scale"
    assert found.mixes == 2


def test_features_in_standard_deviations(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx([nx.path_graph(2), nx.path_graph(2)], width=2)
    x = torch.tensor([[0.0, 5.0], [2.0, 5.0], [0.0, 5.0], [2.0, 9.0]])
    graphs = graphs.replace(x=x)
    assert float(feature_scale(graphs)) == pytest.approx((1 + 3) ** 0.5)
    nothing = graphs.replace(x=torch.zeros(4, 2))
    assert float(feature_scale(nothing)) == 1


def test_one_to_one_alignments_of_one_size_do_not_drift(
    make_graphs: Callable[..., Graphs],
) -> None:
    originals = tagged(make_graphs([5] * 9))
    made = SMixup(Identity(), amount=None, alpha=1.0, partners=None, seed=0).on_batch(originals)
    found = drift(Mixes(originals, made, parents=Parents.of(made)))
    assert found is not None
    assert (found.degree, found.density) == pytest.approx((1, 1), rel=1e-3)
    assert (found.degree_error, found.features) == pytest.approx((0, 0), abs=1e-3)


def test_unknown_parents(graphs: Graphs) -> None:
    assert drift(Mixes(graphs, graphs)) is None
    assert drift(Mixes(graphs)) is None
