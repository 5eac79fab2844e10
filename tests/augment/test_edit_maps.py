"""Maps of nodes are those of cheap edit paths, found once per pair and used both ways."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from edited_graphs import by_recursion
from torch_geometric.utils import from_networkx

from smixup.augment.edit_maps import MapSearch, find_maps, map_pairs
from smixup.augment.edit_paths import EditPaths
from smixup.edits.edit_costs import METRIC, UNIT, EditCosts
from smixup.edits.edit_problem import EditProblem
from smixup.graphs import Graphs
from smixup.graphs.pyg import from_pyg
from smixup.progress import Progress


def cost_of(search: MapSearch, left: Graphs, right: Graphs) -> float:
    pair = search.prepared(left)[0], search.prepared(right)[0]
    problem = EditProblem.of(*pair, search.costs)
    return problem.cost(problem.order_of(search(*pair)))


@pytest.mark.parametrize("costs", [UNIT, METRIC])
def test_small_graphs_get_the_cheapest_map(costs: EditCosts, graphs: Graphs) -> None:
    search, longer = MapSearch(costs, starts=0), MapSearch(costs, starts=40, exact_nodes=0)
    for i, j in ((0, 3), (0, 6), (3, 0), (1, 5), (5, 3)):
        pair = graphs[[i]], graphs[[j]]
        assert cost_of(search, *pair) <= cost_of(longer, *pair) + 1e-6
        if costs == METRIC:
            slow = by_recursion(*(search.prepared(each)[0] for each in pair), costs)
            assert cost_of(search, *pair) == pytest.approx(slow)


def test_a_search_alone_may_miss_it_and_going_through_all_maps_does_not() -> None:
    generator = torch.Generator().manual_seed(0)
    worse = 0
    for seed in range(12):
        pair = _regular(seed, generator)
        alone = cost_of(MapSearch(starts=0, exact_nodes=0), *pair)
        exact = cost_of(MapSearch(starts=0), *pair)
        assert exact <= alone
        worse += exact < alone
    assert worse > 0


def _regular(seed: int, generator: torch.Generator) -> tuple[Graphs, Graphs]:
    """Two random graphs of nine nodes whose degrees tell little."""

    made = [nx.random_regular_graph(4, 9, seed=2 * seed + place) for place in range(2)]
    both = from_pyg([from_networkx(each) for each in made])
    x = torch.eye(3)[torch.randint(3, (18,), generator=generator)]
    both = both.replace(x=x)
    return both[:1], both[1:]


def test_every_node_of_the_smaller_graph_has_a_partner(graphs: Graphs) -> None:
    left, right = graphs[[0, 4, 1, 3]], graphs[[4, 0, 5, 5]]
    found = map_pairs(left, right, MapSearch())
    mapped = left.totals((found >= 0).long())
    assert mapped.tolist() == torch.minimum(left.sizes, right.sizes).tolist()
    inside = found[found >= 0]
    assert len(inside.unique()) == len(inside)
    assert torch.equal(right.batch[inside], left.batch[found >= 0])


def test_stored_maps_are_those_of_pairs_and_their_inverses(graphs: Graphs) -> None:
    told: list[Progress] = []
    generator = torch.Generator().manual_seed(0)
    search = MapSearch()
    chosen = torch.tensor([0, 1, 3, 4, 6])
    maps = find_maps(graphs, chosen, 3, search, generator, told.append)
    assert told[-1].done == told[-1].total == 10, "two searches per graph serve three partners"
    assert maps.node_map.shape == (3, graphs.num_nodes)
    partner = maps.partner.view(3, -1)
    assert (partner[:, [2, 5]] == -1).all(), "graphs that were not chosen"
    first = partner[0]
    assert all(int(partner[1, int(first[i])]) == i for i in chosen.tolist())
    left = graphs[chosen]
    for turn in range(3):
        right = graphs[partner[turn, chosen]]
        nodes = torch.isin(graphs.batch, chosen)
        number = maps.node_map[turn, nodes]
        found = torch.where(number >= 0, number + right.ptr[left.batch], -1)
        length = EditPaths(left, right, found).length
        for b in range(len(left)):
            assert float(length[b]) == pytest.approx(cost_of(search, left[[b]], right[[b]]))


def test_a_draw_finds_partners_and_where_their_nodes_go(graphs: Graphs) -> None:
    maps = find_maps(graphs, torch.arange(7), 2, MapSearch(), torch.Generator().manual_seed(1))
    left = graphs[[5, 0, 4]]
    right, found = maps.draw(left, torch.Generator().manual_seed(2))
    assert len(found) == left.num_nodes
    there = found >= 0
    assert torch.equal(right.batch[found[there]], left.batch[there])
    wanted = torch.stack([maps.partner.view(2, -1)[:, i] for i in (5, 0, 4)], 1)
    assert all(int(i) in wanted[:, b].tolist() for b, i in enumerate(right.ids))


def test_features_from_degrees_and_signs_do_not_count(graphs: Graphs) -> None:
    plain = MapSearch(by_features=False).prepared(graphs[[0]])[0]
    assert plain.x.tolist() == [[1.0]] * 4
    adj = graphs.adj.to_sparse()
    turned = MapSearch().prepared(graphs.replace(adj=adj.scaled(-torch.ones_like(adj.weight))))
    for one, other in zip(MapSearch().prepared(graphs), turned, strict=True):
        np.testing.assert_allclose(one.adj, other.adj)
