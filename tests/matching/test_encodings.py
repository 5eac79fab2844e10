"""Structural encodings against PyG's."""

from __future__ import annotations

import time
from collections.abc import Callable

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import AddRandomWalkPE
from torch_geometric.utils import barabasi_albert_graph, degree

from smixup.graphs import Graphs
from smixup.graphs.pyg import from_pyg, to_pyg
from smixup.matching.encodings import StructuralEncoding, return_probabilities

GRAPHS = [
    nx.path_graph(5),
    nx.complete_graph(4),
    nx.empty_graph(3),
    nx.barbell_graph(4, 2),
    nx.empty_graph(1),
]


def test_against_pyg(from_networkx: Callable[..., Graphs]) -> None:
    batch = from_networkx(GRAPHS)[range(5)]
    parts = [AddRandomWalkPE(6)(data) for data in to_pyg(batch).to_data_list()]
    theirs = torch.cat([part.random_walk_pe for part in parts])
    degrees = torch.cat([degree(part.edge_index[0], part.num_nodes) for part in parts])
    torch.testing.assert_close(return_probabilities(batch, 6), theirs)
    expected = torch.cat([torch.log1p(degrees).unsqueeze(1), theirs], dim=1)
    torch.testing.assert_close(StructuralEncoding(6)(batch), expected)


def test_weighted_walks_by_hand(graphs: Graphs) -> None:
    batch = graphs[[4, 0, 2]]
    A = batch.adj.to_dense().double()
    P = A / A.sum(1, keepdim=True).clamp(min=1e-30)
    expected = torch.stack(
        [torch.linalg.matrix_power(P, step).diagonal() for step in (1, 2, 3)], dim=1
    )
    torch.testing.assert_close(
        return_probabilities(batch, 3).double(), expected, atol=1e-6, rtol=1e-5
    )


LARGE_GRAPHS = [
    nx.barabasi_albert_graph(200, 3, seed=0),
    nx.path_graph(300),
    nx.disjoint_union(nx.cycle_graph(140), nx.empty_graph(3)),
    nx.complete_graph(130),
]


@pytest.mark.parametrize("steps", [1, 4, 7])
def test_large_graphs_among_small_ones(from_networkx: Callable[..., Graphs], steps: int) -> None:
    """By the definition, in double precision."""
    every = [each for pair in zip(LARGE_GRAPHS, GRAPHS, strict=False) for each in pair]
    batch = from_networkx(every)
    found = return_probabilities(batch, steps)
    for place, graph in enumerate(every):
        A = torch.from_numpy(nx.to_numpy_array(graph))
        P = A / A.sum(1, keepdim=True).clamp(min=1)
        powers = [torch.linalg.matrix_power(P, step + 1).diagonal() for step in range(steps)]
        first, end = batch.ptr[place : place + 2].tolist()
        torch.testing.assert_close(
            found[first:end].double(), torch.stack(powers, dim=1), atol=1e-6, rtol=1e-5
        )


@pytest.mark.parametrize("kind", ["weights", "directions", "negative"])
def test_large_graphs_of_any_kind_by_the_definition(kind: str) -> None:
    random = torch.Generator().manual_seed(0)
    A = (torch.rand(150, 150, generator=random) < 0.04) * torch.rand(150, 150, generator=random)
    A = A if kind == "directions" else (A + A.T) / 2
    A[3] = A[:, 3] = 0
    if kind == "negative":
        A[5, 6] = A[6, 5] = -20.0
    edges = A.T.nonzero().T  # from source to target
    data = Data(edge_index=edges, edge_weight=A.T[edges[0], edges[1]], num_nodes=150)
    batch = from_pyg([data])
    assert batch.adj.to_sparse().symmetric == (kind != "directions")
    d = A.double().sum(1, keepdim=True)
    P = torch.where(d > 0, A.double() / d, 0.0)
    expected = [torch.linalg.matrix_power(P, step).diagonal() for step in range(1, 6)]
    found = return_probabilities(batch, 5).double()
    torch.testing.assert_close(found, torch.stack(expected, dim=1), atol=1e-5, rtol=1e-4)


@pytest.mark.slow
def test_one_graph_of_thousands_of_nodes_takes_no_cube_of_them() -> None:
    """Powers of a matrix of this size would take half a minute."""
    edges = barabasi_albert_graph(5000, 3)
    batch = from_pyg([Data(edge_index=edges, num_nodes=5000)])
    began = time.process_time()
    found = return_probabilities(batch, 8)
    assert time.process_time() - began < 10
    d = batch.adj.row_sums()
    neighbours = batch.adj @ (1 / d).unsqueeze(1)
    torch.testing.assert_close(found[:, 1], neighbours.squeeze(1) / d)


def test_widths(graphs: Graphs) -> None:
    batch = graphs[[0, 1]]
    for encoding in (
        StructuralEncoding(4),
        StructuralEncoding(4, degree=False),
        StructuralEncoding(0),
        StructuralEncoding(0, False),
    ):
        assert encoding(batch).shape == (5, encoding.width)
    assert StructuralEncoding(0, False).width == 0
