"""Lists of graphs and their targets, as estimators are handed them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from smixup.errors import SmixupError, UsageError
from smixup.models.estimator_data import EstimatorError, TrainingGraphs, listed, training_data
from smixup.tasks import Values


def ring(n: int, y: Any = None) -> Data:
    edges = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    return Data(x=torch.full((n, 1), float(n)), edge_index=edges, y=y)


RINGS = [ring(3), ring(4), ring(5)]


def test_graphs_come_in_their_order_and_targets_in_their_shape() -> None:
    given, y = training_data(RINGS, ["a", "b", "a"])
    assert given.graphs.sizes.tolist() == [3, 4, 5]
    assert y.tolist() == ["a", "b", "a"]
    assert training_data(RINGS, [[1.0], [2.0], [3.0]])[1].tolist() == [1.0, 2.0, 3.0]
    assert training_data(RINGS, np.ones((3, 2)))[1].shape == (3, 2)


def test_graphs_may_bring_their_own_targets() -> None:
    own = [ring(3, torch.tensor([2])), ring(4, torch.tensor([0]))]
    assert training_data(own, None)[1].tolist() == [2, 0]
    assert training_data(own, [7, 8])[1].tolist() == [7, 8], "what is given counts"
    rows = [ring(n, torch.tensor([[float(n), 0.5]])) for n in (3, 4)]
    assert training_data(rows, None)[1].tolist() == [[3.0, 0.5], [4.0, 0.5]]


def test_networkx_graphs_are_read_alike_later() -> None:
    graphs = [nx.path_graph(3), nx.path_graph(2)]
    for graph in graphs:
        nx.set_node_attributes(graph, dict.fromkeys(graph, "red"), "colour")
    given = TrainingGraphs.of(graphs)
    assert given.graphs.sizes.tolist() == [3, 2]
    assert given.vocabulary == {"nodes": {"colour": ["red"]}, "edges": {}}
    task = Values(("target",))
    reading = given.reading(task)
    assert reading is not None
    assert reading.reader == "graphml", "by which networkx graphs are read, in memory, too"
    assert reading.vocabulary == {**given.vocabulary, "task": task.to_dict()}
    assert TrainingGraphs.of(RINGS).reading(task) is None, "graphs of PyG need no words"


def test_what_is_noticed_in_networkx_graphs_is_a_warning() -> None:
    double = nx.MultiGraph([(0, 1), (0, 1)])
    with pytest.warns(UserWarning, match="2 edges stand beside another between the same nodes"):
        TrainingGraphs.of([double, double])


def test_any_collection_is_a_list() -> None:
    assert listed(iter(RINGS)) == RINGS
    assert listed((1, 2)) == [1, 2]


@pytest.mark.parametrize(
    ("X", "y", "told"),
    [
        ("MUTAG", [0, 1], "X must be a list of graphs, not a str"),
        (3, [0, 1], "X must be a list of graphs, not a int"),
        (RINGS, [0, 1], "there are 3 graphs in X, and 2 targets in y"),
        (RINGS, 1.5, "there are 3 graphs in X, and one targets in y"),
        (RINGS, None, "requires y to be passed, but the target y is None, and graph 0 has no y of"),
        (RINGS[:1], [0], "1 sample is too few: training needs two graphs at least"),
    ],
)
def test_what_is_wrong_is_a_value_error_with_a_sentence(X: Any, y: Any, told: str) -> None:
    with pytest.raises(EstimatorError, match=told) as caught:
        training_data(X, y)
    assert isinstance(caught.value, ValueError), "as scikit-learn expects"
    assert isinstance(caught.value, UsageError)


def test_elements_that_are_no_graphs_are_told() -> None:
    with pytest.raises(SmixupError, match="element 0 is a int"):
        training_data([1, 2], [0, 1])
