"""Mixes stand behind the graphs of a training split, which stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

from smixup.augment import FGWMixup, GeoMix
from smixup.augment.added_mixes import AddedMixes, different, draw_nearest, draw_other
from smixup.errors import SmixupError
from smixup.graphs import Graphs

METHODS = [FGWMixup, GeoMix]


def ring(n: int, label: int) -> Data:
    around = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    return Data(
        x=torch.rand(n, 3),
        edge_index=torch.cat([around, around.flip(0)], 1),
        edge_attr=torch.full((2 * n, 2), 0.5 + label),
        charge=torch.arange(n),
        u=torch.rand(1, 2),
        name=f"ring of {n}",
        y=torch.tensor([label]),
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_list_of_pyg_grows_with_all_attributes(method: type[AddedMixes]) -> None:
    torch.manual_seed(0)
    data = [ring(4 + k % 4, k % 3) for k in range(9)]
    longer = method(amount=1.0, seed=0).fit_extend(data)
    assert len(longer) == 18
    for before, after in zip(data, longer, strict=False):
        assert torch.equal(before.edge_index, after.edge_index)
        for key in ("x", "edge_attr", "charge", "u"):
            torch.testing.assert_close(before[key], after[key])
    for mix in longer[9:]:
        assert mix.edge_attr.shape == (mix.num_edges, 2)
        assert mix.charge.dtype == torch.long
        assert mix.name in {each.name for each in data}
        assert mix.y.sum() == pytest.approx(1)
    batch = next(iter(DataLoader(longer, 18)))
    assert batch.y.shape == (18, 3)
    F.cross_entropy(batch.x.new_zeros(18, 3), batch.y)


@pytest.mark.parametrize("method", METHODS)
def test_codes_of_edges_are_refused_by_name(method: type[AddedMixes]) -> None:
    data = [ring(4 + k % 4, k % 3) for k in range(6)]
    for each in data:
        each.bond = torch.arange(each.num_edges) % 4
    with pytest.raises(SmixupError, match="'bond' holds whole numbers"):
        method(amount=1.0, seed=0).fit(data).extend(data)


@pytest.mark.parametrize("method", METHODS)
def test_large_graphs_are_left_out_with_a_word(
    method: type[AddedMixes], make_graphs: Callable[..., Graphs]
) -> None:
    graphs = make_graphs([5, 6, 4, 12, 5])
    with pytest.warns(UserWarning, match=r"does not mix the 1 of 5 graphs .* max_nodes=8 nodes"):
        found = method(amount=2.0, max_nodes=8, seed=0).fit_extend(graphs)
    assert len(found) == 15
    assert found.sizes[5:].max() <= 8
    with pytest.raises(SmixupError, match="all 5 graphs have more than max_nodes=3 nodes"):
        method(max_nodes=3).fit_extend(graphs)


@pytest.mark.parametrize("method", METHODS)
def test_features_from_degrees_are_those_of_the_mix(
    method: type[AddedMixes], make_graphs: Callable[..., Graphs]
) -> None:
    def encode(degree: torch.Tensor) -> torch.Tensor:
        return degree.unsqueeze(1) / 10

    graphs = make_graphs([5, 6, 7, 8])
    adj = graphs.adj.to_sparse()
    whole = replace(adj, weight=torch.ones_like(adj.weight))
    graphs = graphs.replace(adj=whole, x=encode(whole.row_sums()), degree_encoding=encode)
    found = method(amount=1.0, seed=0).fit_extend(graphs)[4:]
    torch.testing.assert_close(found.x, encode(found.adj.row_sums()))


def test_nothing_is_added_where_nothing_is_asked_for(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([5, 6])
    assert FGWMixup(amount=0).fit(graphs).extend(graphs) is graphs
    data = [ring(4, 0), ring(5, 1)]
    assert len(FGWMixup(amount=0).fit_extend(data)) == 2


def test_pairs(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([5, 6, 9, 8, 20], num_classes=2)
    random = torch.Generator().manual_seed(0)
    first, second = draw_other(graphs, 40, random)
    assert (graphs.labels[first] != graphs.labels[second]).all()
    assert torch.bincount(first).tolist() == [8] * 5
    assert (torch.bincount(second, minlength=5) > 0).all()
    first, second = draw_nearest(graphs, 5, random)
    assert dict(zip(first.tolist(), second.tolist(), strict=True)) == {0: 1, 1: 0, 2: 3, 3: 2, 4: 3}


def test_who_may_be_mixed(make_graphs: Callable[..., Graphs]) -> None:
    one_class = make_graphs([3, 3, 3], num_classes=1)
    others = ~torch.eye(3, dtype=torch.bool)
    assert torch.equal(different(one_class), others)
    assert torch.equal(different(one_class.replace(has_classes=False)), others)
    assert different(one_class[[0]]).tolist() == [[True]]
