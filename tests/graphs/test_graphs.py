"""Whatever is done to graphs, each keeps its nodes, edges, targets and attributes."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch_geometric.data import Data

from smixup.errors import SmixupError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import from_pyg, to_pyg
from smixup.graphs.sparse import drop_edges

close = torch.testing.assert_close


@pytest.fixture
def marked(graphs: Graphs) -> Graphs:
    """Every node, edge and graph has something to be recognised by."""
    adj = graphs.adj
    place = 1.0 + adj.row + adj.column
    n = graphs.num_nodes
    return graphs.replace(
        node_attrs={"motif": torch.arange(n) % 2 == 0, "pos": torch.arange(3.0 * n).view(n, 3)},
        edge_attrs={
            "edge_attr": torch.stack([place, adj.weight], 1),
            "rare": place.unsqueeze(1),
        },
        graph_attrs={"u": torch.arange(float(len(graphs))).unsqueeze(1)},
    )


def part_of(graphs: Graphs, i: int) -> dict[str, Tensor]:
    """All that belongs to one graph, cut out of the whole by hand."""
    a, b = int(graphs.ptr[i]), int(graphs.ptr[i + 1])
    return {
        "x": graphs.x[a:b],
        "adj": graphs.adj.to_dense()[a:b, a:b],
        "y": graphs.y[i],
        **{name: values[a:b] for name, values in graphs.node_attrs.items()},
        **{name: values[i] for name, values in graphs.graph_attrs.items()},
        **{f"edge {k}": A[a:b, a:b] for k, A in enumerate(tables(graphs))},
    }


def tables(graphs: Graphs) -> list[Tensor]:
    """Every attribute of edges as a matrix."""
    edges = graphs.edges()
    return [replace(edges, weight=each).to_dense() for each in edges.weight[:, 1:].unbind(1)]


def assert_parts(part: Graphs, whole: Graphs, index: list[int]) -> None:
    assert len(part) == len(index)
    assert part.num_nodes == int(whole.sizes[index].sum())
    for place, i in enumerate(index):
        close(part_of(part, place), part_of(whole, i))
    outside = part.batch.unsqueeze(0) != part.batch.unsqueeze(1)
    assert not part.adj.to_dense()[outside].any(), "an edge crosses graphs"


def test_sizes_and_graph_of_every_node(graphs: Graphs) -> None:
    batch = graphs[[0, 1, 6]]
    assert (len(batch), batch.num_nodes, batch.num_features, batch.num_classes) == (3, 7, 3, 2)
    assert batch.sizes.tolist() == [4, 1, 2]
    assert batch.batch.tolist() == [0, 0, 0, 0, 1, 2, 2]
    other = batch.replace(ptr=torch.tensor([0, 1, 5, 7]))
    assert other.batch.tolist() == [0, 1, 1, 1, 1, 2, 2]
    assert batch.batch.tolist() == [0, 0, 0, 0, 1, 2, 2], "the original was changed"


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ([4, 0, 1, 4], [4, 0, 1, 4]),
        (torch.tensor([6, 2]), [6, 2]),
        (range(1, 4), [1, 2, 3]),
        (slice(2, 5), [2, 3, 4]),
        (slice(5, None), [5, 6]),
        (slice(0, 7, 3), [0, 3, 6]),
        (slice(4, 2), []),
        ([], []),
    ],
)
def test_selection(marked: Graphs, index: object, expected: list[int]) -> None:
    batch = marked[index]  # type: ignore[index]
    assert_parts(batch, marked, expected)
    assert batch.ids.tolist() == expected
    assert batch.adj.symmetric


def test_a_selection_of_a_selection_remembers_the_first_numbers(marked: Graphs) -> None:
    part = marked[[4, 0, 1, 6]][[3, 0, 0]]
    assert_parts(part, marked, [6, 4, 4])
    assert part.ids.tolist() == [6, 4, 4]
    alone = part.renumbered()
    assert alone.ids.tolist() == [0, 1, 2]
    assert alone.set_id not in (part.set_id, part.renumbered().set_id)
    assert alone[[2]].set_id == alone.set_id
    assert alone.subgraph(torch.ones(alone.num_nodes, dtype=torch.bool)).set_id == ""


def test_joined_graphs_are_those_of_the_parts(marked: Graphs) -> None:
    first, second = marked[[4, 1]], marked[[0, 2, 3]]
    joined = Graphs.cat([first, second])
    assert_parts(joined, marked, [4, 1, 0, 2, 3])
    assert joined.ids.tolist() == [4, 1, 0, 2, 3]
    assert_parts(Graphs.cat([marked[[2, 5]]]), marked, [2, 5])
    for kind in ("node_attrs", "edge_attrs", "graph_attrs"):
        with pytest.raises(SmixupError, match="only some of the graphs have"):
            Graphs.cat([marked[[0]], marked.replace(**{kind: {}})[[1]]])


def test_everything_moves_to_a_device(marked: Graphs) -> None:
    moved = marked[[0, 1]].to("meta")
    parts = [moved.adj, *moved.edge_attrs.values(), moved.x, moved.y, moved.ptr, moved.ids]
    parts += [*moved.node_attrs.values(), *moved.graph_attrs.values(), moved]
    assert {part.device.type for part in parts} == {"meta"}
    assert marked.to(marked.device) is marked


def test_subgraph_keeps_nodes_and_the_edges_among_them(marked: Graphs) -> None:
    chosen = torch.arange(30) % 2 == 1
    part = marked.subgraph(chosen)
    assert part.sizes.tolist() == [2, 0, 3, 2, 4, 3, 1]
    assert torch.equal(part.x, marked.x[chosen])
    assert torch.equal(part.node_attrs["pos"], marked.node_attrs["pos"][chosen])
    assert torch.equal(part.adj.to_dense(), marked.adj.to_dense()[chosen][:, chosen])
    for cut, whole in zip(tables(part), tables(marked), strict=True):
        assert torch.equal(cut, whole[chosen][:, chosen])


def test_with_adj_keeps_the_attributes_of_the_edges_that_stay(marked: Graphs) -> None:
    adj = marked.adj
    fewer = adj.mask_entries(adj.row + adj.column > 20)
    stay = fewer.to_dense() != 0
    for before, after in zip(tables(marked), tables(marked.with_adj(fewer)), strict=True):
        assert torch.equal(after, torch.where(stay, before, 0.0))


def test_batches_visit_every_graph_once_and_repeat_with_the_seed(graphs: Graphs) -> None:
    def order(seed: int) -> list[int]:
        generator = torch.Generator().manual_seed(seed)
        return [i for batch in graphs.batches(3, generator) for i in batch.ids.tolist()]

    assert sorted(order(0)) == list(range(7))
    assert order(0) == order(0)
    assert order(0) != order(1)
    assert [i for batch in graphs.batches(3) for i in batch.ids.tolist()] == list(range(7))
    assert [len(batch) for batch in graphs.batches(3)] == [3, 3, 1]


def test_one_hot_features_are_kept_small_until_they_are_computed_with(graphs: Graphs) -> None:
    compact = graphs.replace(x=torch.ones_like(graphs.x, dtype=torch.uint8))
    assert compact[[0, 1]].x.dtype == torch.uint8
    assert compact[[0, 1]].floating().x.dtype == torch.float32
    assert next(compact.batches(3)).x.dtype == torch.float32
    degrees = graphs.adj.row_sums().unsqueeze(1).expand(30, 3)
    close(compact.adj @ compact.x, degrees)
    double = graphs.replace(x=graphs.x.double())
    assert double.floating() is double


def test_everything_about_the_graphs_is_in_the_fingerprint(graphs: Graphs) -> None:
    adj = graphs.adj
    changed = [
        graphs.replace(x=graphs.x + 1e-3),
        graphs.replace(y=1 - graphs.y),
        graphs.replace(adj=adj.scaled(torch.ones_like(adj.weight).index_fill_(0, adj.row[:1], 2))),
        graphs[[1, 0, 2, 3, 4, 5, 6]],
        graphs[range(6)],
    ]
    assert len({graphs.fingerprint(), *(other.fingerprint() for other in changed)}) == 6
    assert graphs.fingerprint() == graphs[range(7)].fingerprint()


def test_totals_of_nodes_and_of_what_belongs_to_nodes(graphs: Graphs) -> None:
    values = torch.arange(60.0).view(30, 2)
    expected = torch.stack([part.sum(0) for part in values.split(graphs.sizes.tolist())])
    close(graphs.totals(values), expected)
    of_nodes = graphs.totals(torch.tensor([1.0, 2.0, 4.0]), torch.tensor([0, 0, 29]))
    assert of_nodes.tolist() == [3, 0, 0, 0, 0, 0, 4]


def test_labels_widths_and_what_can_be_left_out(marked: Graphs) -> None:
    assert marked.labels.tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert marked.replace(y=marked.y[:, :0]).labels.tolist() == [0] * 7
    assert marked.motif is marked.node_attrs["motif"]
    assert (marked.num_edge_features, marked.without_attributes().num_edge_features) == (2, 0)
    bare = marked.without_attributes()
    assert not (bare.edge_attrs or bare.node_attrs or bare.graph_attrs)
    doubled = marked.map_nodes(lambda value: value.repeat_interleave(2, -1))
    assert (doubled.num_features, doubled.node_attrs["pos"].size(1)) == (6, 6)


def test_edges_are_dropped_in_pairs_and_as_often_as_asked() -> None:
    n = 60
    dense = torch.block_diag(*[torch.ones(n, n) - torch.eye(n)] * 3)
    adj = SparseOperator.from_edges(dense.nonzero().T, torch.ones(3 * n * (n - 1)), 3 * n)
    probability = torch.tensor([0.0, 0.3, 1.0]).repeat_interleave(n)
    fewer = drop_edges(adj, probability, torch.Generator().manual_seed(0))
    kept = fewer.to_dense()
    assert fewer.symmetric and torch.equal(kept, kept.T)
    shares = torch.stack([part.sum() for part in kept.split(n)]) / (n * (n - 1))
    assert (shares[0], shares[2]) == (1, 0)
    assert float(shares[1]) == pytest.approx(0.7, abs=0.04)
    assert ((kept == 0) | (kept == dense)).all(), "nothing is added"


@pytest.fixture
def values(graphs: Graphs) -> Tensor:
    """Three features for every entry of the adjacency."""
    number = graphs.adj.column.numel()
    return torch.rand(number, 3, generator=torch.Generator().manual_seed(1))


def featured(graphs: Graphs, values: Tensor) -> Graphs:
    """The graphs with features of edges."""
    rows = graphs.adj.weight.unsqueeze(1) * values
    return graphs.replace(adj=replace(graphs.adj, symmetric=False), edge_attrs={"edge_attr": rows})


def test_originals_and_parts_have_their_own(graphs: Graphs, values: Tensor) -> None:
    held = featured(graphs, values)
    adj, features = held.edge_features()
    assert (held.num_edge_features, graphs.num_edge_features) == (3, 0)
    assert torch.equal(adj.to_dense(), graphs.adj.to_dense())
    close(features, values)
    close(to_pyg(held).edge_attr, values)
    adj, features = held[[4, 0, 5]].edge_features()
    owner = graphs.batch[graphs.adj.row]
    close(features, torch.cat([values[owner == i] for i in (4, 0, 5)]))
    close(adj.to_dense(), graphs[[4, 0, 5]].adj.to_dense())


def dense(adj: SparseOperator, values: Tensor) -> Tensor:
    return torch.stack([replace(adj, weight=column).to_dense() for column in values.unbind(1)])


def test_an_edge_of_two_has_their_average_by_weight(graphs: Graphs, values: Tensor) -> None:
    adj, n = graphs.adj, graphs.num_nodes
    other = featured(graphs, values.flip(0))
    other = other.with_adj(adj.mask_entries(adj.row % 2 == 0))  # some edges are of one side alone
    held, lam = featured(graphs, values), torch.full((n,), 0.3)
    mixed = graphs.replace(edge_attrs=held.edge_attrs)
    mixed = mixed.with_edges(lam * held.edges() + (1 - lam) * other.edges())
    mixed_adj, features = Graphs.cat([held, mixed]).edge_features()
    A1, A2 = held.adj.to_dense(), other.adj.to_dense()
    E1, E2 = dense(adj, values), dense(adj, values.flip(0))
    weight = 0.3 * A1 + 0.7 * A2
    expected = (0.3 * A1 * E1 + 0.7 * A2 * E2) / torch.where(weight == 0, 1.0, weight)
    close(mixed_adj.to_dense()[n:, n:], weight)
    close(dense(mixed_adj, features)[:, n:, n:], expected)
    close(dense(mixed_adj, features)[:, :n, :n], E1)


def test_double_entries_are_one_edge(graphs: Graphs, values: Tensor) -> None:
    held = featured(graphs, values)
    adj, features = held.map_edges(lambda A: A.add_unmerged(A)).edge_features()
    close(adj.to_dense(), 2 * graphs.adj.to_dense())
    close(features, values)


def test_negative_and_zero_weights_leave_features_alone() -> None:
    edges = torch.tensor([[0, 1, 1, 2, 0, 1], [1, 0, 2, 1, 1, 0]])
    weight = torch.tensor([-1.0, -1.0, 0.0, 0.0, 3.0, 3.0])  # of 0 and 1, two edges
    attribute = torch.tensor([[1.0], [1.0], [5.0], [5.0], [9.0], [9.0]])
    data = Data(torch.ones(3, 1), edges, attribute, edge_weight=weight, y=torch.tensor([0]))
    adj, features = from_pyg([data]).edge_features()
    assert adj.to_dense().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert features.flatten().tolist() == [7.0, 7.0, 5.0, 5.0], "by the sizes of weights: 1 and 3"
