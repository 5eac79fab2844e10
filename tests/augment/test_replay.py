"""A replay tells what made a mix, and what it tells makes that mix again."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from torch_geometric.data import Batch, Data

from smixup import (
    AlignedCut,
    Augmentation,
    Compose,
    DropEdge,
    GraphMatcher,
    Graphs,
    Identity,
    LabelSmoothing,
    OneOf,
    RandomOrder,
    Replay,
    SMixup,
    SubMix,
    Uniform,
    Until,
    from_pyg,
    silent,
)
from smixup.augment.aligned_cut import Placed, cut
from smixup.augment.mixing import interpolate
from smixup.augment.transport import TRANSPORTS
from smixup.errors import SmixupError, UsageError
from smixup.graphs import SparseOperator

TINY: dict[str, Any] = {"num_layers": 2, "hidden_channels": 8, "max_steps": 4, "batch_size": 4}


def ladder(rungs: int, label: int, place: int) -> Data:
    """A ladder, its nodes in random order with random features."""
    random = torch.Generator().manual_seed(place)
    n = 2 * rungs
    sides = [(i, i + 2) for i in range(n - 2)] + [(i, i + 1) for i in range(0, n, 2)]
    ends = torch.randperm(n, generator=random)[torch.tensor(sides).T]
    x = torch.rand(n, 3, generator=random)
    return Data(x=x, edge_index=torch.cat([ends, ends.flip(0)], 1), y=torch.tensor([label]))


@pytest.fixture
def dataset() -> list[Data]:
    return [ladder(2 + k % 4, k % 2, k) for k in range(14)]


def matcher(normalization: str) -> GraphMatcher:
    return GraphMatcher(normalization=normalization, **TINY)


def batch_of(dataset: list[Data], *places: int) -> Batch:
    return Batch.from_data_list([dataset[place] for place in places])


def made_again(how: Replay, transport: object) -> Data:
    """The mix from what the replay says, by Eq. (4) and (5)."""
    left, right = (from_pyg([data], 2) for data in how.graphs)
    rows, columns = how.alignment.nonzero(as_tuple=True)
    M = SparseOperator.from_entries(
        rows, columns, how.alignment[rows, columns], tuple(how.alignment.shape)
    )
    moved = TRANSPORTS.of(transport)(M, left, right)  # type: ignore[arg-type]
    mixed = interpolate(left, moved, torch.tensor([how.ratio]))
    edges, weight = mixed.adj.to_sparse().edges()
    return Data(x=mixed.x, edge_index=edges, edge_weight=weight, y=mixed.y)


def dense(data: Data) -> torch.Tensor:
    found = torch.zeros(data.num_nodes, data.num_nodes)
    return found.index_put_(tuple(data.edge_index), data.edge_weight, accumulate=True)


@pytest.mark.parametrize("partners", [3, None])
@pytest.mark.parametrize("transport", ["partial", "partial(edges=true)", "balanced", "paper"])
@pytest.mark.parametrize("normalization", ["one-to-one", "columns"])
def test_what_it_tells_makes_the_mix_again(
    dataset: list[Data], normalization: str, transport: str, partners: int | None
) -> None:
    mix = SMixup(
        matcher(normalization), transport=transport, partners=partners, threshold=0.0, seed=0
    ).fit(dataset, silent)
    places = [5, 0, 13, 8, 3]
    out = mix(batch_of(dataset, *places))
    for i, first in enumerate(places):
        how, handed_out = mix.replay(i), out.get_example(5 + i)
        assert how.in_training_set
        assert how.first == first
        assert torch.equal(how.graphs[0].x, dataset[how.first].x)
        assert torch.equal(how.graphs[1].x, dataset[how.second].x)
        assert torch.equal(how.graphs[1].y.argmax(1), dataset[how.second].y)
        for name in ("x", "edge_index", "edge_weight", "y"):
            assert torch.equal(how.mix[name], handed_out[name])
        again = made_again(how, transport)
        exact = {"rtol": 0, "atol": 1e-6} if normalization == "one-to-one" else {}
        torch.testing.assert_close(again.x, handed_out.x, **exact)
        torch.testing.assert_close(dense(again), dense(handed_out), **exact)
        torch.testing.assert_close(again.y, handed_out.y)


@pytest.mark.parametrize("normalization", ["one-to-one", "columns"])
def test_the_alignment_is_the_matchers(dataset: list[Data], normalization: str) -> None:
    mix = SMixup(matcher(normalization), seed=0).fit(dataset, silent)
    mix(batch_of(dataset, 4, 9))
    how = mix.replay(1)
    expected = mix.matcher.match(dataset[how.first], dataset[how.second])  # type: ignore[attr-defined]
    torch.testing.assert_close(how.alignment, expected)
    assert how.alignment.shape == (dataset[9].num_nodes, dataset[how.second].num_nodes)


@pytest.mark.parametrize("chosen", [matcher("one-to-one"), Uniform()])
def test_a_cut_is_replayed_by_the_one_to_one_alignment_it_was_made_along(
    dataset: list[Data], chosen: Any
) -> None:
    mix = AlignedCut(chosen, seed=0).fit(dataset, silent)
    out = mix(batch_of(dataset, 2, 7, 11))
    for i in range(3):
        how, handed_out = mix.replay(i), out.get_example(3 + i)
        M = how.alignment
        assert ((M == 0) | (M == 1)).all()
        assert (M.sum(0) <= 1).all()
        assert (M.sum(1) <= 1).all()
        left, right = (from_pyg([data], 2) for data in how.graphs)
        rows, columns = M.nonzero(as_tuple=True)
        entries = SparseOperator.from_entries(rows, columns, M[rows, columns], tuple(M.shape))
        moved = Placed()(entries, left, right)
        taken = (handed_out.x != left.x).any(1)  # features are random, so that all nodes differ
        again = cut(left, moved, taken)
        assert torch.equal(again.x, handed_out.x)
        assert torch.equal(again.adj.to_dense(), dense(handed_out))


def test_ratios_are_those_of_the_labels(dataset: list[Data]) -> None:
    mix = SMixup(Identity(), adaptive=True, seed=1).fit(dataset, silent)
    out = mix(batch_of(dataset, *range(8)))
    for i in range(8):
        how = mix.replay(i)
        same = dataset[how.first].y == dataset[how.second].y
        own = out.y[8 + i, int(dataset[how.first].y)]
        assert own == pytest.approx(1.0 if same else how.ratio)


@pytest.mark.parametrize("amount", [None, 0.5, 1.0, 2.5])
def test_mixes_are_counted_from_the_first(dataset: list[Data], amount: float | None) -> None:
    mix = SMixup(Identity(), amount=amount, seed=3).fit(dataset, silent)
    out = mix(batch_of(dataset, *range(6)))
    before = 0 if amount is None else 6
    for i in range(out.num_graphs - before):
        how, handed_out = mix.replay(i), out.get_example(before + i)
        assert torch.equal(how.mix.x, handed_out.x)
        assert dataset[how.first].num_nodes == handed_out.num_nodes
    with pytest.raises(UsageError, match="there is no mix"):
        mix.replay(out.num_graphs - before)


def test_graphs_of_elsewhere_are_named_by_their_places(dataset: list[Data]) -> None:
    mix = SMixup(Identity(), amount=0.5, seed=0).fit(dataset[:8], silent)
    strangers = batch_of(dataset, 10, 12, 9, 11)
    mix(strangers)
    for i in range(2):
        how = mix.replay(i)
        assert not how.in_training_set
        assert torch.equal(how.graphs[0].x, strangers.get_example(how.first).x)
        assert torch.equal(how.graphs[1].x, strangers.get_example(how.second).x)
        assert f" of the batch, lambda {how.ratio:.2f}," in repr(how)
    unfitted = SMixup(Identity(), num_classes=2)
    unfitted(strangers)
    assert not unfitted.replay(0).in_training_set
    graphs = from_pyg(dataset)
    unfitted.on_batch(graphs[[7, 3]])
    assert unfitted.replay(1).first == 1, "its place, not its number in an unknown set"


def test_graphs_of_our_own_loop_are_replayed_too(dataset: list[Data]) -> None:
    train = from_pyg(dataset).renumbered()
    mix = SMixup(Identity(), seed=0).fit(train, silent)
    mix.on_batch(train[[9, 2]])
    how = mix.replay(0)
    assert how.first == 9
    assert how.in_training_set
    assert torch.equal(how.right.x, train[[how.second]].x)


def test_it_is_one_readable_line(dataset: list[Data]) -> None:
    mix = SMixup(Identity(partial=True), seed=0).fit(dataset, silent)
    mix(batch_of(dataset, 3))
    how = mix.replay(0)
    sizes = [data.num_nodes for data in how.graphs]
    assert repr(how) == (
        f"graph 3 with graph {how.second} of the training set, lambda {how.ratio:.2f}, "
        f"{min(sizes)} of {sizes[0]} nodes matched"
    )
    soft = SMixup(Uniform(), seed=0).fit(dataset, silent)
    soft(batch_of(dataset, 3))
    assert repr(soft.replay(0)).endswith("10 of 10 nodes matched, softly")


@pytest.mark.parametrize("partners", [2, None])
def test_an_alignment_that_did_not_make_the_mix_is_never_shown(
    dataset: list[Data], partners: int | None
) -> None:
    mix = SMixup(RandomOrder(), partners=partners, seed=0).fit(dataset, silent)
    mix(batch_of(dataset, 3, 7))
    how = mix.replay(1)
    with pytest.raises(SmixupError, match="RandomOrder finds another alignment"):
        _ = how.alignment
    assert repr(how).endswith("along an alignment that cannot be found again")
    assert how.mix.num_nodes == how.graphs[0].num_nodes


def test_a_matcher_that_was_trained_anew_is_found_out(dataset: list[Data]) -> None:
    mix = SMixup(matcher("columns"), seed=0).fit(dataset, silent)
    mix(batch_of(dataset, 3, 7))
    _ = mix.replay(0).alignment
    mix.matcher.seed = 5  # type: ignore[attr-defined]
    mix.matcher.fit(dataset, silent)
    with pytest.raises(SmixupError, match="GraphMatcher finds another alignment"):
        _ = mix.replay(0).alignment


def test_codes_come_back_as_codes(dataset: list[Data]) -> None:
    for place, data in enumerate(dataset):
        data.x = torch.arange(data.num_nodes).remainder(3 + place % 2).unsqueeze(1)
    mix = SMixup(matcher("one-to-one"), encode="one-hot", seed=0).fit(dataset, silent)
    out = mix(batch_of(dataset, 1, 2))
    for i, how in enumerate(map(mix.replay, range(2))):
        assert torch.equal(how.mix.x, out.get_example(2 + i).x)
        assert torch.equal(how.graphs[1].x, dataset[how.second].x)
        assert how.alignment.any()


def test_sentences(dataset: list[Data]) -> None:
    mix = SMixup(Identity(), until=0.5, seed=0)
    with pytest.raises(UsageError, match="no batch to replay yet: call the augmentation"):
        mix.replay(0)
    mix.fit(dataset, silent)(batch_of(dataset, 1, 2))
    for wrong in (2, -1):
        with pytest.raises(UsageError, match=f"has 2 mixes, 0 to 1; there is no mix {wrong}"):
            mix.replay(wrong)
    with pytest.raises(UsageError, match="i must be a whole number, not 'a'"):
        mix.replay("a")  # type: ignore[arg-type]
    mix(batch_of(dataset, 1))
    with pytest.raises(UsageError, match="has one mix, number 0; there is no mix 1"):
        mix.replay(1)
    mix.set_epoch(10, 10)
    mix(batch_of(dataset, 1, 2))
    with pytest.raises(UsageError, match="the last batch has no mixes"):
        mix.replay(0)
    with pytest.raises(UsageError, match="DropEdge aligns no graphs"):
        DropEdge().replay(0)


def test_what_is_remembered_does_not_travel(dataset: list[Data]) -> None:
    mix = SMixup(Identity(), seed=0).fit(dataset, silent)
    before = len(pickle.dumps(mix))
    mix(batch_of(dataset, *range(10)))
    assert len(pickle.dumps(mix)) < before + 6000, "the state of a generator, but no batch"
    for other in (copy.deepcopy(mix), pickle.loads(pickle.dumps(mix))):
        with pytest.raises(UsageError, match="no batch to replay yet"):
            other.replay(0)
        other(batch_of(dataset, 4))
        assert other.replay(0).first == 4
    assert mix.replay(9).first == 9


def composed(augmentation: Augmentation, dataset: list[Data], *places: int) -> Batch:
    return augmentation.fit(dataset, silent)(batch_of(dataset, *places))


def test_compositions_ask_the_part_that_mixed(dataset: list[Data]) -> None:
    out = composed(
        both := Compose([SMixup(matcher("one-to-one"), seed=0), LabelSmoothing()]), dataset, 6, 1
    )
    assert both.replay(1).first == 1
    assert torch.equal(both.replay(1).mix.x, out.get_example(3).x)
    nested = Until(Compose([SubMix(seed=0), Until(AlignedCut(Identity(), seed=0))]))
    composed(nested, dataset, 6, 1, 3)
    assert isinstance(nested.replay(2), Replay)
    nested.set_epoch(9, 10)
    nested(batch_of(dataset, 6, 1, 3))
    with pytest.raises(UsageError, match="no part of this Until has aligned graphs of the last b"):
        nested.replay(2)


def test_a_graph_that_lost_edges_before_it_was_mixed(dataset: list[Data]) -> None:
    """The alignment is that of the training graph, the first graph is the one that was mixed."""
    both = Compose([DropEdge(p=0.4, seed=0), SMixup(matcher("one-to-one"), seed=0)])
    out = composed(both, dataset, 6, 1)
    how = both.replay(0)
    assert how.first == 6
    assert how.graphs[0].num_edges < dataset[6].num_edges
    assert torch.equal(how.graphs[0].edge_index, out.get_example(0).edge_index)
    expected = both.parts[1].matcher.match(dataset[6], dataset[how.second])  # type: ignore[attr-defined]
    assert torch.equal(how.alignment, expected)


def test_one_of_tells_of_the_part_that_was_drawn(dataset: list[Data]) -> None:
    either = OneOf([SMixup(Identity(), seed=0), SubMix(seed=0)], seed=0).fit(dataset, silent)
    seen = set()
    for _ in range(12):
        either(batch_of(dataset, 5, 2))
        seen.add(either.chosen)
        if either.chosen == 0:
            assert either.replay(0).first == 5
        else:
            with pytest.raises(UsageError, match="no part of this OneOf has aligned"):
                either.replay(0)
    assert seen == {0, 1}


def test_where_two_parts_mix_one_has_to_be_asked(dataset: list[Data]) -> None:
    twice = Compose([SMixup(Identity(), seed=0), LabelSmoothing(), SMixup(Identity(), seed=0)])
    composed(twice, dataset, 5, 2)
    with pytest.raises(UsageError, match=r"2 parts .* ask one of them, such as parts\[2\].replay"):
        twice.replay(0)
    assert isinstance(twice.parts[2].replay(3), Replay)
    assert isinstance(twice.parts[0].replay(0).left, Graphs)
