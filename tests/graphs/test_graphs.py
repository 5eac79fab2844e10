"""Whatever is done to graphs, each keeps its nodes, edges, targets and attributes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import BlockOperator, Graphs, SparseOperator, padding_of


def with_attributes(graphs: Graphs) -> Graphs:
    """Give every node, edge and graph something to be recognised by."""
    adj = graphs.adj.to_sparse()
    entries = SparseOperator.from_entries(
        adj.row, adj.column, adj.weight * (1.0 + adj.row + adj.column), adj.shape
    )
    n, at = graphs.num_nodes, {"device": graphs.device}
    return graphs.replace(
        node_attrs={
            "motif": torch.arange(n, **at) % 2 == 0,
            "pos": torch.arange(3.0 * n, **at).view(n, 3),
        },
        edge_attrs={"edge_attr": (entries, adj)},
        graph_attrs={"u": torch.arange(float(len(graphs)), **at).unsqueeze(1)},
    )


@pytest.fixture
def graphs(graphs: Graphs, device: torch.device) -> Graphs:
    return graphs.to(device)


@pytest.fixture
def marked(graphs: Graphs) -> Graphs:
    return with_attributes(graphs)


def part_of(graphs: Graphs, i: int) -> dict[str, Tensor]:
    """All that belongs to one graph, cut out of the whole by hand."""
    a, b = int(graphs.ptr[i]), int(graphs.ptr[i + 1])
    columns = [each for attribute in graphs.edge_attrs.values() for each in attribute]
    return {
        "x": graphs.x[a:b],
        "adj": graphs.adj.to_dense()[a:b, a:b],
        "y": graphs.y[i],
        **{name: values[a:b] for name, values in graphs.node_attrs.items()},
        **{name: values[i] for name, values in graphs.graph_attrs.items()},
        **{f"edge {k}": each.to_dense()[a:b, a:b] for k, each in enumerate(columns)},
    }


def assert_parts(found: Graphs, whole: Graphs, index: list[int]) -> None:
    """Assert that `found` is the graphs of `whole` at `index`, and nothing else."""
    assert len(found) == len(index)
    assert found.num_nodes == int(whole.sizes[index].sum())
    for place, i in enumerate(index):
        torch.testing.assert_close(part_of(found, place), part_of(whole, i))
    dense = found.adj.to_dense()
    outside = found.batch.unsqueeze(0) != found.batch.unsqueeze(1)
    assert not dense[outside].any(), "an edge crosses graphs"


def test_sizes_and_graph_of_every_node(graphs: Graphs) -> None:
    batch = graphs[[0, 1, 6]]
    assert len(batch) == 3
    assert batch.num_nodes == 7
    assert batch.sizes.tolist() == [4, 1, 2]
    assert batch.batch.tolist() == [0, 0, 0, 0, 1, 2, 2]


def test_a_changed_copy_leaves_the_original_alone(graphs: Graphs) -> None:
    batch = graphs[[0, 1]]
    before = batch.batch.tolist()
    other = batch.replace(ptr=batch.ptr.new_tensor([0, 1, 5]))
    assert other.batch.tolist() == [0, 1, 1, 1, 1]
    assert batch.batch.tolist() == before


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ([4, 0, 1, 4], [4, 0, 1, 4]),
        (torch.tensor([6, 2]), [6, 2]),
        (range(1, 4), [1, 2, 3]),
        (slice(2, 5), [2, 3, 4]),
        (slice(None, 2), [0, 1]),
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


def test_a_selection_of_a_selection_remembers_the_first_numbers(marked: Graphs) -> None:
    part = marked[[4, 0, 1, 6]][[3, 0, 0]]
    assert_parts(part, marked, [6, 4, 4])
    assert part.ids.tolist() == [6, 4, 4]
    alone = part.renumbered()
    assert alone.ids.tolist() == [0, 1, 2]
    assert alone.set_id != part.set_id
    assert alone[[2]].set_id == alone.set_id
    assert alone.set_id != part.renumbered().set_id


def test_cat_joins_parts_of_different_make(marked: Graphs) -> None:
    first, second = marked[[4, 1]], marked[[0, 2, 3]]
    padding = padding_of(second.ptr, waste=20)
    dense = second.map_edges(lambda A: BlockOperator.from_sparse(A.to_sparse(), padding, padding))
    for parts in ([first, dense], [first, second]):
        joined = Graphs.cat(parts)
        assert_parts(joined, marked, [4, 1, 0, 2, 3])
        assert joined.ids.tolist() == [4, 1, 0, 2, 3]
        expected = marked[[4, 1, 0, 2, 3]]
        torch.testing.assert_close(joined.adj @ joined.x, expected.adj @ expected.x)
    assert isinstance(Graphs.cat([first, second]).adj, SparseOperator)


def test_cat_of_one_part_is_that_part(marked: Graphs) -> None:
    assert_parts(Graphs.cat([marked[[2, 5]]]), marked, [2, 5])


@pytest.mark.parametrize("kind", ["node_attrs", "edge_attrs", "graph_attrs"])
def test_cat_loses_no_attribute_in_silence(marked: Graphs, kind: str) -> None:
    bare = marked.replace(**{kind: {}})
    with pytest.raises(SmixupError, match="only some of the graphs to be joined"):
        Graphs.cat([marked[[0]], bare[[1]]])


def test_everything_moves_to_a_device(marked: Graphs) -> None:
    moved = marked[[0, 1]].to("meta")
    operators = [moved.adj, *moved.edge_attrs["edge_attr"]]
    tensors = [moved.x, moved.y, moved.ptr, moved.ids, *moved.node_attrs.values()]
    tensors += moved.graph_attrs.values()
    assert {each.device.type for each in (*tensors, *operators)} == {"meta"}
    assert moved.device.type == "meta"
    assert marked.to(marked.device) is marked


def test_subgraph_keeps_nodes_and_the_edges_among_them(marked: Graphs) -> None:
    chosen = torch.arange(30, device=marked.device) % 2 == 1
    part = marked.subgraph(chosen)
    assert part.sizes.tolist() == [2, 0, 3, 2, 4, 3, 1]
    assert torch.equal(part.x, marked.x[chosen])
    assert torch.equal(part.node_attrs["pos"], marked.node_attrs["pos"][chosen])
    for found, whole in zip(
        (part.adj, *part.edge_attrs["edge_attr"]),
        (marked.adj, *marked.edge_attrs["edge_attr"]),
        strict=True,
    ):
        assert torch.equal(found.to_dense(), whole.to_dense()[chosen][:, chosen])


def test_with_adj_keeps_the_attributes_of_the_edges_that_stay(marked: Graphs) -> None:
    adj = marked.adj.to_sparse()
    fewer = adj.mask_entries(adj.row + adj.column > 20)
    found = marked.with_adj(fewer)
    stay = fewer.to_dense() != 0
    for before, after in zip(
        marked.edge_attrs["edge_attr"], found.edge_attrs["edge_attr"], strict=True
    ):
        assert torch.equal(after.to_dense(), torch.where(stay, before.to_dense(), 0.0))


def test_batches_visit_every_graph_once_and_repeat_with_the_seed(graphs: Graphs) -> None:
    def order(seed: int) -> list[int]:
        generator = torch.Generator().manual_seed(seed)
        return [i for batch in graphs.batches(3, generator) for i in batch.ids.tolist()]

    assert sorted(order(0)) == list(range(7))
    assert order(0) == order(0)
    assert order(0) != order(1)
    assert [i for batch in graphs.batches(3) for i in batch.ids.tolist()] == list(range(7))


def test_one_hot_features_are_kept_small_until_they_are_computed_with(graphs: Graphs) -> None:
    compact = graphs.replace(x=torch.ones_like(graphs.x, dtype=torch.uint8))
    assert compact[[0, 1]].x.dtype == torch.uint8
    assert compact[[0, 1]].floating().x.dtype == torch.float32
    assert next(compact.batches(3)).x.dtype == torch.float32
    torch.testing.assert_close(
        compact.adj @ compact.x, graphs.adj.row_sums().unsqueeze(1).expand(30, 3)
    )
    double = graphs.replace(x=graphs.x.double())
    assert double.floating() is double


def test_everything_about_the_graphs_is_in_the_fingerprint(graphs: Graphs) -> None:
    weights = graphs.adj.to_sparse().weight.clone()
    weights[0] += 1e-3
    changed = [
        graphs.replace(x=graphs.x + 1e-3),
        graphs.replace(y=1 - graphs.y),
        graphs.replace(
            adj=SparseOperator.from_entries(
                *(getattr(graphs.adj, name) for name in ("row", "column")),
                weights,
                graphs.adj.shape,
            )
        ),
        graphs[[1, 0, 2, 3, 4, 5, 6]],
        graphs[range(6)],
    ]
    prints = {graphs.fingerprint(), *(each.fingerprint() for each in changed)}
    assert len(prints) == 6
    assert graphs.fingerprint() == graphs[range(7)].fingerprint()


def test_an_empty_set(make_graphs: Callable[..., Graphs]) -> None:
    nothing = make_graphs([3, 4])[[]]
    assert (len(nothing), nothing.num_nodes) == (0, 0)


def test_totals_of_nodes_and_of_what_belongs_to_nodes(graphs: Graphs) -> None:
    device = graphs.device
    values = torch.arange(graphs.num_nodes, device=device).float()
    parts = values.split(graphs.sizes.tolist())
    torch.testing.assert_close(graphs.totals(values), torch.stack([part.sum() for part in parts]))
    node = torch.tensor([0, 0, graphs.num_nodes - 1], device=device)
    found = graphs.totals(torch.tensor([1.0, 2.0, 4.0], device=device), node)
    assert (float(found[0]), float(found[-1]), float(found.sum())) == (3.0, 4.0, 7.0)
