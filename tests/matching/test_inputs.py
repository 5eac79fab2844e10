"""What the network is given: features on one scale, and what walks tell of a node's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.transforms import AddRandomWalkPE
from torch_geometric.utils import degree

from smixup.graphs import Graphs
from smixup.graphs.pyg import from_pyg, to_pyg
from smixup.matching.inputs import NodeInput, return_probabilities

close = torch.testing.assert_close
SMALL = [nx.path_graph(5), nx.complete_graph(4), nx.empty_graph(3), nx.barbell_graph(4, 2)]


def powers(A: Tensor, steps: int) -> Tensor:
    """Return probabilities by the definition, in double precision."""
    d = A.double().sum(1, keepdim=True)
    P = torch.where(d > 0, A.double() / d, 0.0)
    return torch.stack([torch.linalg.matrix_power(P, k + 1).diagonal() for k in range(steps)], 1)


def test_encodings_are_those_of_pyg(from_networkx: Callable[..., Graphs]) -> None:
    batch = from_networkx([*SMALL, nx.empty_graph(1)])
    parts = [AddRandomWalkPE(6)(data) for data in to_pyg(batch).to_data_list()]
    theirs = torch.cat([part.random_walk_pe for part in parts])
    degrees = torch.cat([degree(part.edge_index[0], part.num_nodes) for part in parts])
    close(return_probabilities(batch, 6), theirs)
    both = torch.cat([torch.log1p(degrees).unsqueeze(1), theirs], 1)
    close(NodeInput(0, 6).encoded(batch), both)
    for steps, degrees_too in ((6, False), (0, True), (0, False)):
        expected = both[:, int(not degrees_too) : 1 + steps]
        close(NodeInput(0, steps, degrees_too).encoded(batch), expected)


@pytest.mark.parametrize("n", [9, 150])
@pytest.mark.parametrize("kind", ["weights", "directions", "negative"])
def test_graphs_of_any_kind_by_the_definition(kind: str, n: int) -> None:
    random = torch.Generator().manual_seed(0)
    A = (torch.rand(n, n, generator=random) < 6 / n) * torch.rand(n, n, generator=random)
    A = A if kind == "directions" else (A + A.T) / 2
    A[3] = A[:, 3] = 0
    if kind == "negative":
        A[5, 6] = A[6, 5] = -20.0
    edges = A.T.nonzero().T  # from source to target
    batch = from_pyg([Data(edge_index=edges, edge_weight=A.T[edges[0], edges[1]], num_nodes=n)])
    assert batch.adj.symmetric == (kind != "directions")
    close(return_probabilities(batch, 5).double(), powers(A, 5), atol=1e-5, rtol=1e-4)


def test_continuous_columns_are_standardised_and_indicators_stay(graphs: Graphs) -> None:
    x = graphs.x.clone()
    x[:, 0] = x[:, 0] * 50 + 1000
    x[:, 1] = (x[:, 1] > 0).float()
    batch = graphs.replace(x=x)
    inputs, other = NodeInput(3, 4), NodeInput(3, 4)
    inputs.fit(batch)
    seen = inputs(batch).x
    assert seen.shape == (30, inputs.width) == (30, 3 + 5 + 1)
    assert torch.equal(seen[:, 1], x[:, 1]) and torch.equal(seen[:, -1], torch.ones(30))
    for column in (0, 2, 3):
        close(seen[:, column].mean(), torch.tensor(0.0), atol=1e-4, rtol=0)
        close(seen[:, column].std(unbiased=False), torch.tensor(1.0))
    other.load_state_dict(inputs.state_dict())
    assert torch.equal(other(batch).x, seen), "statistics are part of the state"
    constant = graphs.replace(x=torch.full((30, 3), 7.0))
    plain = NodeInput(3, 0, degree=False)
    plain.fit(constant)
    assert torch.equal(plain(constant).x[:, :3], torch.zeros(30, 3))
    bare, nothing = graphs.replace(x=graphs.x[:, :0]), NodeInput(0, 0, False)
    nothing.fit(bare)
    assert torch.equal(nothing(bare).x, torch.ones(30, 1))


def test_negative_weights_count_by_their_size(graphs: Graphs) -> None:
    adj = graphs.adj
    sign = torch.where((adj.row + adj.column) % 2 == 0, -1.0, 1.0)
    signed = graphs.replace(adj=replace(adj, weight=sign * adj.weight))
    inputs = NodeInput(3, 4, degree=True)
    inputs.fit(signed)
    seen, usual = inputs.prepare(signed), inputs.prepare(graphs)
    close(inputs(seen).x, inputs(usual).x)
    close(seen.adj.to_dense(), graphs.adj.to_dense())
