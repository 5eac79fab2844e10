"""The cut along the alignment: every node and edge of a mix is one of G1 or one of G2."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import pytest
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from smixup import AlignedCut
from smixup.augment.aligned_cut import cut, placed
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Identity, RandomOrder

BY_ORDER = Identity(partial=True)


def labelled(graphs: Graphs) -> Graphs:
    """Every graph is a class of its own, and its number stands at each of its nodes."""
    x = graphs.batch.float().unsqueeze(1)
    return graphs.replace(x=x, y=torch.eye(len(graphs)))


def marked(*nodes: int, n: int = 4) -> Tensor:
    return torch.zeros(n, dtype=torch.bool).index_fill(0, torch.tensor(nodes), True)


def test_without_edges_the_target_counts_nodes(from_networkx: Any) -> None:
    graphs = labelled(from_networkx([nx.empty_graph(4), nx.empty_graph(4)]))
    left, right = graphs[[0]], graphs[[1]]
    found = cut(left, placed(BY_ORDER(left, right), left, right), marked(2))
    assert found.y.flatten().tolist() == pytest.approx([3 / 4, 1 / 4])


def directed(sizes: list[int], seed: int) -> Graphs:
    """Random weighted graphs whose edges have a direction, with attributes of every kind."""
    random = torch.Generator().manual_seed(seed)
    parts, kinds = [], []
    for n in sizes:
        dense = torch.rand(n, n, generator=random) * (torch.rand(n, n, generator=random) < 0.5)
        target, source = dense.fill_diagonal_(0).nonzero(as_tuple=True)
        index = torch.stack([source, target])
        parts.append(SparseOperator.from_edges(index, dense[target, source], n))
        kinds.append(3 * parts[-1].weight.unsqueeze(1))
    total = sum(sizes)
    return Graphs(
        x=torch.rand(total, 2, generator=random),
        adj=SparseOperator.stack(parts),
        y=torch.eye(len(sizes)),
        ptr=torch.tensor([0, *sizes]).cumsum(0),
        edge_attrs={"kind": torch.cat(kinds)},
        node_attrs={
            "charge": torch.randint(9, (total,), generator=random),
            "pos": torch.rand(total, 3, generator=random),
        },
        graph_attrs={"u": torch.rand(len(sizes), 2, generator=random)},
    )


def kinds_of(graphs: Graphs) -> torch.Tensor:
    return replace(graphs.adj, weight=graphs.edge_attrs["kind"].squeeze(1)).to_dense()


def test_against_a_plain_loop() -> None:
    """Pair by pair and entry by entry, with partial alignments in random order."""
    sizes, order = [5, 3, 7, 4], torch.tensor([2, 0, 1, 3])
    left = directed(sizes, 0)
    right = directed(sizes, 1)[order]
    random = torch.Generator().manual_seed(2)
    part = torch.rand(left.num_nodes, generator=random) < 0.7
    M = RandomOrder(seed=3, partial=True)(left, right)
    found = cut(left, placed(M, left, right), part)
    m, A1, A2 = M.to_dense(), left.adj.to_dense(), right.adj.to_dense()
    C1, C2 = (kinds_of(side) for side in (left, right))
    A, C, owner = A1.clone(), C1.clone(), torch.zeros_like(A1)
    counterpart = [int(row.argmax()) if row.any() else None for row in m]
    for i, k in torch.cartesian_prod(*[torch.arange(left.num_nodes)] * 2).tolist():
        there = counterpart[i], counterpart[k]
        if part[i] and part[k] and None not in there:
            A[i, k], C[i, k], owner[i, k] = A2[there], C2[there], 1.0
    assert torch.equal(found.adj.to_dense(), A)
    assert torch.equal(kinds_of(found), C)
    for i, j in enumerate(counterpart):
        side, place = (right, j) if part[i] and j is not None else (left, i)
        assert torch.equal(found.x[i], side.x[place])
        for name in ("charge", "pos"):
            assert torch.equal(found.node_attrs[name][i], side.node_attrs[name][place])
    for g, (a, b) in enumerate(zip(left.ptr[:-1], left.ptr[1:], strict=True)):
        share = float((A * owner)[a:b, a:b].sum() / A[a:b, a:b].sum())
        torch.testing.assert_close(found.y[g], (1 - share) * left.y[g] + share * right.y[g])
        u = (1 - share) * left.graph_attrs["u"][g] + share * right.graph_attrs["u"][g]
        torch.testing.assert_close(found.graph_attrs["u"][g], u)


def test_a_part_is_connected_and_as_large_as_lambda_says(from_networkx: Any) -> None:
    """On paths of 40 nodes the part that gave way is a stretch of `(1 - lam) 40` nodes."""
    graphs = labelled(from_networkx([nx.path_graph(40), nx.path_graph(40)]))
    left, right = graphs[[0] * 50], graphs[[1] * 50]
    moved = placed(BY_ORDER(left, right), left, right)
    lam = torch.linspace(0.5, 1, 50)
    found = AlignedCut(BY_ORDER, seed=0).mix(left, moved, lam).x.view(50, 40)
    assert found.sum(1).tolist() == ((1 - lam) * 40).round().tolist()
    steps = (found.diff(dim=1) != 0).sum(1)
    assert (steps <= 2).all(), "a stretch has two ends"


def test_code_numbers_of_edges_are_carried_and_not_averaged() -> None:
    data = []
    for place in range(4):
        ring = torch.stack([torch.arange(6), (torch.arange(6) + 1) % 6])
        index, bond = torch.cat([ring, ring.flip(0)], 1), torch.full((12,), place)
        x, y = torch.full((6, 1), float(place)), torch.tensor([place])
        data.append(Data(x=x, edge_index=index, bond=bond, charge=bond[:6], y=y))
    method = AlignedCut(BY_ORDER, amount=None, seed=0, num_classes=4)
    came = 0
    for _ in range(5):
        for place, part in enumerate(method(Batch.from_data_list(data)).to_data_list()):
            assert part.bond.dtype == torch.long
            assert torch.equal(part.charge, part.x.flatten().long())
            own = float((part.bond == place).float().mean())
            assert float(part.y[0, place]) == pytest.approx(own), "the target counts edges"
            came += int((part.bond != place).sum())
    assert came > 0
