"""Whatever form graphs come in, the same `Graphs` come out."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from packed_kinds import assert_identical
from torch.utils.data import Subset
from torch_geometric.data import Batch, Data, InMemoryDataset
from torch_geometric.loader import DataLoader

from smixup.errors import SmixupError
from smixup.graphs import Graphs, as_graphs, pack


def rings() -> list[Data]:
    """Rings of three to five nodes, of the classes 0, 1 and 2."""
    sizes = (3, 4, 5)
    ends = [torch.stack([torch.arange(n), (torch.arange(n) + 1) % n]) for n in sizes]
    return [
        Data(torch.eye(n, 2), edges, y=torch.tensor([place]))
        for place, (n, edges) in enumerate(zip(sizes, ends, strict=True))
    ]


class Rings(InMemoryDataset):
    """The same graphs as a dataset of PyG, which knows its three classes."""

    def __init__(self) -> None:
        super().__init__(None)
        self.data, self.slices = self.collate(rings())


def test_as_graphs_leaves_graphs_alone(graphs: Graphs) -> None:
    assert as_graphs(graphs) is graphs


def test_every_form_is_read_alike() -> None:
    expected = as_graphs(rings())
    forms = (Batch.from_data_list(rings()), Rings(), DataLoader(Rings(), 2), iter(rings()))
    for form in forms:
        assert_identical(as_graphs(form), expected, type(form).__name__)
    assert_identical(as_graphs(rings()[0]), as_graphs(rings()[:1]))


def test_a_part_of_a_dataset_has_the_classes_of_the_whole() -> None:
    """Its second graph alone is of class 1 of three."""
    data = Rings()
    part = Subset(data, [1])
    for form in (part, Subset(Subset(data, [0, 1]), [1]), DataLoader(part), data[1:2]):
        assert as_graphs(form).y.tolist() == [[0.0, 1.0, 0.0]]
    assert as_graphs(rings()[1:2]).y.tolist() == [[0.0, 1.0]], "a list knows what it holds alone"


def test_codes_are_encoded_or_kept() -> None:
    data = rings()
    for each in data:
        each.x = torch.arange(each.num_nodes) % 4
    assert as_graphs(data, "one-hot").num_features == 4
    for form in (data, Batch.from_data_list(data)):
        assert as_graphs(form, keep_codes=True).x.dtype == torch.long
        with pytest.raises(SmixupError, match="'x' holds integers from 0 to 3"):
            as_graphs(form)


def test_a_set_on_disk_is_no_set_in_memory(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set")
    with pytest.raises(SmixupError, match=r"these graphs are on disk.*graphs\[:5000\]"):
        as_graphs(packed)  # type: ignore[arg-type]
