"""What a PyG user gets from disk is what a DataLoader would have given."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from packed_kinds import attributed, soft, unweighted
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from smixup import GraphMatcher
from smixup.errors import SmixupError
from smixup.graphs import Graphs, pack


def data_list(weighted: bool) -> list[Data]:
    edges = torch.tensor([[1, 0, 2, 1], [0, 1, 1, 2]])
    weight = {"edge_weight": torch.tensor([0.5, 0.5, 2.0, 2.0])} if weighted else {}
    return [
        Data(torch.randn(3 + i, 2), edges, y=torch.tensor([i % 3]), mass=torch.rand(1, 2), **weight)
        for i in range(7)
    ]


@pytest.mark.parametrize("weighted", [False, True])
def test_batches_are_those_of_a_data_loader(weighted: bool, tmp_path: Path) -> None:
    data = data_list(weighted)
    loader = pack(data, tmp_path / "set").loader(3)
    assert len(loader) == 3
    for ours, theirs in zip(loader, DataLoader(data, 3), strict=True):
        assert set(ours.keys()) == set(theirs.keys())
        for name in theirs.keys():  # noqa: SIM118
            assert torch.equal(ours[name], theirs[name]), name
        assert ours.num_graphs == theirs.num_graphs
        for one, other in zip(ours.to_data_list(), theirs.to_data_list(), strict=True):
            assert torch.equal(one.edge_index, other.edge_index)
            assert torch.equal(one.y, other.y)


def test_random_order(tmp_path: Path) -> None:
    loader = pack(data_list(False), tmp_path / "set").loader(4, shuffle=True)
    sizes = [torch.cat([batch.ptr.diff() for batch in loader]).tolist() for _ in range(5)]
    assert all(sorted(each) == list(range(3, 10)) for each in sizes)
    assert len({tuple(each) for each in sizes}) > 1
    orders = [
        [
            batch.ptr.tolist()
            for batch in pack(data_list(False), tmp_path / "set").loader(
                4, True, torch.Generator().manual_seed(2)
            )
        ]
        for _ in range(2)
    ]
    assert orders[0] == orders[1]


def test_soft_targets_and_attributes_stay(graphs: Graphs, tmp_path: Path) -> None:
    (batch,) = list(pack(soft(attributed(graphs)), tmp_path / "set").loader(7))
    torch.testing.assert_close(batch.y, soft(graphs).y)
    assert {"bond", "motif", "place", "size", "temperature"} <= set(batch.keys())


def test_bytes_become_floats(graphs: Graphs, tmp_path: Path) -> None:
    (batch,) = list(pack(unweighted(graphs), tmp_path / "set").loader(7))
    assert batch.x.is_floating_point()


def test_graphs_on_disk_are_not_taken_for_a_list(graphs: Graphs, tmp_path: Path) -> None:
    packed = pack(graphs, tmp_path / "set")
    with pytest.raises(TypeError, match=r"\[\[3\]\]"):
        packed[3]  # type: ignore[index]
    with pytest.raises(SmixupError, match="graphs in memory are needed"):
        GraphMatcher().fit(packed)  # type: ignore[arg-type]
