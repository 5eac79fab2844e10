"""Numbers that stand for the content of graphs."""

from __future__ import annotations

import torch

from smixup.graphs import Graphs
from smixup.graphs.content import KnownGraphs, bits, content_numbers, scrambled


def test_scrambled_numbers_are_those_of_their_sources_and_of_no_others() -> None:
    random = torch.Generator().manual_seed(0)
    drawn = torch.randint(-(2**62), 2**62, (20_000,), generator=random)
    numbers = torch.cat([torch.arange(-10_000, 10_000), drawn]).unique()
    mixed = scrambled(numbers)
    assert torch.equal(scrambled(numbers.flip(0)).flip(0), mixed)
    assert mixed.unique().numel() == numbers.numel()
    places = torch.arange(64)  # of numbers that differ in a bit, half of the bits differ then
    changed = scrambled(drawn[:1000]) ^ scrambled(drawn[:1000] ^ (1 << places).unsqueeze(1))
    flipped = ((changed.unsqueeze(2) >> places) & 1).double().mean(1)
    assert (flipped - 0.5).abs().max() < 0.1
    sets = torch.cartesian_prod(*[torch.arange(40)] * 3).sort(1).values.unique(dim=0)
    assert torch.equal(scrambled(sets.flip(1)).sum(1), scrambled(sets).sum(1))
    assert scrambled(sets).sum(1).unique().numel() == len(sets) == 40 * 41 * 42 // 6
    values = torch.tensor([0.0, -0.0, 1.0, -1.0, 1.0 + 2**-23, 1e-40, float("inf")])
    assert bits(values)[0] == bits(values)[1] == 0, "zero has one sign"
    assert bits(values).unique().numel() == len(values) - 1
    assert torch.equal(bits(values.double()), bits(values))
    assert torch.equal(bits(values.repeat(2, 1).T[:, 0]), bits(values)), "wherever they lie"


def test_any_batch_of_the_set_is_recognised_and_no_stranger(graphs: Graphs) -> None:
    graphs = graphs.renumbered()
    known = KnownGraphs.of(graphs)
    batch = known.recognised(graphs[[5, 0, 2]].renumbered())
    assert (batch.ids.tolist(), batch.set_id) == ([5, 0, 2], graphs.set_id)
    for some in (graphs[:5], graphs[1:]):
        few, batch = KnownGraphs.of(some.renumbered()), graphs[[5, 0]]
        assert few.recognised(batch) is batch
    order = torch.tensor([3, 5, 0, 1, 4, 2])
    assert torch.equal(content_numbers(graphs[order]), content_numbers(graphs)[order])


def test_every_part_of_a_graph_counts(graphs: Graphs) -> None:
    number, adj = content_numbers(graphs)[0], graphs.adj

    def changed(**fields: object) -> bool:
        return bool(content_numbers(graphs.replace(**fields))[0] != number)

    for column in range(3):
        x = graphs.x.clone()
        x[2, column] += 1e-3
        assert changed(x=x)
    turned = torch.arange(30)
    turned[:2] = torch.tensor([1, 0])
    assert changed(x=graphs.x[turned]) and changed(x=graphs.x.flip(1))
    double = torch.ones_like(adj.weight)
    double[0] = 2
    assert changed(adj=adj.scaled(double)) and changed(adj=adj.mask_entries(double < 2))
    assert not changed(y=1 - graphs.y)
    zeros = torch.zeros_like(graphs.x)
    assert torch.equal(*(content_numbers(graphs.replace(x=x)) for x in (zeros, -zeros)))
