"""The motif is in the graph, is the label, and says nothing of the base."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from smixup.datasets.motif import CLASSES, motif_dataset
from smixup.errors import UsageError
from smixup.graphs import Graphs

EXPECTED = [nx.cycle_graph(5), nx.house_graph(), nx.complete_bipartite_graph(2, 3)]


def graph(graphs: Graphs, i: int) -> tuple[nx.Graph, set[int]]:
    batch = graphs[[i]]
    edge_index, weight = batch.adj.to_sparse().edges()
    assert (weight == 1).all()
    out = nx.Graph()
    out.add_nodes_from(range(batch.num_nodes))
    out.add_edges_from(edge_index.T.tolist())
    assert batch.motif is not None
    return out, set(batch.motif.nonzero().squeeze(1).tolist())


def base_of(base: nx.Graph) -> str:
    n = base.number_of_nodes()
    if n == 1 or nx.is_tree(base):
        sizes = {1, 3, 4, 7, 13}
        assert n in sizes
        return "tree"
    if n % 2 == 0 and nx.is_isomorphic(base, nx.ladder_graph(n // 2)):
        assert 16 <= n <= 22
        return "ladder"
    assert nx.is_isomorphic(base, nx.wheel_graph(n))
    assert 15 <= n <= 19
    return "wheel"


def test_every_graph_is_a_base_and_its_motif_joined_by_one_edge() -> None:
    graphs = motif_dataset(num_graphs=90, seed=3).graphs
    for i in range(len(graphs)):
        whole, motif = graph(graphs, i)
        base = set(whole) - motif
        assert nx.is_isomorphic(whole.subgraph(motif), EXPECTED[int(graphs.labels[i])])
        assert len(list(nx.edge_boundary(whole, motif, base))) == 1
        base_of(whole.subgraph(base))


@pytest.mark.slow
def test_base_and_motif_are_independent_and_the_joining_edge_is_random() -> None:
    graphs = motif_dataset(num_graphs=900).graphs
    table = {(base, label): 0 for base in ("tree", "ladder", "wheel") for label in range(3)}
    doors: set[int] = set()
    for i in range(len(graphs)):
        whole, motif = graph(graphs, i)
        table[base_of(whole.subgraph(set(whole) - motif)), int(graphs.labels[i])] += 1
        (edge,) = nx.edge_boundary(whole, motif)
        doors.add(edge[0] - min(motif))
    statistic = sum((count - 100) ** 2 / 100 for count in table.values())
    assert statistic < 26.1, f"chi-squared beyond its 0.999 quantile: {table}"
    assert doors == {0, 1, 2, 3, 4}


def test_classes_are_balanced_and_shuffled() -> None:
    labels = motif_dataset(num_graphs=300).graphs.labels
    assert labels.bincount().tolist() == [100, 100, 100]
    assert labels[:30].tolist() != [i % 3 for i in range(30)]


def test_same_seed_same_graphs() -> None:
    first, again, other = (motif_dataset(num_graphs=60, seed=seed).graphs for seed in (1, 1, 2))
    assert torch.equal(first.adj.column, again.adj.column)
    assert torch.equal(first.y, again.y)
    assert first.adj.column.tolist() != other.adj.column.tolist()


def test_label_noise_changes_labels_alone() -> None:
    clean, noisy = (
        motif_dataset(num_graphs=3000, label_noise=noise).graphs for noise in (0.0, 0.3)
    )
    assert torch.equal(clean.adj.column, noisy.adj.column)
    changed = (clean.labels != noisy.labels).float().mean().item()
    assert abs(changed - 0.3 * 2 / 3) < 0.03, "a redrawn label keeps its class once in three"


def test_features_are_ones_or_left_to_degrees() -> None:
    constant, degree = (
        motif_dataset(num_graphs=9, features=each).graphs for each in ("constant", "degree")
    )
    assert constant.num_features == 1
    assert (constant[[0, 1]].x == 1).all()
    assert degree.num_features == 0
    assert degree.x.size(0) == constant.x.size(0)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(0, 10**6), st.floats(0, 1))
def test_any_size_keeps_the_contract(num_graphs: int, seed: int, label_noise: float) -> None:
    graphs = motif_dataset(num_graphs, label_noise, seed=seed).graphs
    assert len(graphs) == num_graphs
    assert graphs.num_classes == len(CLASSES)
    assert graphs.adj.symmetric
    assert (graphs.adj.weight == 1).all()
    assert graphs.motif is not None
    assert graphs.motif.sum() == 5 * num_graphs
    assert (graphs.y.sum(1) == 1).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_graphs": 0}, "num_graphs must be 1 or more, not 0"),
        ({"label_noise": 1.5}, "between 0 and 1"),
        ({"features": "degrees"}, "Did you mean 'degree'"),
    ],
)
def test_wrong_values_say_what_is_allowed(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        motif_dataset(**options)  # type: ignore[arg-type]
