"""There and back: PyG's batches keep every node, edge, label and attribute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from packed_kinds import assert_identical
from small_graphs import path, triangle
from torch.utils.data import Subset
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset
from torch_geometric.loader import DataLoader

from smixup.errors import SmixupError
from smixup.graphs import Graphs, as_graphs, pack
from smixup.graphs.pyg import (
    append,
    attribute_kinds,
    edge_ptr,
    from_pyg,
    from_pyg_batch,
    placed,
    require_batch,
    soft,
    to_pyg,
    weights_like,
)

PARALLEL = torch.tensor([[0, 0, 2, 1], [1, 1, 1, 0]])
"""Two edges from node 0 to node 1, which a conversion would merge, in no order."""


def batch_of(*fields: dict[str, object], **settings: object) -> Batch:
    """Paths of 3, 4, ... nodes."""
    return Batch.from_data_list([path(3 + i, **own) for i, own in enumerate(fields)], **settings)


def test_features_edges_and_labels() -> None:
    nothing = torch.zeros(2, 0, dtype=torch.long)
    alone = Data(x=torch.ones(2, 3), edge_index=nothing, y=torch.tensor([1]))
    graphs = from_pyg([triangle(motif=torch.tensor([True, False, True])), alone][:1])
    assert graphs.motif is not None and graphs.motif.tolist() == [True, False, True]
    graphs = from_pyg([triangle(), alone])
    assert graphs.ptr.tolist() == [0, 3, 5]
    assert graphs.y.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    torch.testing.assert_close(graphs.x, torch.cat([torch.eye(3), torch.ones(2, 3)]))
    expected = torch.block_diag(torch.ones(3, 3) - torch.eye(3), torch.zeros(2, 2))
    torch.testing.assert_close(graphs.adj.to_dense(), expected)
    assert graphs.adj.symmetric and graphs.has_classes
    y = torch.tensor([0])
    bare = from_pyg([Data(num_nodes=n, edge_index=nothing, y=y) for n in (2, 1)])
    assert (bare.x.shape, bare.sizes.tolist(), bare.adj.column.numel()) == ((3, 0), [2, 1], 0)
    weight = torch.tensor([[0.5]])
    directed = Data(x=torch.eye(2), edge_index=torch.tensor([[0], [1]]), edge_weight=weight, y=y)
    assert from_pyg([directed]).adj.to_dense().tolist() == [[0.0, 0.0], [0.5, 0.0]]
    assert not from_pyg([directed]).adj.symmetric
    for x in (torch.tensor([0, 1, 1]), torch.tensor([False, True, True])):
        assert from_pyg([triangle(x=x)]).x.tolist() == [[0.0], [1.0], [1.0]]
    codes = triangle(x=torch.tensor([1, 0, 3]))
    assert from_pyg([codes], encode="one-hot").x.argmax(1).tolist() == [1, 0, 3]
    kept = from_pyg([codes], keep_codes=True).x
    assert (kept.tolist(), kept.dtype) == ([[1], [0], [3]], torch.long)


class Paths(InMemoryDataset):
    """A dataset of PyG, which knows its three classes."""

    def __init__(self) -> None:
        super().__init__(None)
        self.data, self.slices = self.collate(paths())


def paths() -> list[Data]:
    return [path(n, x=torch.eye(n, 2), y=torch.tensor([n - 3])) for n in (3, 4, 5)]


def test_every_form_is_read_alike(graphs: Graphs) -> None:
    assert as_graphs(graphs) is graphs
    expected = as_graphs(paths())
    forms = (Batch.from_data_list(paths()), Paths(), DataLoader(Paths(), 2), iter(paths()))
    for form in forms:
        assert_identical(as_graphs(form), expected, type(form).__name__)
    assert_identical(as_graphs(paths()[0]), as_graphs(paths()[:1]))
    part = Subset(Paths(), [1])
    for form in (part, Subset(Subset(Paths(), [0, 1]), [1]), DataLoader(part), Paths()[1:2]):
        assert as_graphs(form).y.tolist() == [[0.0, 1.0, 0.0]], "the classes of the whole"
    assert as_graphs(paths()[1:2]).y.tolist() == [[0.0, 1.0]], "a list knows what it holds alone"
    coded = [path(3, x=torch.tensor([0, 3, 1]))]
    for form in (coded, Batch.from_data_list(coded)):
        assert as_graphs(form, "one-hot").num_features == 4
        assert as_graphs(form, keep_codes=True).x.dtype == torch.long


@pytest.mark.parametrize("num_features", [3, 0])
def test_a_batch_falls_into_its_graphs_and_joins_again(
    make_graphs: Callable[..., Graphs], num_features: int
) -> None:
    graphs = make_graphs([4, 1, 6, 3], num_features=num_features)
    exported = to_pyg(graphs[[0, 1, 2, 3]])
    parts = exported.to_data_list()
    reference = Batch.from_data_list(parts)
    assert [part.num_nodes for part in parts] == [4, 1, 6, 3]
    assert exported.num_graphs == 4 and exported[3].num_nodes == 3
    names = ["edge_index", "edge_weight", "y", "batch", "ptr", *["x"] * bool(num_features)]
    for name in names:
        torch.testing.assert_close(exported[name], reference[name])
    for again in (from_pyg(parts), from_pyg_batch(exported), from_pyg_batch(reference)):
        torch.testing.assert_close(again.adj.to_dense(), graphs.adj.to_dense())
        torch.testing.assert_close(again.x, graphs.x)
        torch.testing.assert_close(again.y, graphs.y)
        assert again.ptr.tolist() == graphs.ptr.tolist()


def test_what_attributes_speak_of() -> None:
    fields = [
        {
            "pos": torch.rand(n, 2),
            "length": torch.rand(2 * n - 2),
            "u": torch.rand(1, 4),
            "two": torch.rand(2),
            "name": "a graph",
        }
        for n in (3, 4)
    ]
    kinds = {"pos": "node", "length": "edge", "u": "graph", "two": "graph", "name": "list"}
    assert attribute_kinds(batch_of(*fields)) == kinds
    ring = torch.tensor([[0, 1, 2], [1, 2, 0]])  # as many nodes as edges: the name decides
    rings = [Data(edge_index=ring, num_nodes=3, edge_kind=torch.rand(3), size=torch.rand(3))] * 2
    assert attribute_kinds(Batch.from_data_list(rings)) == {"edge_kind": "edge", "size": "node"}
    unknown = batch_of({}, {})
    unknown.of_nodes, unknown.of_edges, unknown.of_graphs = (torch.rand(n) for n in (7, 10, 2))
    kinds = {"of_nodes": "node", "of_edges": "edge", "of_graphs": "graph"}
    assert attribute_kinds(unknown) == kinds
    batch = batch_of({}, {}, {})
    assert edge_ptr(batch).tolist() == [0, 4, 10, 18]
    del batch._slice_dict["edge_index"]
    assert edge_ptr(batch).tolist() == [0, 4, 10, 18]


def test_attributes_come_along_in_their_types_and_shapes() -> None:
    fields = [
        {
            "charge": torch.arange(n),
            "bond": torch.arange(2 * n - 2).double(),
            "u": torch.full((1, 2), float(n)),
            "t": torch.tensor([float(n)]),
            "name": f"of {n}",
        }
        for n in (3, 4)
    ]
    batch = batch_of(*fields)
    graphs = placed(from_pyg_batch(batch))
    again = to_pyg(graphs, like=batch)
    assert "place in the batch" not in again
    order = (batch.edge_index[1] * batch.num_nodes + batch.edge_index[0]).argsort()  # by target
    batch.edge_index, batch.bond = batch.edge_index[:, order], batch.bond[order]
    for name in set(batch.keys()) - {"y"}:
        assert_identical({name: again[name]}, {name: batch[name]})
    turned = to_pyg(graphs[[1, 0, 1]], like=batch)
    assert turned["name"] == ["of 4", "of 3", "of 4"]
    for part, i in zip(turned.to_data_list(), (1, 0, 1), strict=True):
        for name in ("charge", "bond", "u", "t"):
            assert sorted(part[name].flatten()) == sorted(fields[i][name].flatten())  # type: ignore[attr-defined]
    cut = to_pyg(graphs.subgraph(torch.arange(7) < 4), like=batch)
    assert (cut.ptr.tolist(), cut.num_edges) == ([0, 3, 4], 4)
    plain = to_pyg(graphs[[1]])
    assert plain.charge.tolist() == [0, 1, 2, 3] and "name" not in plain


def test_weights_and_shares_have_the_type_that_a_model_computes_in() -> None:
    weight = torch.tensor([0.5, 2.0])

    def like(**fields: object) -> torch.Tensor:
        return weights_like(weight, Batch.from_data_list([path(2, **fields)]))

    assert weights_like(weight, None) is weight
    assert like(x=torch.eye(2).half()).dtype == torch.half
    assert like(x=torch.tensor([1, 0])).dtype == like(x=None, num_nodes=2).dtype == torch.float
    assert like(edge_weight=torch.ones(2).double()).dtype == torch.double
    assert like(edge_weight=torch.ones(2, dtype=torch.long)).tolist() == [0.5, 2.0]
    assert like(edge_weight=torch.ones(2, 1)).tolist() == [[0.5], [2.0]]
    batch = Batch.from_data_list([triangle(x=torch.tensor([0, 1, 1]))])
    graphs = placed(from_pyg_batch(batch))
    assert to_pyg(graphs.replace(x=graphs.x / 2), like=batch).x.tolist() == [0.0, 0.5, 0.5]


def test_parallel_edges_with_different_codes_are_refused() -> None:
    edges = torch.tensor([[0, 0, 1, 1], [1, 1, 0, 0]])
    batch = Batch.from_data_list([triangle(edge_index=edges, edge_attr=torch.tensor([1, 2, 1, 2]))])
    graphs = placed(from_pyg_batch(batch))
    with pytest.raises(SmixupError, match="parallel edges become one, but theirs differ in 'edge_"):
        to_pyg(graphs, like=batch)
    assert to_pyg(graphs, like=batch, averaged=True).edge_attr.tolist() == [1.5, 1.5]
    batch.edge_attr = torch.tensor([2, 2, 2, 2])
    assert to_pyg(from_pyg_batch(batch), like=batch).edge_attr.tolist() == [2, 2]


def loaded(**changes: object) -> Batch:
    """Two graphs of three and two nodes, as a loader hands them out."""
    first = {"x": torch.eye(3), "edge_index": PARALLEL, "y": torch.tensor([0]), "name": "first"}
    second = {"x": torch.ones(2, 3), "edge_index": torch.tensor([[1], [0]])}
    second |= {"y": torch.tensor([2]), "name": "second"}
    return Batch.from_data_list([Data(**fields | changes) for fields in (first, second)])


def test_originals_stay_edge_by_edge_and_new_graphs_stand_behind_them() -> None:
    batch = loaded()
    graphs = placed(from_pyg_batch(batch, num_classes=3))
    new = graphs[[1]].replace(y=torch.tensor([[0.25, 0.0, 0.75]]))
    joined = append(batch, graphs, new, averaged=True)
    assert (joined.num_graphs, joined.ptr.tolist()) == (3, [0, 3, 5, 7])
    assert joined.batch.tolist() == [0, 0, 0, 1, 1, 2, 2]
    assert joined.edge_index.tolist() == [[0, 0, 2, 1, 4, 6], [1, 1, 1, 0, 3, 5]]
    assert torch.equal(joined.x, torch.cat([batch.x, torch.ones(2, 3)]))
    assert joined.y.tolist() == [[1, 0, 0], [0, 0, 1], [0.25, 0, 0.75]]
    assert joined["name"] == ["first", "second", "second"]
    assert joined.edge_weight.tolist() == [1.0] * 6
    parts = joined.to_data_list()
    assert torch.equal(parts[0].edge_index, PARALLEL)
    assert [part.edge_index.tolist() for part in parts[1:]] == [[[1], [0]]] * 2
    assert batch.num_graphs == 2, "the input was changed"
    batch.edge_weight = torch.tensor([0.5, 0.25, 2.0, 3.0, 4.0], dtype=torch.float64)
    graphs = placed(from_pyg_batch(batch, num_classes=3))
    weights = append(batch, graphs, graphs[[0]], averaged=True).edge_weight
    assert weights.dtype == torch.float64
    assert weights.tolist()[:5] == [0.5, 0.25, 2.0, 3.0, 4.0]
    assert sorted(weights.tolist()[5:]) == [0.75, 2.0, 3.0], "parallel edges of a mix are one"


def test_a_batch_without_mixes_looks_as_if_it_had_some() -> None:
    batch = loaded()
    softened = soft(batch, from_pyg_batch(batch, num_classes=3))
    assert softened.y.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert softened.edge_weight.tolist() == [1.0] * 5
    assert torch.equal(softened.edge_index, batch.edge_index)
    assert (batch.y.tolist(), batch.edge_weight) == ([0, 2], None), "the input was changed"
    batch.edge_weight = torch.rand(5)
    assert soft(batch, from_pyg_batch(batch)).edge_weight is batch.edge_weight
    for y in (torch.tensor([[0.5, 0.5]]), torch.tensor([1.5])):
        batch = loaded(y=y)
        graphs = placed(from_pyg_batch(batch))
        joined = append(batch, graphs, graphs[[1, 0]], averaged=True)
        assert torch.equal(joined.y, torch.cat([batch.y] * 2)), "numbers stay to the bit"
        assert torch.equal(soft(batch, graphs).y, batch.y), "there is nothing to soften"


def test_graphs_that_cannot_be_read_are_refused(graphs: Graphs, tmp_path: Path) -> None:
    def astray(end: int) -> list[Data]:
        """In a batch, node 3 of a graph of three is the first one of the next graph."""
        return [path(), path(edge_index=torch.tensor([[0, 1], [1, end]])), path()]

    packed = pack(graphs, tmp_path / "set")
    odd = [{"odd": torch.rand(k)} for k in (1, 2)]
    adj_t = Batch.from_data_list([path(edge_index=None, adj_t=torch.eye(3))])
    no_edges = Batch.from_data_list([path(edge_index=None)])
    hetero = r"several kinds of nodes or edges \(HeteroData\)"
    lists: list[tuple[list[Any], str]] = [
        ([], "a list of torch_geometric.data.Data is needed, with one graph at least"),
        ([path(), "a graph"], "a list of torch_geometric.data.Data is needed"),
        ([path(), HeteroData()], hetero),
        ([path(), path(), path(y=None)], "graph 2 has no y, and others have: leave it out"),
        ([path(), path(z=torch.rand(3))], "graph 0 has no z, and others have: leave it out"),
        ([path(z=torch.rand(3)), path()], "graph 1 has no z, and others have: leave it out"),
        ([path(), path(x=torch.rand(3, 5))], "the graphs cannot be joined, as all need the same"),
        ([path(edge_index=torch.zeros(2, 4))], r"edge_index must be whole .* not torch.float32"),
        ([path(edge_index=torch.zeros(3, 4).long())], r"must be .*\[2, m\].*shape \[3, 4\]"),
        (astray(-1), "graph 1 has 3 nodes and an edge at another: number its"),
        (astray(3), "graph 1 has 3 nodes and an edge at another: number its"),
        ([triangle(x=torch.tensor([1, 0, 3]))], "'x' holds integers from 0 to 3"),
        ([triangle(edge_weight=torch.ones(6, 2))], r"edge_weight has the shape \[6, 2\]"),
    ]
    batches: list[tuple[Any, str]] = [
        (path(), r"a Batch of graphs is needed, not a Data: use a DataLoader, or Batch\.from_data"),
        ([path()], "a Batch of graphs is needed, not a list"),
        (HeteroData(), hetero),
        (adj_t, "no edge_index: augment before T.ToSparseTensor"),
        (no_edges, r"the graphs have no edge_index: .* torch.empty\(2, 0, dtype=torch.long\)"),
    ]
    attributes = [
        ([{"foo_index": torch.tensor([0, 1])}] * 2, r"'foo_index' \(Tensor\) cannot be carried"),
        ([{"x_batch": torch.zeros(3)}] * 2, r"'x_batch' \(Tensor\) cannot be carried"),
        ([{"about": {"mass": torch.rand(1)}}] * 2, r"'about' \(dict\) cannot be carried"),
        (odd, "'odd' with 3 rows has neither one per node"),
    ]
    calls = [(from_pyg, *case) for case in lists] + [(require_batch, *case) for case in batches]
    calls += [(lambda own: attribute_kinds(batch_of(*own)), *case) for case in attributes]
    on_disk = r"these graphs are on disk.*graphs\[:5000\]"
    for call, argument, message in [*calls, (as_graphs, packed, on_disk)]:
        with pytest.raises(SmixupError, match=message):
            call(argument)
