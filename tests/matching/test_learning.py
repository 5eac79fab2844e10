"""What a matcher is taught, by triplets and by copies of graphs, and how long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.matching.assign import Columns
from smixup.matching.fitting import (
    HELD_OUT_EXAMPLES,
    WARM_UP,
    Schedule,
    fit_network,
    held_out_scores,
    split_held_out,
)
from smixup.matching.inputs import NodeInput
from smixup.matching.lessons import (
    MOST,
    CorrespondenceObjective,
    NearAndFar,
    Objective,
    Score,
    TripletObjective,
    TripletSampler,
    asked_nodes,
    shuffled_copy,
    triplet_loss,
    triplets_of,
    true_node_likelihood,
)
from smixup.matching.network import MatchingNetwork
from smixup.matching.pairs import Pairs
from smixup.progress import Progress, silent

close = torch.testing.assert_close
NAN = float("nan")
SCHEDULE = Schedule(
    batch_size=8, learning_rate=1e-2, max_steps=12, evaluate_every=3, patience=50, seed=0
)
QUICK = {"num_layers": 1, "hidden_channels": 8, "max_steps": 2, "batch_size": 4}
TRIPLETS, COPIES = "triplet accuracy", "copies found"


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def inputs(graphs: Graphs) -> NodeInput:
    inputs = NodeInput(3, 3)
    inputs.fit(graphs)
    return inputs


def fresh(inputs: NodeInput) -> MatchingNetwork:
    torch.manual_seed(0)
    return MatchingNetwork(inputs.width, 8, 2)


def test_a_copy_is_isomorphic_by_its_origin(graphs: Graphs) -> None:
    batch = graphs.replace(node_attrs={"motif": torch.arange(30) % 3 == 0})
    copy, origin = shuffled_copy(batch, seeded())
    assert torch.equal(copy.x, batch.x[origin])
    assert torch.equal(copy.node_attrs["motif"], batch.node_attrs["motif"][origin])
    assert torch.equal(copy.adj.to_dense(), batch.adj.to_dense()[origin][:, origin])
    assert torch.equal(batch.batch[origin], batch.batch), "nodes stay in their graph"
    assert sorted(origin.tolist()) == list(range(30)) != origin.tolist()
    dropped, _ = shuffled_copy(graphs, seeded(), torch.full((7,), 0.5))
    dense = dropped.adj.to_dense()
    assert dropped.adj.symmetric and torch.equal(dense, dense.T)
    assert 0 < dense.count_nonzero() < graphs.adj.to_dense().count_nonzero()


def test_the_likelihood_is_the_entry_of_m_at_the_true_node(
    graphs: Graphs, grouped: Callable[..., Pairs]
) -> None:
    torch.manual_seed(0)
    network, left = MatchingNetwork(3, 8, 2), graphs[[0, 1, 2, 3, 4, 5]]
    copy, origin = shuffled_copy(left, seeded())
    pairs, truth = grouped(left, copy, "many"), origin - left.ptr[left.batch]
    scores = zip(network.pair_scores(network(pairs), pairs), pairs.blocks(), strict=True)
    M = pairs.assigned([Columns()(*both) for both in scores]).to_dense()
    likelihood = true_node_likelihood(network, pairs, truth, torch.arange(len(origin)))
    close(likelihood.exp(), M[origin, torch.arange(len(origin))], atol=1e-4, rtol=1e-4)
    asked = torch.tensor([0, 3, 5, 6, 15, 16, 22, 27])  # none of the second and the fourth graph
    close(true_node_likelihood(network, pairs, truth, asked), likelihood[asked])


def test_some_nodes_of_large_graphs_stand_for_all() -> None:
    random = seeded()
    before = random.get_state()
    node, weight = asked_nodes(torch.tensor([0, 4, 4, 10, 266]), random)
    assert torch.equal(random.get_state(), before), "small graphs are asked without chance"
    assert torch.equal(node, torch.arange(266)) and torch.equal(weight, torch.ones(266))
    ptr = torch.tensor([0, 3, 13, 13, 15, 40])
    batch, often = torch.repeat_interleave(torch.arange(5), ptr.diff()), torch.zeros(40)
    for _ in range(2000):
        node, weight = asked_nodes(ptr, random, most=5)
        often[node] += weight / 2000
    assert torch.bincount(batch[node], minlength=5).tolist() == [3, 5, 0, 2, 5]
    close(torch.zeros(5).index_add_(0, batch[node], weight), ptr.diff().float())
    assert (node.diff() > 0).all(), "in order, and none twice"
    assert (often - 1).abs().max() < 0.25, "all nodes are asked equally often"


def test_triplets_are_of_two_classes_and_equally_likely() -> None:
    labels = torch.tensor([2, 0, 0, 1, 2, 0, 5, 2, 2])
    anchor, positive, negative = TripletSampler.of(labels).draw(20_000, seeded())
    assert (labels[anchor] == labels[positive]).all() and (labels[anchor] != labels[negative]).all()
    alone = (labels[anchor] == 1) | (labels[anchor] == 5)
    assert torch.equal(anchor == positive, alone), "only one alone is its own partner"
    assert (anchor.bincount(minlength=9) / 20_000 - 1 / 9).abs().max() < 0.02
    of_zero = anchor == 0
    for drawn, choices in ((positive, [4, 7, 8]), (negative, [1, 2, 3, 5, 6])):
        shares = drawn[of_zero].bincount(minlength=9).float() / int(of_zero.sum())
        expected = torch.zeros(9).index_fill(0, torch.tensor(choices), 1 / len(choices))
        assert (shares - expected).abs().max() < 0.05
    same, different = torch.tensor([1.0, 4.0, 0.0, 2.0]), torch.tensor([3.0, 2.0, 0.5, 2.0])
    assert float(triplet_loss(same, different, margin=1.0)) == pytest.approx((0 + 3 + 0.5 + 1) / 4)


def test_the_lesson_is_the_loss_of_its_triplets(graphs: Graphs, inputs: NodeInput) -> None:
    network, lesson = (
        fresh(inputs),
        TripletObjective(graphs, inputs, 0.7, TripletSampler.of(graphs.labels)),
    )
    loss, score = lesson(network, 5, seeded(4))
    triplets = TripletSampler.of(graphs.labels).draw(5, seeded(4))
    anchor, *others = (inputs(graphs[index]) for index in triplets)
    same, different = (network.distances(Pairs.of(anchor, other)) for other in others)
    close(loss, triplet_loss(same, different, 0.7), atol=1e-4, rtol=1e-4)
    assert float(score) == float((same < different).float().mean())
    loss.backward()
    assert network.encoder.weight.grad is not None
    itself = network.distances(Pairs.of(anchor, anchor))
    close(itself, torch.zeros(5), atol=1e-4, rtol=0)


def drawn_from(y: Tensor, number: int = 4000) -> tuple[Tensor, Tensor, Tensor]:
    sampler = NearAndFar.of(y)
    assert sampler is not None
    return sampler.draw(number, seeded(1))


def test_near_and_far_values_by_hand() -> None:
    anchor, near, far = drawn_from(torch.arange(41.0).unsqueeze(1), 20_000)
    assert set(anchor.tolist()) == set(range(41))
    assert set(near[anchor == 0].tolist()) == set(range(1, 11)), "the nearest quarter of 40"
    assert set(far[anchor == 0].tolist()) == set(range(21, 41)), "the farthest half"
    assert set(near[anchor == 20].tolist()) == {*range(15, 20), *range(21, 26)}
    assert set(far[anchor == 20].tolist()) == {*range(10), *range(31, 41)}


def test_near_is_nearer_than_far_in_what_is_known_of_both() -> None:
    y = torch.randn(80, 2, generator=seeded())
    y[torch.rand(80, 2, generator=seeded(1)) < 0.4] = NAN
    y[0] = NAN
    z = (y - y.nanmean(0)) / (y - y.nanmean(0)).square().nanmean(0).sqrt()
    anchor, near, far = drawn_from(y)
    assert not (torch.cat([anchor, near, far]) == 0).any(), "of graph 0 nothing is known"
    apart = [(z[anchor] - z[other]).square().nanmean(1) for other in (near, far)]
    assert (apart[0] < apart[1]).all()
    units = y * torch.tensor([1e-4, 1e6])
    assert all(torch.equal(*both) for both in zip(drawn_from(units), drawn_from(y), strict=True))


def test_labels_are_classes_and_several_go_by_agreement() -> None:
    for share in (0.5, 0.1, 0.02):
        y = (torch.arange(100) < 100 * share).float().unsqueeze(1)
        anchor, near, far = drawn_from(y)
        assert (y[anchor] == y[near]).all() and (y[anchor] != y[far]).all()
        assert y[anchor].unique().numel() == 2
    several = [[1.0, 1, 0]] * 5 + [[1.0, 0, 0]] * 5 + [[0.0, 0, 1]] * 5 + [[NAN, NAN, 1.0]]
    anchor, near, far = drawn_from(torch.tensor(several))
    assert (near[anchor < 5] < 5).all() and (far[anchor < 5] >= 5).all()
    of_last = near[anchor == 15]
    assert ((of_last >= 10) & (of_last < 15)).all(), "the one label that is known"
    for y in (
        torch.full((9, 2), 4.2),
        torch.full((9, 2), NAN),
        torch.zeros(9, 0),
        torch.zeros(0, 1),
        torch.tensor([[1.0], [2.0], [NAN]]),
        torch.tensor([[1.0, NAN], [2.0, NAN], [NAN, 1.0], [NAN, 2.0]]),
    ):
        assert NearAndFar.of(y) is None
    y = (torch.arange(3000) % 50 == 0).float().unsqueeze(1)
    anchor, near, far = drawn_from(y, 40_000)
    assert anchor.unique().numel() == MOST < len(y)
    assert (y[anchor] == y[near]).all() and (y[anchor] != y[far]).all()


@pytest.fixture
def thirty(make_graphs: Callable[..., Graphs]) -> Graphs:
    return make_graphs([5, 4, 6, 3, 7, 5, 4, 6, 5, 5] * 3)


def with_targets(graphs: Graphs, y: Tensor) -> Graphs:
    return graphs.replace(y=y, has_classes=False)


def test_targets_decide_what_is_taught(thirty: Graphs) -> None:
    assert isinstance(triplets_of(thirty), TripletSampler)
    y = torch.randn(30, 3, generator=seeded())
    taught = with_targets(thirty, y)
    assert list(GraphMatcher(**QUICK).fit(taught, silent).fit_scores) == [TRIPLETS, COPIES]
    alone = GraphMatcher(correspondences=False, **QUICK).fit(taught, silent)
    assert list(alone.fit_scores) == [TRIPLETS]
    for y in (torch.ones(30, 2), torch.full((30, 2), NAN)):
        nothing = with_targets(thirty, y)
        assert list(GraphMatcher(**QUICK).fit(nothing, silent).fit_scores) == [COPIES]
        with pytest.raises(SmixupError, match=r"all the same, or not known; teach correspondences"):
            GraphMatcher(correspondences=False, **QUICK).fit(nothing, silent)


def test_a_tenth_is_kept_apart_if_it_can_tell_anything(thirty: Graphs) -> None:
    values, parts = with_targets(thirty, torch.arange(30.0).unsqueeze(1)), []
    for seed in range(5):
        known, held_out = split_held_out(values, seed, triplets=True)
        assert (len(known), len(held_out)) == (27, 3)
        assert {*known.ids.tolist(), *held_out.ids.tolist()} == set(range(30))
        parts.append(held_out.ids.tolist())
    assert len({tuple(part) for part in parts}) > 1
    kept = []
    for seed in range(30):
        known, held_out = split_held_out(thirty, seed, triplets=True)
        kept.append(held_out is not known)
        expected = set(thirty.labels.tolist()) if kept[-1] else set(held_out.labels.tolist())
        assert set(held_out.labels.tolist()) == expected, "every class is among those kept apart"
    assert len(set(kept)) == 2
    few = thirty[:9]
    for train in (few, with_targets(few, torch.arange(9.0).unsqueeze(1))):
        assert split_held_out(train, 0, triplets=True) == (train, train)
    y = torch.zeros(30, 1)
    y[[3, 4]] = 1  # three of the others tell nothing of distances; copies need no values
    train = with_targets(thirty, y)
    assert split_held_out(train, 0, triplets=True) == (train, train)
    assert [len(part) for part in split_held_out(train, 0, triplets=False)] == [27, 3]


class Script:
    """An objective whose held-out losses are prescribed."""

    name = "scripted"

    def __init__(self, losses: list[float]) -> None:
        self.losses: Iterator[float] = iter(losses)
        self.sizes: list[int] = []

    def __call__(self, network: MatchingNetwork, size: int, generator: torch.Generator) -> Score:
        self.sizes.append(size)
        loss = next(self.losses)
        return loss * (1 + 0 * network.log_scale), torch.tensor(1 / (1 + loss))


@pytest.fixture
def objectives(graphs: Graphs, inputs: NodeInput) -> list[Objective]:
    triplets = TripletSampler.of(graphs.labels)
    first = TripletObjective(graphs, inputs, 1.0, triplets)
    return [first, CorrespondenceObjective(graphs, inputs)]


def weights(network: MatchingNetwork) -> list[Tensor]:
    return [tensor.clone() for tensor in network.state_dict().values()]


def same(one: list[Tensor], two: list[Tensor]) -> bool:
    return all(map(torch.equal, one, two))


def test_the_rate_rises_then_falls_and_so_does_the_loss(
    objectives: list[Objective], inputs: NodeInput
) -> None:
    long = replace(SCHEDULE, max_steps=100, learning_rate=0.5)
    rates = [long.rate(step) for step in range(100)]
    assert rates[0] == pytest.approx(0.5 / WARM_UP) and max(rates) == rates[WARM_UP - 1]
    assert rates[WARM_UP:] == sorted(rates[WARM_UP:], reverse=True)
    assert 0.4 < rates[WARM_UP - 1] <= 0.5 and 0 < rates[-1] < 0.06
    seen: list[Progress] = []
    network = fresh(inputs)
    schedule = replace(SCHEDULE, max_steps=30, evaluate_every=10, batch_size=16)
    before, _ = held_out_scores(network, objectives, schedule)
    scores = fit_network(network, objectives, objectives, schedule, seen.append)
    after, scores_after = held_out_scores(network, objectives, schedule)
    assert after < 0.8 * before
    assert scores == scores_after == seen[-1].metrics
    assert set(scores) == {TRIPLETS, COPIES}
    assert [progress.done for progress in seen] == list(range(1, 31))
    assert [not progress.metrics for progress in seen] == [True] * 9 + [False] * 21


def test_it_stops_by_patience_and_restores_the_best(
    objectives: list[Objective], inputs: NodeInput
) -> None:
    network, kept, totals = fresh(inputs), [], []

    def report(progress: Progress) -> None:
        totals.append(progress.total)
        if progress.done % SCHEDULE.evaluate_every == 0:
            kept.append(weights(network))

    schedule = replace(SCHEDULE, max_steps=100, patience=2)
    held_out = Script([3.0, 1.0, 2.0, 1.5, 0.1])
    scores = fit_network(network, objectives, [held_out], schedule, report)
    assert len(kept) == 4, "two looks without improvement are enough"
    assert same(weights(network), kept[1]) and not same(kept[1], kept[3])
    assert scores == {"scripted": 0.5}
    assert totals == [100] * 11 + [12], "the last report says that it is over"
    assert held_out.sizes == [HELD_OUT_EXAMPLES] * 4
    large = Script([1.0])
    fit_network(network, objectives, [large], replace(SCHEDULE, batch_size=256, max_steps=3))
    assert large.sizes == [256], "a look takes no fewer examples than a step"
    with pytest.raises(
        SmixupError, match=r"not finite in step 1: lower its learning rate, .* 0\.01"
    ):
        fit_network(network, [Script([float("nan")])], [], SCHEDULE)
