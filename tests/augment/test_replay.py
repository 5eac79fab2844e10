"""A replay tells what made a mix, and what it tells makes that mix again."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
from tiny_methods import matcher
from torch_geometric.data import Batch, Data

from smixup import (
    AlignedCut,
    Compose,
    DropEdge,
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
    to_pyg,
)
from smixup.augment.aligned_cut import cut, placed
from smixup.augment.mixing import TRANSPORTS, interpolate
from smixup.errors import SmixupError, UsageError
from smixup.graphs import SparseOperator


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


def batch_of(dataset: list[Data], *places: int) -> Batch:
    return Batch.from_data_list([dataset[place] for place in places])


def entries(how: Replay) -> SparseOperator:
    rows, columns = how.alignment.nonzero(as_tuple=True)
    values, shape = how.alignment[rows, columns], tuple(how.alignment.shape)
    return SparseOperator.from_entries(rows, columns, values, shape)


def dense(data: Data) -> torch.Tensor:
    found = torch.zeros(data.num_nodes, data.num_nodes)
    return found.index_put_(tuple(data.edge_index), data.edge_weight, accumulate=True)


@pytest.mark.parametrize(
    ("normalization", "transport", "partners"),
    [
        ("one-to-one", "partial(edges=true)", 3),
        ("one-to-one", "partial", None),
        ("columns", "paper", None),
        ("columns", "paper", 3),
    ],
)
def test_what_it_tells_makes_the_mix_again(
    dataset: list[Data],
    normalization: str,
    transport: str,
    partners: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SMixup, "threshold", 0.0)
    settings: dict[str, Any] = {"transport": transport, "partners": partners}
    mix = SMixup(matcher(normalization=normalization), seed=0, **settings).fit(dataset, silent)
    places = [5, 0, 13, 8, 3]
    out = mix(batch_of(dataset, *places))
    for i, first in enumerate(places):
        how, handed_out = mix.replay(i), out.get_example(5 + i)
        assert how.in_training_set and how.first == first
        assert torch.equal(how.left.x, dataset[how.first].x)
        assert torch.equal(how.right.x, dataset[how.second].x)
        expected = mix.matcher.match(dataset[how.first], dataset[how.second])
        torch.testing.assert_close(how.alignment, expected)
        for name in ("x", "edge_index", "edge_weight", "y"):
            assert torch.equal(to_pyg(how.mixed)[name], handed_out[name])
        moved = TRANSPORTS.of(transport)(entries(how), how.left, how.right)
        again = interpolate(how.left, moved, torch.tensor([how.ratio]))
        exact = {"rtol": 0, "atol": 1e-6} if normalization == "one-to-one" else {}
        torch.testing.assert_close(again.x, handed_out.x, **exact)
        torch.testing.assert_close(again.adj.to_dense(), dense(handed_out), **exact)
        torch.testing.assert_close(again.y, handed_out.y)


@pytest.mark.parametrize("chosen", [matcher(normalization="one-to-one"), Uniform()])
def test_a_cut_is_replayed_by_the_one_to_one_alignment_it_was_made_along(
    dataset: list[Data], chosen: Any
) -> None:
    mix = AlignedCut(chosen, seed=0).fit(dataset, silent)
    out = mix(batch_of(dataset, 2, 7, 11))
    for i in range(3):
        how, handed_out = mix.replay(i), out.get_example(3 + i)
        M = how.alignment
        assert ((M == 0) | (M == 1)).all() and (M.sum(0) <= 1).all() and (M.sum(1) <= 1).all()
        taken = (handed_out.x != how.left.x).any(1)  # features are random: all nodes differ
        again = cut(how.left, placed(entries(how), how.left, how.right), taken)
        assert torch.equal(again.x, handed_out.x)
        assert torch.equal(again.adj.to_dense(), dense(handed_out))


def test_graphs_of_elsewhere_are_named_by_their_places(dataset: list[Data]) -> None:
    mix = SMixup(Identity(), amount=0.5, seed=0).fit(dataset[:8], silent)
    strangers = batch_of(dataset, 10, 12, 9, 11)
    mix(strangers)
    for i in range(2):
        how = mix.replay(i)
        assert not how.in_training_set
        assert torch.equal(how.left.x, strangers.get_example(how.first).x)
        assert torch.equal(how.right.x, strangers.get_example(how.second).x)
        assert repr(how).endswith(f" of the batch, lambda {how.ratio:.2f}")
    graphs = from_pyg(dataset).renumbered()
    unfitted = SMixup(Identity(), num_classes=2)
    unfitted.on_batch(graphs[[7, 3]])
    assert unfitted.replay(1).first == 1, "its place, not its number in an unknown set"
    unfitted.fit(graphs, silent).on_batch(graphs[[9, 2]])
    how = unfitted.replay(0)
    assert how.first == 9 and torch.equal(how.right.x, graphs[[how.second]].x)


@pytest.mark.parametrize("partners", [2, None])
def test_an_alignment_that_did_not_make_the_mix_is_never_shown(
    dataset: list[Data], partners: int | None
) -> None:
    mix = SMixup(RandomOrder(), partners=partners, seed=0).fit(dataset, silent)
    mix(batch_of(dataset, 3, 7))
    how = mix.replay(1)
    with pytest.raises(SmixupError, match="RandomOrder finds another alignment"):
        _ = how.alignment
    learned = SMixup(matcher(normalization="columns"), seed=0).fit(dataset, silent)
    learned(batch_of(dataset, 3, 7))
    _ = learned.replay(0).alignment
    learned.matcher.seed = 5
    learned.matcher.fit(dataset, silent)
    with pytest.raises(SmixupError, match="GraphMatcher finds another alignment"):
        _ = learned.replay(0).alignment


def test_there_may_be_nothing_to_replay(dataset: list[Data]) -> None:
    mix = SMixup(Identity(), seed=0)
    with pytest.raises(UsageError, match="there is no mix to replay: call the augmentation"):
        mix.replay(0)
    mix.fit(dataset, silent)(batch_of(dataset, 1))
    with pytest.raises(UsageError, match="last batch's mixes, below 1, not 1"):
        mix.replay(1)
    mix.on_deaf_model()
    mix(batch_of(dataset, 1, 2))
    with pytest.raises(UsageError, match="there is no mix to replay"):
        mix.replay(0)
    with pytest.raises(UsageError, match="DropEdge aligns no graphs"):
        DropEdge().replay(0)


def test_what_is_remembered_does_not_travel(dataset: list[Data]) -> None:
    mix = SMixup(Identity(), seed=0).fit(dataset, silent)
    before = len(pickle.dumps(mix))
    mix(batch_of(dataset, *range(10)))
    assert len(pickle.dumps(mix)) < before + 6000, "the state of a generator, but no batch"
    for other in (copy.deepcopy(mix), pickle.loads(pickle.dumps(mix))):
        with pytest.raises(UsageError, match="there is no mix to replay"):
            other.replay(0)
        other(batch_of(dataset, 4))
        assert other.replay(0).first == 4
    assert mix.replay(9).first == 9


def test_compositions_ask_the_part_that_mixed(dataset: list[Data]) -> None:
    both = Compose([DropEdge(p=0.4, seed=0), SMixup(Identity(), seed=0), LabelSmoothing()])
    out = both.fit(dataset, silent)(batch_of(dataset, 6, 1))
    how = both.replay(0)
    assert how.first == 6 and torch.equal(dense(to_pyg(how.left)), dense(out.get_example(0)))
    nested = Until(Compose([SubMix(seed=0), Until(AlignedCut(Identity(), seed=0))]))
    nested.fit(dataset, silent)(batch_of(dataset, 6, 1, 3))
    assert isinstance(nested.replay(2), Replay)
    nested.set_epoch(9, 10)
    nested(batch_of(dataset, 6, 1, 3))
    with pytest.raises(UsageError, match="0 parts of this Until have aligned"):
        nested.replay(2)
    either = OneOf([SMixup(Identity()), SubMix()], p=[1, 0]).fit(dataset, silent)
    either(batch_of(dataset, 5, 2))
    assert either.replay(0).first == 5
    twice = Compose([SMixup(Identity(), seed=0), SMixup(Identity(), seed=0)])
    twice.fit(dataset, silent)(batch_of(dataset, 5, 2))
    with pytest.raises(UsageError, match=r"2 parts of this Compose .* such as parts\[0\].replay"):
        twice.replay(0)
