"""New graphs are read as the training data was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric.data import Data

from smixup.datasets import Dataset, load_dataset
from smixup.datasets.base import Reading
from smixup.datasets.sources import SOURCES
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.graphs.pyg import to_pyg
from smixup.models.new_data import graphs_of, open_new

READING = Reading("mine", {"target": "a"}, {"columns": ["x"]})


def read(path: Path, like: Reading | None = None, target: str = "") -> Dataset:
    assert like == READING
    assert path.is_absolute()
    graphs = load_dataset("MOTIF", num_graphs=2).graphs
    return Dataset(path.name, graphs.replace(y=torch.zeros(2, 0)), table={"id": (target, "b")})


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES.entries, "mine", read)


def test_own_files_are_read_by_the_reader_of_the_training_data(tmp_path: Path) -> None:
    (tmp_path / "new.mine").touch()
    found = open_new(tmp_path / "new.mine", READING, None, {"target": "other"})
    assert found.table == {"id": ("other", "b")}
    assert not found.has_targets
    with pytest.raises(UsageError, match=r"there is no file or folder .* by the reader mine\."):
        open_new(str(tmp_path / "gone.mine"), READING, None, {})


def test_a_dataset_by_name_has_the_options_of_the_training_data() -> None:
    trained: dict[str, Any] = {"source": "MOTIF", "options": {"num_graphs": 7, "seed": 3}}
    found = open_new("motif", None, None, {}, trained)
    assert len(found.graphs) == 7
    assert found.has_targets
    assert len(open_new("MOTIF", None, None, {"num_graphs": 9}, trained).graphs) == 9
    other = {"source": "THREADS-5K", "options": {"num_graphs": 7}}
    assert len(open_new("MOTIF", None, None, {}, other).graphs) > 9


def test_graphs_in_memory(motif: Graphs) -> None:
    dataset = Dataset("d", motif[:2], table={"id": ("a", "b")})
    assert open_new(dataset, None, None, {}).table == dataset.table
    assert open_new(motif, None, None, {}).graphs is motif
    with pytest.raises(UsageError, match="graphs in memory have no option 'target'"):
        open_new(motif, None, None, {"target": "a"})


def test_graphs_of_pyg_in_every_wrapping_keep_their_targets_to_themselves(motif: Graphs) -> None:
    batch = to_pyg(motif[:3])
    batch.y = torch.tensor([-5, 7, 99])  # no classes that anybody knows
    several = batch.to_data_list()
    for source in (batch, several, tuple(several), iter(several)):
        found = graphs_of(source)
        assert torch.equal(found.x, motif[:3].x)
        assert found.num_classes == 0
    assert len(graphs_of(several[0])) == 1
    assert several[0].y is not None, "the input is untouched"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "there is no graph"),
        (3, "a list of graphs is needed, not a int"),
        ([Data(edge_index=torch.zeros(2, 0, dtype=torch.long)), "C"], "element 1 is a str"),
    ],
)
def test_what_is_no_graph_is_refused(source: Any, message: str) -> None:
    with pytest.raises(SmixupError, match=message):
        graphs_of(source)
