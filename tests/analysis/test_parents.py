"""Tags tell the parents of a mix, for every method: they agree with its target."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from smixup.analysis.parents import TAG, Parents, tagged
from smixup.app.runs.registry import METHODS, SAME_NODES, make_method
from smixup.augment import Augmentation, Compose, DropEdge, IfMixup, OneOf, SMixup, SubMix, Until
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Identity, RandomOrder

OWN = {"label-smoothing", "g-mixup", "m-mixup", "vanilla"}
"""Methods whose graphs have targets that are no mixture of others', or that make no graphs."""

METHODS_BY_NAME: dict[str, Callable[[GraphMatcher], Augmentation]] = {
    name: lambda _, name=name: make_method(name, 0, {})
    for name in METHODS
    if name not in {*OWN, *SAME_NODES}
}
METHODS_BY_NAME |= {
    "submix": lambda _: SubMix(share=1.0, seed=0),
    "s-mixup": lambda tiny: SMixup(tiny, amount=1.0, alpha=1.0, partners=None, seed=0),
    "s-mixup, stored": lambda tiny: SMixup(tiny, amount=1.0, alpha=1.0, partners=3, seed=0),
    "s-mixup, adaptive": lambda tiny: SMixup(tiny, amount=None, adaptive=True, seed=0),
    "s-mixup, no originals": lambda _: SMixup(RandomOrder(), amount=None, seed=0),
    "composed": lambda _: Compose([DropEdge(seed=0), SMixup(RandomOrder(), amount=1.0, seed=0)]),
    "composed of two": lambda _: Compose([SubMix(seed=0), IfMixup(1.0, 1.0, seed=0)]),
    "one of": lambda _: OneOf([SubMix(seed=0), IfMixup(seed=0)], seed=0),
    "until": lambda _: Until(IfMixup(1.0, 1.0, seed=0)),
}


@pytest.fixture
def graphs(make_graphs: Callable[..., Graphs]) -> Graphs:
    """Targets of so many classes that hardly two graphs share one."""
    return make_graphs([8, 9, 1, 7, 9, 5, 8, 6], num_classes=8)


@pytest.mark.parametrize("name", METHODS_BY_NAME)
def test_tags_say_what_targets_say(
    name: str, graphs: Graphs, tiny: Callable[..., GraphMatcher]
) -> None:
    method, originals = METHODS_BY_NAME[name](tiny()), tagged(graphs)
    made = method.fit_extend(originals)
    found = method.on_batch(made)
    parents = Parents.of(found)
    assert parents is not None
    torch.testing.assert_close(parents.expected(originals.y), found.y)
    torch.testing.assert_close(parents.weights.sum(1), torch.ones(len(found)))
    if "mix" in name or name == "graph-transplant":
        assert len(parents.pairs) > 0
        assert bool((parents.right != parents.left).all())


def test_parents_and_ratio_are_those_of_the_mix(make_graphs: Callable[..., Graphs]) -> None:
    """Features of the mix by hand, from what the tags say."""
    originals = tagged(make_graphs([4] * 6))
    found = SMixup(Identity(), amount=1.0, alpha=1.0, partners=None, seed=0).on_batch(originals)
    parents = Parents.of(found[len(originals) :])
    assert parents is not None
    x, mixed = originals.x.view(6, 4, 3), found[len(originals) :].x.view(6, 4, 3)
    assert len(parents.pairs) >= 4
    for place in parents.pairs.tolist():
        lam, left, right = (each[place] for each in (parents.lam, parents.left, parents.right))
        torch.testing.assert_close(mixed[place], lam * x[left] + (1 - lam) * x[right])


def test_by_hand() -> None:
    weights = torch.tensor([[0.7, 0.0, 0.3], [0.0, 1.0, 0.0], [0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
    parents = Parents(weights, torch.tensor([0, 1, 0, 1]))
    assert parents.right.tolist() == [2, -1, -1, 2], "none, and more than one, are no pair"
    torch.testing.assert_close(parents.lam, torch.tensor([0.7, 1.0, 0.2, 0.0]))
    assert parents.pairs.tolist() == [0, 3], "a ratio of zero leaves G2 alone"
    values = torch.tensor([1.0, 10.0, 100.0])
    torch.testing.assert_close(parents.expected(values), torch.tensor([30.7, 10.0, 53.2, 100.0]))
    torch.testing.assert_close(parents[torch.tensor([3])].lam, torch.tensor([0.0]))


def test_tagged_graphs_are_a_set_of_their_own(graphs: Graphs) -> None:
    some = tagged(graphs[[5, 2]].replace(graph_attrs={"kept": torch.ones(2)}))
    assert some.ids.tolist() == [0, 1]
    assert some.graph_attrs.keys() == {"kept", TAG}
    assert some.set_id


def test_graphs_without_tags_have_no_parents(graphs: Graphs) -> None:
    assert Parents.of(graphs) is None
