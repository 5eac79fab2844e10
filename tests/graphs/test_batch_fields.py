"""What a batch of graphs holds, field by field, in the types that it had before."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.batch_fields import assembled, fields_of, placed, weights_like
from smixup.graphs.pyg import from_pyg_batch, to_pyg


def triangle(**fields: object) -> Data:
    edge_index = torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]])
    return Data(**{"x": torch.eye(3), "edge_index": edge_index, "y": torch.tensor([0])} | fields)


def two_graphs() -> Graphs:
    """An edge 0 -> 1 of weight 0.5, and a single node."""
    edges, weight = torch.tensor([[0], [1]]), torch.tensor([0.5])
    return Graphs(
        x=torch.tensor([[1.0], [2.0], [3.0]]),
        adj=SparseOperator.from_edges(edges, weight, 3),
        y=torch.tensor([[1.0, 0.0], [0.0, 1.0]]),
        ptr=torch.tensor([0, 2, 3]),
        node_attrs={"charge": torch.tensor([7, 8, 9])},
        graph_attrs={"u": torch.tensor([[[4.0]], [[5.0]]])},
    )


def test_every_field_says_what_it_speaks_of() -> None:
    fields, edges = fields_of(two_graphs(), None, averaged=False)
    assert edges.tolist() == [0, 1, 1]
    found = {name: (kind, value.tolist()) for name, (kind, value) in fields.items()}
    assert found == {
        "edge_index": ("edge", [[0], [1]]),
        "edge_weight": ("edge", [0.5]),
        "y": ("graph", [[1.0, 0.0], [0.0, 1.0]]),
        "x": ("node", [[1.0], [2.0], [3.0]]),
        "charge": ("node", [7, 8, 9]),
        "u": ("graph", [[4.0], [5.0]]),
    }


def test_an_assembled_batch_falls_apart_as_one_of_pyg_does() -> None:
    graphs = two_graphs()
    fields, edges = fields_of(graphs, None, averaged=False)
    parts = assembled(Batch(), fields, graphs.ptr, edges).to_data_list()
    again = Batch.from_data_list(parts).to_data_list()
    assert [part.num_nodes for part in parts] == [2, 1]
    assert parts[1].edge_index.shape == (2, 0)
    assert [part.charge.tolist() for part in parts] == [[7, 8], [9]]
    assert [part.u.tolist() for part in parts] == [[[4.0]], [[5.0]]]
    for part, other in zip(parts, again, strict=True):
        assert {name: value.tolist() for name, value in part} == {
            name: value.tolist() for name, value in other
        }


def test_what_follows_another_field_is_made_anew() -> None:
    parts = [triangle(), triangle()]
    batch = Batch.from_data_list(parts, follow_batch=["edge_attr", "x"])
    graphs = placed(from_pyg_batch(batch))
    found = to_pyg(graphs.subgraph(torch.tensor([True] * 3 + [True, False, False])), like=batch)
    assert found.x_batch.tolist() == [0, 0, 0, 1]
    assert found.x_ptr.tolist() == [0, 3, 4]


def test_texts_come_from_the_place_that_a_graph_had_in_the_batch() -> None:
    batch = Batch.from_data_list([triangle(name=name) for name in "abc"])
    graphs = placed(from_pyg_batch(batch))
    assert to_pyg(graphs[[2, 0, 2]], like=batch)["name"] == ["c", "a", "c"]
    assert "place in the batch" not in to_pyg(graphs, like=batch)


def test_weights_have_the_type_that_a_model_computes_in() -> None:
    weight = torch.tensor([0.5, 2.0])
    half = Batch.from_data_list([triangle(x=torch.eye(3).half())])
    codes = Batch.from_data_list([triangle(x=torch.tensor([1, 0, 3]))])
    own = Batch.from_data_list([triangle(edge_weight=torch.ones(6).double())])
    column = Batch.from_data_list([triangle(edge_weight=torch.ones(6, 1))])
    assert weights_like(weight, None) is weight
    assert weights_like(weight, half).dtype == torch.half
    assert weights_like(weight, codes).dtype == torch.float
    assert weights_like(weight, own).dtype == torch.double
    assert weights_like(weight, column).tolist() == [[0.5], [2.0]]


def test_shares_of_indicators_stay_numbers() -> None:
    batch = Batch.from_data_list([triangle(x=torch.tensor([0, 1, 1]))])
    graphs = placed(from_pyg_batch(batch))
    mixed = to_pyg(graphs.replace(x=graphs.x / 2), like=batch)
    assert mixed.x.tolist() == [0.0, 0.5, 0.5]


def test_parallel_edges_with_different_codes_are_refused() -> None:
    edges = torch.tensor([[0, 0, 1, 1], [1, 1, 0, 0]])
    data = triangle(edge_index=edges, edge_attr=torch.tensor([1, 2, 1, 2]))
    batch = Batch.from_data_list([data])
    with pytest.raises(SmixupError, match="parallel edges become one, but theirs differ in 'edge_"):
        to_pyg(from_pyg_batch(batch), like=batch)
    batch.edge_attr = torch.tensor([2, 2, 2, 2])
    assert to_pyg(from_pyg_batch(batch), like=batch).edge_attr.tolist() == [2, 2]
