"""What a method makes, without what it keeps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.analysis.mixes import made_of, make_mixes
from smixup.analysis.parents import tagged
from smixup.augment import (
    Augmentation,
    Compose,
    DropEdge,
    GMixup,
    GraphTransplant,
    LabelSmoothing,
    MMixup,
    OneOf,
    SMixup,
    SubMix,
)
from smixup.classifiers import GIN
from smixup.graphs import Graphs, SparseOperator
from smixup.matching import Identity


@pytest.fixture
def graphs(make_graphs: Callable[..., Graphs]) -> Graphs:
    return make_graphs([4, 3, 6, 3, 9, 5, 2])


@pytest.fixture
def judge(graphs: Graphs) -> GIN:
    return GIN(graphs.num_features, graphs.num_classes, hidden_channels=8, num_layers=1)


def test_originals_that_stand_before_the_mixes_are_left_out(graphs: Graphs, judge: GIN) -> None:
    mixes = make_mixes(SMixup(Identity(), amount=0.5, alpha=1.0, seed=0), graphs, 10, judge)
    assert mixes.graphs is not None
    assert mixes.parents is not None
    assert len(mixes) == 10, "several batches of four mixes each"
    assert mixes.only_pairs().parents is not None
    lam = mixes.only_pairs().parents.lam  # type: ignore[union-attr]
    assert 0.5 <= float(lam.min()) < float(lam.max()) < 1
    assert len(mixes.only_pairs(3)) == 3


def test_changed_graphs_before_the_mixes_are_no_originals(graphs: Graphs) -> None:
    both = Compose([DropEdge(0.9, seed=0), SMixup(Identity(), amount=1.0, partners=None, seed=0)])
    found = made_of(both, tagged(graphs))
    assert found is not None
    assert len(found) == 2 * len(graphs)


def test_the_model_is_asked_and_originals_left_out(graphs: Graphs, judge: GIN) -> None:
    method = GraphTransplant(seed=0)
    mixes = make_mixes(method, graphs, 7, judge)
    assert method.model is judge
    assert len(mixes) == 7
    assert mixes.graphs is not None
    assert isinstance(mixes.graphs.adj, SparseOperator)


def test_new_graphs_of_a_dataset_have_no_parents(graphs: Graphs, judge: GIN) -> None:
    mixes = make_mixes(GMixup(amount=1.0, seed=0), graphs, 5, judge)
    assert mixes.graphs is not None
    assert len(mixes) == 5
    assert mixes.parents is None
    assert len(mixes.only_pairs()) == 0


def test_representations_are_mixed_as_tags_say(graphs: Graphs, judge: GIN) -> None:
    mixes = make_mixes(MMixup(per_pair=True, seed=0), graphs, 12, judge)
    assert mixes.graphs is None
    assert mixes.h is not None
    assert mixes.parents is not None
    assert len(mixes) == 12
    with torch.no_grad():
        h = judge.eval().embed(graphs)
    torch.testing.assert_close(mixes.h, mixes.parents.expected(h))
    pairs = mixes.only_pairs()
    assert pairs.h is not None
    assert 0 < len(pairs) == len(pairs.h)


def test_graphs_of_one_parent(graphs: Graphs, judge: GIN) -> None:
    for method in (DropEdge(seed=0), LabelSmoothing()):
        mixes = make_mixes(method, graphs, 5, judge)
        assert mixes.parents is not None
        assert len(mixes) == 5
        assert len(mixes.only_pairs()) == 0


def test_a_method_that_does_nothing_makes_nothing(graphs: Graphs, judge: GIN) -> None:
    assert len(make_mixes(Augmentation(), graphs, 5, judge)) == 0


def test_idle_batches_are_passed_over(graphs: Graphs, judge: GIN) -> None:
    sometimes = OneOf([Augmentation(), SubMix(seed=0)], p=[0.5, 0.5], seed=0)
    mixes = make_mixes(sometimes, graphs, 30, judge)
    assert mixes.graphs is not None
    assert len(mixes) == 30
