"""Structural encodings against PyG's."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import torch
from torch_geometric.transforms import AddRandomWalkPE
from torch_geometric.utils import degree

from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
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
