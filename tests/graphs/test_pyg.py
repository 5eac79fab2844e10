"""There and back: PyG's batches keep every node, edge and label."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup.errors import SmixupError
from smixup.graphs import BlockOperator, Graphs, padding_of
from smixup.graphs.pyg import from_pyg, from_pyg_batch, to_pyg


def triangle(**fields: object) -> Data:
    edge_index = torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]])
    return Data(**{"x": torch.eye(3), "edge_index": edge_index, "y": torch.tensor([0])} | fields)


def edgeless(**fields: object) -> Data:
    nothing = torch.zeros(2, 0, dtype=torch.long)
    return Data(**{"x": torch.ones(2, 3), "edge_index": nothing, "y": torch.tensor([1])} | fields)


def test_features_edges_and_labels() -> None:
    graphs = from_pyg([triangle(), edgeless()])
    assert graphs.ptr.tolist() == [0, 3, 5]
    assert graphs.y.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    torch.testing.assert_close(graphs.x, torch.cat([torch.eye(3), torch.ones(2, 3)]))
    expected = torch.block_diag(torch.ones(3, 3) - torch.eye(3), torch.zeros(2, 2))
    torch.testing.assert_close(graphs.adj.to_dense(), expected)
    assert graphs.adj.symmetric


def test_indicators_become_float_and_a_flat_feature_a_column() -> None:
    for x in (torch.tensor([0, 1, 1]), torch.tensor([False, True, True])):
        assert from_pyg([triangle(x=x)]).x.tolist() == [[0.0], [1.0], [1.0]]


def test_codes_are_refused_encoded_or_kept() -> None:
    codes = triangle(x=torch.tensor([1, 0, 3]))
    with pytest.raises(SmixupError, match="'x' holds integers from 0 to 3"):
        from_pyg([codes])
    assert from_pyg([codes], encode="one-hot").x.argmax(1).tolist() == [1, 0, 3]
    kept = from_pyg([codes], keep_codes=True).x
    assert (kept.tolist(), kept.dtype) == ([[1], [0], [3]], torch.long)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (torch.full((6,), 1e39, dtype=torch.float64), "'time' holds numbers that are not finite"),
        (torch.full((6,), 1j), "'time' is complex, where real numbers are needed"),
    ],
)
def test_attributes_of_edges_that_would_be_others_are_refused(
    values: torch.Tensor, told: str
) -> None:
    with pytest.raises(SmixupError, match=f"the edge attribute {told}"):
        from_pyg([triangle(time=values)])
    assert from_pyg([triangle(time=values.real.float())]).edge_attrs.keys() == {"time"}


def test_no_features_and_no_edges_at_all() -> None:
    nothing, y = torch.empty(2, 0, dtype=torch.long), torch.tensor([0])
    graphs = from_pyg([Data(num_nodes=n, edge_index=nothing, y=y) for n in (2, 1)])
    assert graphs.x.shape == (3, 0)
    assert graphs.sizes.tolist() == [2, 1]
    assert graphs.adj.column.numel() == 0


def test_directed_weighted_edges_gather_at_the_target() -> None:
    data = Data(
        x=torch.eye(2),
        edge_index=torch.tensor([[0], [1]]),
        edge_weight=torch.tensor([0.5]),
        y=torch.tensor([0]),
    )
    assert from_pyg([data]).adj.to_dense().tolist() == [[0.0, 0.0], [0.5, 0.0]]
    assert not from_pyg([data]).adj.symmetric


def as_blocks(batch: Graphs) -> Graphs:
    padding = padding_of(batch.ptr, waste=40)
    return batch.replace(adj=BlockOperator.from_sparse(batch.adj.to_sparse(), padding, padding))


@pytest.mark.parametrize("change", [lambda batch: batch, as_blocks], ids=["sparse", "blocks"])
@pytest.mark.parametrize("num_features", [3, 0])
def test_a_batch_falls_into_its_graphs_and_joins_again(
    make_graphs, device: torch.device, change, num_features: int
) -> None:  # type: ignore[no-untyped-def]
    graphs: Graphs = make_graphs([4, 1, 6, 3], num_features=num_features).to(device)
    exported = to_pyg(change(graphs[[0, 1, 2, 3]]))
    parts = exported.to_data_list()
    assert [part.num_nodes for part in parts] == [4, 1, 6, 3]
    for i, part in enumerate(parts):
        torch.testing.assert_close(part.y, graphs.y[i : i + 1])
        alone = from_pyg([part])
        torch.testing.assert_close(alone.adj.to_dense(), graphs[[i]].adj.to_dense())
        torch.testing.assert_close(alone.x, graphs[[i]].x)
    for again in (
        from_pyg(parts),
        from_pyg_batch(exported),
        from_pyg_batch(Batch.from_data_list(parts)),
    ):
        torch.testing.assert_close(again.adj.to_dense(), graphs.adj.to_dense())
        torch.testing.assert_close(again.x, graphs.x)
        torch.testing.assert_close(again.y, graphs.y)
        assert again.ptr.tolist() == graphs.ptr.tolist()


def test_an_export_is_a_batch_like_any_other(graphs: Graphs, device: torch.device) -> None:
    exported = to_pyg(graphs.to(device)[[0, 3]])
    reference = Batch.from_data_list(exported.to_data_list())
    assert exported.num_graphs == reference.num_graphs == 2
    assert exported[1].num_nodes == 3
    for name in ("x", "edge_index", "edge_weight", "y", "batch", "ptr"):
        torch.testing.assert_close(exported[name], reference[name])


def test_a_motif_comes_along() -> None:
    mask = torch.tensor([True, False, True])
    graphs = from_pyg([triangle(motif=mask)])
    assert graphs.motif is not None
    assert graphs.motif.tolist() == mask.tolist()
