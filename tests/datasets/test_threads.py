"""Generated threads have the size of REDDIT-MULTI-5K, hubs, and classes that can be told apart."""

from __future__ import annotations

import networkx as nx
import pytest
import torch

from smixup.app.runs.presets import preset_for
from smixup.datasets import known_datasets, load_dataset
from smixup.datasets.catalogue import GENERATED
from smixup.datasets.statistics import statistics
from smixup.datasets.threads import LARGEST, SMALLEST, threads_dataset
from smixup.errors import UsageError
from smixup.graphs import Graphs


@pytest.fixture(scope="module")
def graphs() -> Graphs:
    return threads_dataset(num_graphs=1000, seed=1).graphs


def largest_degrees(graphs: Graphs) -> torch.Tensor:
    """The largest degree in each graph, as a share of its nodes."""
    degree, nothing = graphs.adj.row_sums(), torch.zeros(len(graphs))
    return nothing.scatter_reduce(0, graphs.batch, degree, "amax") / graphs.sizes


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_published_statistics(seed: int) -> None:
    found = statistics(load_dataset("threads-5k", seed=seed))
    paper = next(each.table2 for each in known_datasets() if each.name == "REDDIT-MULTI-5K")
    assert paper is not None
    assert (found.graphs, found.classes, found.features) == (paper.graphs, paper.classes, 0)
    assert found.average_nodes == pytest.approx(paper.average_nodes, rel=0.02)
    assert found.average_edges == pytest.approx(paper.average_edges, rel=0.02)


def test_a_part_has_them_too(graphs: Graphs) -> None:
    assert graphs.sizes.double().mean() == pytest.approx(508.52, rel=0.03)
    assert graphs.adj.to_sparse().column.numel() / 2 / len(graphs) == pytest.approx(
        594.87, rel=0.03
    )
    assert graphs.labels.bincount().tolist() == [200] * 5
    assert graphs.x.shape == (graphs.num_nodes, 0)


def test_sizes_have_a_heavy_tail(graphs: Graphs) -> None:
    assert SMALLEST <= int(graphs.sizes.min()) < 60
    assert 3000 < int(graphs.sizes.max()) <= LARGEST
    assert graphs.sizes.median() < 0.8 * graphs.sizes.double().mean()


def test_graphs_are_simple_undirected_and_connected(graphs: Graphs) -> None:
    adj = graphs.adj.to_sparse()
    assert adj.symmetric
    assert adj._equals(adj._transposed)
    assert (adj.weight == 1).all()
    assert not (adj.row == adj.column).any()
    for i in range(20):
        batch = graphs[[i]]
        thread = nx.Graph(batch.adj.to_sparse().edges()[0].T.tolist())
        assert thread.number_of_nodes() == batch.num_nodes
        assert nx.is_connected(thread)


def test_there_are_hubs_and_classes_differ_in_them(graphs: Graphs) -> None:
    assert graphs.adj.row_sums().max() > 1000
    share = largest_degrees(graphs)
    means = torch.stack([share[graphs.labels == label].mean() for label in range(5)])
    assert means[0] > 0.5, "one hub that draws half of all"
    assert means[4] < 0.15, "long exchanges have none"
    gaps = means.sort().values.diff()
    assert (gaps > 0.02).all()
    spread = share[graphs.labels == 1].std() + share[graphs.labels == 3].std()
    assert (means[1] - means[3]).abs() < spread, "classes overlap"


def test_the_order_of_nodes_tells_nothing(graphs: Graphs) -> None:
    degree = graphs.adj.row_sums()
    first = degree[graphs.ptr[:-1]]
    assert first.mean() == pytest.approx(float(degree.mean()), abs=2.0)


def test_seeds(graphs: Graphs) -> None:
    again = threads_dataset(num_graphs=1000, seed=1).graphs
    assert again.fingerprint() == graphs.fingerprint()
    assert threads_dataset(num_graphs=1000, seed=2).graphs.fingerprint() != graphs.fingerprint()


def test_few_graphs_and_none() -> None:
    assert len(threads_dataset(num_graphs=1).graphs) == 1
    assert threads_dataset(num_graphs=1).graphs.num_classes == 5
    for wrong in (0, -1, 2.5):
        with pytest.raises(UsageError, match="num_graphs"):
            threads_dataset(num_graphs=wrong)  # type: ignore[arg-type]


def test_nobody_takes_it_for_the_real_one() -> None:
    entry = next(each for each in known_datasets() if each.name == "THREADS-5K")
    assert (entry.source, entry.table2) == (GENERATED, None)
    real = next(each for each in known_datasets() if each.name == "REDDIT-MULTI-5K")
    assert real.source.endswith("REDDIT-MULTI-5K.zip")
    assert preset_for("THREADS-5K") == preset_for("REDDIT-MULTI-5K")
