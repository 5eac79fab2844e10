"""The motif is in the graph, is the label, and says nothing of the base; labels flip as asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
import torch

from smixup.datasets import load_dataset
from smixup.datasets.catalogue import statistics
from smixup.datasets.motif import motif_dataset
from smixup.datasets.splits import corrupt_labels
from smixup.errors import UsageError
from smixup.graphs import Graphs, SparseOperator

EXPECTED = [nx.cycle_graph(5), nx.house_graph(), nx.complete_bipartite_graph(2, 3)]


def parts(graphs: Graphs, i: int) -> tuple[nx.Graph, set[int]]:
    """A graph, and the nodes of its motif."""
    batch = graphs[[i]]
    out = nx.Graph()
    out.add_nodes_from(range(batch.num_nodes))
    out.add_edges_from(batch.adj.edges()[0].T.tolist())
    return out, set(batch.motif.nonzero().squeeze(1).tolist())


def base_of(base: nx.Graph) -> str:
    n = base.number_of_nodes()
    if n == 1 or nx.is_tree(base):
        assert n in {1, 3, 4, 7, 13}
        return "tree"
    if n % 2 == 0 and nx.is_isomorphic(base, nx.ladder_graph(n // 2)):
        assert 16 <= n <= 22
        return "ladder"
    assert nx.is_isomorphic(base, nx.wheel_graph(n)) and 15 <= n <= 19
    return "wheel"


def test_every_graph_is_a_base_and_its_motif_joined_by_one_random_edge() -> None:
    graphs = motif_dataset(num_graphs=300, seed=3).graphs
    assert graphs.labels.bincount().tolist() == [100, 100, 100]
    assert graphs.labels[:30].tolist() != [i % 3 for i in range(30)], "shuffled"
    table = {(base, label): 0 for base in ("tree", "ladder", "wheel") for label in range(3)}
    doors: set[int] = set()
    for i in range(len(graphs)):
        whole, motif = parts(graphs, i)
        base, label = set(whole) - motif, int(graphs.labels[i])
        assert nx.is_isomorphic(whole.subgraph(motif), EXPECTED[label])
        (edge,) = nx.edge_boundary(whole, motif, base)
        doors.add(edge[0] - min(motif))
        table[base_of(whole.subgraph(base)), label] += 1
    statistic = sum((count - 300 / 9) ** 2 / (300 / 9) for count in table.values())
    assert statistic < 26.1, f"chi-squared beyond its 0.999 quantile: {table}"
    assert doors == {0, 1, 2, 3, 4}


def test_seeds_and_label_noise() -> None:
    first, again, other = (motif_dataset(num_graphs=60, seed=seed).graphs for seed in (1, 1, 2))
    assert first.fingerprint() == again.fingerprint() != other.fingerprint()
    clean, noisy = (motif_dataset(3000, label_noise=noise).graphs for noise in (0.0, 0.3))
    assert torch.equal(clean.adj.column, noisy.adj.column)
    changed = (clean.labels != noisy.labels).float().mean().item()
    assert abs(changed - 0.3 * 2 / 3) < 0.03, "a redrawn label keeps its class once in three"
    with pytest.raises(UsageError, match="Did you mean 'degree'"):
        motif_dataset(features="degrees")


def labelled(n: int, num_classes: int) -> Graphs:
    adj = SparseOperator.from_edges(torch.zeros(2, 0).long(), torch.zeros(0), n)
    y = torch.eye(num_classes)[torch.arange(n) % num_classes]
    return Graphs(torch.zeros(n, 1), adj, y, torch.arange(n + 1))


def test_the_exact_number_of_labels_flips_to_any_other_class() -> None:
    for n, classes, ratio in ((1, 2, 0.4), (60, 6, 0.0), (59, 5, 1.0), (6000, 3, 0.4)):
        clean = labelled(n, classes)
        noisy = corrupt_labels(clean, ratio, seed=0)
        assert int((clean.labels != noisy.labels).sum()) == round(ratio * n)
        assert (noisy.y.sum(1) == 1).all()
        assert torch.equal(clean.labels, torch.arange(n) % classes), "the input is untouched"
    step = (noisy.labels - clean.labels) % 3
    assert abs((step == 1).sum() / (step > 0).sum() - 0.5) < 0.05
    for graphs, ratio, words in (
        (labelled(4, 2), 1.2, "between 0 and 1"),
        (labelled(4, 1), 0.5, "are not several classes"),
    ):
        with pytest.raises(UsageError, match=words):
            corrupt_labels(graphs, ratio, 0)


PAPER = {"IMDB-BINARY": (1000, 2, 19.77, 96.53, 0), "NCI1": (4110, 2, 29.87, 32.30, 37)}


@pytest.mark.parametrize("name", PAPER)
def test_statistics_are_those_of_the_paper(name: str, real_data: Callable[[str], Path]) -> None:
    found = statistics(load_dataset(name, real_data(f"{name}.zip")))
    assert tuple(round(value, 2) for value in found.values()) == PAPER[name]
