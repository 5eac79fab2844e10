"""PaperStatistics by hand, and those of the paper's Table 2 on the publishers' data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from smixup.datasets import Dataset, import_archive, known_datasets, load_dataset
from smixup.datasets.statistics import Statistics, statistics
from smixup.graphs import Graphs, SparseOperator

FEATURES = {"PROTEINS": 3, "NCI1": 37}
SMALL = ["IMDB-BINARY", "IMDB-MULTI", "PROTEINS", "NCI1", "REDDIT-BINARY"]


def test_by_hand(tiny: Path, root: Path) -> None:
    import_archive(tiny, root)
    assert statistics(load_dataset("tiny", root)) == Statistics(3, 2, 2.0, 1.0, 3, 1)


def test_a_loop_is_one_edge() -> None:
    edges = torch.tensor([[0, 1, 0], [1, 0, 0]])
    graphs = Graphs(
        torch.zeros(2, 0),
        SparseOperator.from_edges(edges, torch.ones(3), 2),
        torch.ones(1, 1),
        torch.tensor([0, 2]),
    )
    assert statistics(Dataset("loop", graphs)).average_edges == 2


@pytest.mark.parametrize("name", SMALL)
def test_table_2(name: str, real_data: Callable[[str], Path]) -> None:
    found = statistics(load_dataset(name, real_data(f"{name}.zip")))
    paper = next(entry.table2 for entry in known_datasets() if entry.name == name)
    assert paper is not None
    assert (found.graphs, found.classes) == (paper.graphs, paper.classes)
    assert (round(found.average_nodes, 2), round(found.average_edges, 2)) == (
        paper.average_nodes,
        paper.average_edges,
    )
    assert found.features == FEATURES.get(name, 0)


def test_mutag(real_data: Callable[[str], Path]) -> None:
    found = statistics(load_dataset("mutag", real_data("MUTAG.zip")))
    assert (found.graphs, found.classes, found.features) == (188, 2, 7)
    assert (round(found.average_nodes, 2), round(found.average_edges, 2)) == (17.93, 19.79)
