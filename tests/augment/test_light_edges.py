"""Edges that are too light go in both directions, and what is left may count as whole."""

from __future__ import annotations

import pytest
import torch

from smixup.augment import SMixup
from smixup.augment.light_edges import whole_edges, without_light_edges
from smixup.errors import UsageError
from smixup.graphs import Graphs, SparseOperator
from smixup.graphs.pyg import to_pyg
from smixup.matching import Identity


def weighted(A: torch.Tensor, **attributes: torch.Tensor) -> Graphs:
    """One graph with the entries of a matrix, zeros included, and attributes of its edges."""
    n = len(A)
    target, source = torch.ones(n, n).nonzero(as_tuple=True)

    def operator(values: torch.Tensor) -> SparseOperator:
        return SparseOperator.from_edges(torch.stack([source, target]), values[target, source], n)

    entries = {name: (operator(A * value),) for name, value in attributes.items()}
    graphs = Graphs(torch.ones(n, 1), operator(A), torch.ones(1, 1), torch.tensor([0, n]))
    return graphs.replace(edge_attrs=entries)


A = torch.tensor([[0.0, 0.1, 0.09], [0.1, 0.0, -0.4], [0.09, -0.4, 0.0]])


def test_what_weighs_less_goes() -> None:
    found = without_light_edges(weighted(A), 0.1).adj.to_dense()
    assert torch.equal(found, torch.tensor([[0, 0.1, 0], [0.1, 0, -0.4], [0, -0.4, 0]]))


def test_both_directions_go_together_though_they_differ_by_rounding() -> None:
    skew = A.clone()
    skew[0, 1] = 0.1 - 1e-8
    skew[0, 2] = 0.1 - 1e-8
    found = without_light_edges(weighted(skew), 0.1).adj.to_dense() != 0
    assert torch.equal(found, found.T)
    assert found[0, 1] and found[2, 0] == found[0, 2]


def test_what_is_left_is_whole_and_keeps_its_sign() -> None:
    assert torch.equal(whole_edges(weighted(A)).adj.to_dense(), A.sign())


def test_entries_of_several_parts_are_one_edge() -> None:
    graphs = weighted(A)
    doubled = graphs.replace(adj=graphs.adj.to_sparse().add_unmerged(graphs.adj.to_sparse()))
    assert torch.equal(whole_edges(doubled).adj.to_dense(), A.sign())
    found = without_light_edges(doubled, 0.15).adj.to_dense()
    assert torch.equal(found != 0, A != 0), "0.18 and 0.2 are not light"


def test_attributes_of_edges_stay() -> None:
    length = torch.tensor([[0.0, 3, 5], [3, 0, 7], [5, 7, 0]])
    found = to_pyg(whole_edges(without_light_edges(weighted(A.abs(), edge_attr=length), 0.1)))
    ends, lengths = map(tuple, found.edge_index.T.tolist()), found.edge_attr.flatten().tolist()
    assert dict(zip(ends, lengths, strict=True)) == pytest.approx(
        {(0, 1): 3, (1, 0): 3, (1, 2): 7, (2, 1): 7}
    )


def test_no_edges_at_all() -> None:
    nothing = weighted(torch.zeros(3, 3))
    for graphs in (without_light_edges(nothing, 0.1), whole_edges(nothing)):
        assert not graphs.adj.to_dense().any()


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(UsageError, match="least_weight must be 0 or more"):
        SMixup(Identity(), least_weight=-0.1)
    with pytest.raises(UsageError, match="edges must be one of"):
        SMixup(Identity(), edges="whole")  # type: ignore[arg-type]
