"""ifMixup equals the plain formula on padded matrices."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup.augment.baselines.if_mixup import IfMixup, interpolate_in_order
from smixup.errors import UsageError
from smixup.graphs import Graphs


def pad(matrix: Tensor, rows: int, columns: int) -> Tensor:
    return torch.nn.functional.pad(matrix, (0, columns - matrix.size(1), 0, rows - matrix.size(0)))


def blocks(batch: Graphs) -> list[tuple[Tensor, Tensor]]:
    dense = batch.adj.to_dense()
    bounds = zip(batch.ptr[:-1].tolist(), batch.ptr[1:].tolist(), strict=True)
    return [(batch.x[a:b], dense[a:b, a:b]) for a, b in bounds]


def test_pairs_are_mixed_as_padded_matrices(graphs: Graphs) -> None:
    left, partner = graphs[[0, 4, 1, 2]], torch.tensor([1, 2, 3, 0])
    right, lam = left[partner], torch.tensor([0.3, 0.9, 0.5, 1.0])
    mixed = interpolate_in_order(left, partner, lam)
    assert mixed.sizes.tolist() == [9, 9, 6, 6]
    pairs = zip(blocks(left), blocks(right), blocks(mixed), lam, strict=True)
    for (x1, A1), (x2, A2), (x, A), ratio in pairs:
        n = max(len(x1), len(x2))
        torch.testing.assert_close(x, ratio * pad(x1, n, 3) + (1 - ratio) * pad(x2, n, 3))
        torch.testing.assert_close(A, ratio * pad(A1, n, n) + (1 - ratio) * pad(A2, n, n))
    torch.testing.assert_close(
        mixed.y, lam.unsqueeze(1) * left.y + (1 - lam.unsqueeze(1)) * right.y
    )


def test_motif_nodes_are_those_of_the_first_graph_and_beyond_it_of_the_second(
    graphs: Graphs,
) -> None:
    graphs = graphs.replace(node_attrs={"motif": torch.arange(30) % 2 == 0})
    mixed = interpolate_in_order(graphs[[0, 4]], torch.tensor([1, 0]), torch.tensor([0.5, 0.5]))
    assert mixed.motif is not None
    first, second = graphs[[0]].motif, graphs[[4]].motif
    assert first is not None
    assert second is not None
    assert mixed.motif[:9].tolist() == [*first.tolist(), *second[4:].tolist()]


def test_ratios_are_near_one_by_default(graphs: Graphs) -> None:
    graphs = graphs.replace(y=torch.eye(7))
    method = IfMixup()
    own = torch.cat([method.on_batch(graphs[range(7)]).y.diagonal() for _ in range(300)])
    assert float(own[own < 1].mean()) == pytest.approx(20 / 21, abs=0.01)


def test_parameters_must_be_positive() -> None:
    with pytest.raises(UsageError, match="b must be above 0"):
        IfMixup(b=0.0)


def test_in_a_batch_of_pyg_an_edge_of_both_has_the_average_of_its_attributes() -> None:
    path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    data = [
        Data(torch.ones(3, 1), path, torch.full((4, 1), float(kind)), torch.tensor([kind]))
        for kind in (0, 1)
    ]
    found = IfMixup(a=1.0, b=1.0, seed=0).fit(data)(Batch.from_data_list(data))
    assert found.num_edges == 8
    torch.testing.assert_close(found.edge_weight, torch.ones(8))
    torch.testing.assert_close(found.edge_attr[:, 0], found.y[:, 1].repeat_interleave(4))
