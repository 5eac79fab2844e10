"""The numbers of a pair and an alignment."""

from __future__ import annotations

import pytest
import torch

from smixup.app.studies.mixed_pair import MixedPair
from smixup.app.studies.pair_figures import MEASURED_NODES, PairFigures, distance_between
from smixup.graphs import Graphs
from smixup.matching import Identity, Uniform
from smixup.matching.quality import motif_kept


def figures(
    matcher: Identity | Uniform, left: Graphs, right: Graphs, measured: bool = True
) -> PairFigures:
    M = matcher(left, right)
    between = distance_between(left, right) if measured else None
    return PairFigures.of(M, MixedPair.along(M, left, right, 0.6), between)


def test_a_graph_mixed_with_itself_keeps_everything(motif_graphs: Graphs) -> None:
    graph = motif_graphs[[0]]
    found = figures(Identity(), graph, graph)
    assert found.motif_kept == pytest.approx(1)
    assert found.distortion == pytest.approx(0, abs=1e-3)
    assert found.error is None, "G1, G2 and the mix are one graph: nothing to measure"


def test_the_numbers_are_those_of_the_library(motif_graphs: Graphs) -> None:
    labels = motif_graphs.labels.tolist()
    same = next(place for place in range(1, 12) if labels[place] == labels[0])
    left, right = motif_graphs[[0]], motif_graphs[[same]]
    found = figures(Uniform(), left, right)
    assert found.motif_kept == pytest.approx(float(motif_kept(Uniform()(left, right), left, right)))
    assert found.distortion == pytest.approx(1, abs=1e-3)
    assert found.error is not None and found.least is not None and found.most is not None
    assert found.least - 1e-6 <= found.error <= found.most + 1e-6
    assert found.detour is not None and found.detour > 1
    assert figures(Uniform(), left, right, measured=False).error is None


def test_two_classes_have_no_common_motif(motif_graphs: Graphs) -> None:
    other = int((motif_graphs.labels != motif_graphs.labels[0]).nonzero()[0])
    left, right = motif_graphs[[0]], motif_graphs[[other]]
    assert figures(Uniform(), left, right, measured=False).motif_kept is None
    plain = left.replace(node_attrs={}), right.replace(node_attrs={})
    assert figures(Uniform(), *plain, measured=False).motif_kept is None


def test_large_graphs_are_not_measured(make_graphs) -> None:  # type: ignore[no-untyped-def]
    graphs = make_graphs([MEASURED_NODES + 1, 4])
    assert distance_between(graphs[[0]], graphs[[1]]) is None
    assert distance_between(graphs[[1]], graphs[[1]]) is not None
    assert torch.is_tensor(graphs.x)
