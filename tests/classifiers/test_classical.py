"""Numbers of graphs, forests and support vector machines, against networkx and scikit-learn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.svm import SVC
from torch import nn

from smixup.classical import WLSVM, Forest, GraphNumbers
from smixup.classical.forest import TREES
from smixup.classical.kernel import PENALTY, ROUNDS
from smixup.graphs import Graphs, SparseOperator
from smixup.tasks import Classes, Labels, Task, Values

MakeGraphs = Callable[..., Graphs]


@pytest.fixture
def graphs(make_graphs: MakeGraphs) -> Graphs:
    made = make_graphs([5, 8, 1, 6, 7, 9, 4, 10] * 5, num_classes=3)
    x = made.x.clone()
    x[:, 0] = (x[:, 0] > 0).float()
    return made.replace(x=x)


def as_networkx(graph: Graphs) -> nx.Graph:
    return nx.from_numpy_array(graph.adj.to_dense().numpy())


def test_numbers_are_those_of_networkx(graphs: Graphs) -> None:
    numbers = GraphNumbers(3).learn(graphs)
    rows, names = numbers(graphs), numbers.names
    assert rows.shape == (len(graphs), len(names)) and len(set(names)) == len(names)
    for place in range(9):
        graph, row = graphs[[place]], dict(zip(names, rows[place].tolist(), strict=True))
        peer = as_networkx(graph)
        degrees, x = [degree for _, degree in peer.degree], graph.x.numpy()
        weights = [w for *_, w in peer.edges.data("weight")] or [0.0]
        expected = {
            "nodes": len(peer),
            "edges": peer.number_of_edges(),
            "density": nx.density(peer),
            "triangles": sum(nx.triangles(peer).values()) / 3,
            "mean degree": np.mean(degrees),
            "deviation of degrees": np.std(degrees),
            "degree at 50 %": np.quantile(degrees, 0.5, method="nearest"),
            "degree at 100 %": max(degrees),
            "mean weight": np.mean(weights),
            "node feature 0": x[:, 0].sum(),
            "mean node feature 1": x[:, 1].mean(),
            "least node feature 2": x[:, 2].min(),
        }
        for name, value in expected.items():
            assert row[name] == pytest.approx(value, abs=1e-5), name


def neighbourhoods(graph: Graphs, rounds: int) -> Counter[Any]:
    """Labels of a node and of those around it, the slow way."""
    peer = as_networkx(graph)
    labels: dict[int, Any] = {node: float(graph.x[node, 0]) for node in peer}
    counts = Counter[Any](labels.values())
    for _ in range(rounds):
        labels = {
            node: (labels[node], tuple(sorted((labels[other] for other in peer[node]), key=repr)))
            for node in peer
        }
        counts.update(labels.values())
    return counts


def kernel(left: Graphs, right: Graphs) -> Any:
    left_counts, right_counts = (
        [neighbourhoods(each[[place]], ROUNDS) for place in range(len(each))]
        for each in (left, right)
    )
    return [
        [sum(math.log1p(a[label]) * math.log1p(b[label]) for label in a) for b in right_counts]
        for a in left_counts
    ]


def test_the_machine_is_that_of_the_kernel(graphs: Graphs) -> None:
    two = graphs.replace(y=graphs.y[:, :2] + graphs.y[:, 2:] * torch.tensor([[0.0, 1.0]]))
    train, test = two[range(24)], two[range(24, 40)]
    machine = WLSVM(3, 2).learn(train, Classes.numbered(2))
    peer = SVC(kernel="precomputed", C=PENALTY).fit(kernel(train, train), train.labels)
    planes = peer.decision_function(kernel(test, train))
    outputs = machine(test)
    assert (outputs[:, 1] - outputs[:, 0]).numpy() / 2 == pytest.approx(planes, abs=2e-3)
    three = WLSVM(3, 3).learn(graphs, Classes.numbered(3))
    peer = SVC(kernel="precomputed", C=PENALTY).fit(kernel(graphs, graphs), graphs.labels)
    agree = three(graphs).argmax(1).numpy() == peer.predict(kernel(graphs, graphs))
    assert agree.mean() > 0.9, "but for ties"


TASKS: list[tuple[Task, Any]] = [
    (Classes.numbered(3), lambda graphs: graphs.y),
    (Labels(("a", "b")), lambda graphs: with_gaps((graphs.y[:, :2] > 0).float())),
    (Values(("a", "b")), lambda graphs: with_gaps(graphs.sizes[:, None] * torch.tensor([1.0, 9]))),
]


def with_gaps(y: torch.Tensor) -> torch.Tensor:
    y[::4, 1] = math.nan
    return y


@pytest.mark.parametrize(("task", "targets"), TASKS)
def test_a_forest_is_that_of_scikit_learn(graphs: Graphs, task: Task, targets: Any) -> None:
    train = graphs.replace(y=targets(graphs), has_classes=isinstance(task, Classes))
    task = task.fitted(train.y)
    forest = Forest(3, train.num_classes).learn(train, task, seed=3)
    X = forest.numbers(train).numpy()
    predicted = task.predicted(forest(train))
    if isinstance(task, Classes):
        peer = RandomForestClassifier(TREES, random_state=3).fit(X, train.labels)
        smooth = (TREES * peer.predict_proba(X) + 1 / 3) / (TREES + 1)
        assert predicted.numpy() == pytest.approx(smooth, abs=1e-5)
        return
    for column in range(2):
        y = train.y[:, column].numpy()
        known = ~np.isnan(y)
        if isinstance(task, Labels):
            peer = RandomForestClassifier(TREES, random_state=3).fit(X[known], y[known])
            expected = (TREES * peer.predict_proba(X)[:, 1] + 0.5) / (TREES + 1)
        else:
            assert isinstance(task, Values)
            mean, deviation = task.mean[column], task.deviation[column]
            peer = RandomForestRegressor(TREES, max_features=1 / 3, random_state=3)
            peer.fit(X[known], (y[known].astype(float) - mean) / deviation)
            expected = peer.predict(X) * deviation + mean
        assert predicted[:, column].numpy() == pytest.approx(expected, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("kind", [Forest, WLSVM])
@pytest.mark.parametrize(("task", "targets"), TASKS)
def test_what_was_learnt_is_tensors_alone(
    kind: Callable[..., Any], graphs: Graphs, task: Task, targets: Any
) -> None:
    train = graphs.replace(y=targets(graphs), has_classes=isinstance(task, Classes))
    model: nn.Module = kind(3, train.num_classes).learn(train, task.fitted(train.y), 0)
    with torch.device("meta"):
        empty = kind(3, train.num_classes)
    empty.load_state_dict(model.state_dict(), assign=True)
    assert torch.equal(empty(train), model(train)) and bool(model(train).isfinite().all())
    order = torch.cat([torch.arange(a, b).flip(0) for a, b in train.ptr.unfold(0, 2, 1).tolist()])
    other = train.replace(x=train.x[order], adj=train.adj.scatter(order.argsort(), len(order)))
    torch.testing.assert_close(model(other), model(train), atol=1e-4, rtol=1e-4)


def test_matrices_on_the_same_nodes_are_told_apart_by_their_pairs() -> None:
    y = torch.arange(60) % 2
    dense = torch.rand(60, 6, 6, generator=torch.Generator().manual_seed(0)) - 0.5
    dense[y == 1, 1, 4] += 1.5
    dense = dense.triu(1) + dense.triu(1).transpose(1, 2)
    at = dense.nonzero(as_tuple=True)
    adj = SparseOperator.from_entries(6 * at[0] + at[1], 6 * at[0] + at[2], dense[at], (360, 360))
    graphs = Graphs(torch.ones(360, 1), adj, torch.eye(2)[y], torch.arange(0, 361, 6))
    forest = Forest(1, 2).learn(graphs[:40], Classes.numbered(2))
    assert "nodes 1 and 4" in forest.numbers.names
    assert float((forest(graphs[40:]).argmax(1) == y[40:]).float().mean()) >= 0.9
    pair, ptr = adj.subgraph(torch.arange(360) < 2), torch.tensor([0, 2])
    smaller = Graphs(torch.ones(2, 1), pair, torch.eye(2)[:1], ptr)
    beside = forest(Graphs.cat([smaller, graphs[40:]]))[1:]
    assert torch.equal(beside, forest(graphs[40:])), "whatever stands beside them"
