"""The studies: Theorem 1 and what is true instead, measures of mixes by hand, and fair pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import product
from math import exp
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from edited_graphs import distance, draw, graph_of
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments import audit, edit_distance, figures, harm, matchers
from experiments.edit_distance import PairDistances, epsilon, mixture
from experiments.mixes import Mixes, Parents, tagged
from smixup.augment import Compose, IfMixup, SMixup, SubMix
from smixup.augment.edit_search import EditProblem, WeightedGraph
from smixup.datasets import load_dataset
from smixup.datasets.features import encode_features
from smixup.errors import UsageError
from smixup.graphs import Graphs
from smixup.graphs.ragged import row_means
from smixup.matching import Identity, RandomOrder, Uniform


def measured(
    left: WeightedGraph, right: WeightedGraph, M: np.ndarray, lam: float, exponent: float
) -> tuple[PairDistances, float]:
    """Distances and epsilon of a mix along M, Eq. (4) without the diagonal."""
    adj = M @ right.adj @ M.T
    aligned = graph_of(adj - np.diag(adj.diagonal()), M @ right.x)
    mix, problem = mixture(left, aligned, lam), EditProblem.of(left, aligned, exponent)
    ends = (left, right), (left, aligned), (right, aligned), (mix, left), (mix, right)
    e, b, c, to_left, to_right = (distance(*pair, exponent) for pair in ends)
    identity = problem.cost(np.arange(problem.size))
    return PairDistances(e, b, c, identity), epsilon(to_left, to_right)


def edge(weight: float) -> WeightedGraph:
    return graph_of([[0, weight], [weight, 0]], [[1], [1]])


HALVES, PATH = np.full((2, 2), 0.5), np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
PATHS = [graph_of(PATH), graph_of(2 * PATH)]
POINTS = [graph_of([[0.0]], [[place]]) for place in (1.0, 2.0)]
PAIRS = {  # G1, G2, M, lambda, the exponent of costs, epsilon, and which statements hold
    "equal graphs": (edge(1.0), edge(1.0), HALVES, 0.8, 1.0, 0.5, [False, True, True]),
    "squared costs": (edge(1.0), edge(1.0), HALVES, 0.8, 2.0, 0.5, [False, True, True]),
    "other graphs": (edge(1.0), edge(0.5), HALVES, 0.8, 1.0, 0.7, [False, True, True]),
    "perfect, squared": (*POINTS, np.eye(1), 0.75, 2.0, 0.9, [False, False, False]),
    "perfect": (*POINTS, np.eye(1), 0.75, 1.0, 0.75, [True, True, True]),
    "bad permutation": (*PATHS, np.eye(3)[[1, 0, 2]], 0.2, 1.0, 1 / 3, [False, False, True]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_contradict_the_printed_statement(name: str) -> None:
    *pair, lam, exponent, expected, holds = PAIRS[name]
    distances, found = measured(*pair, lam, exponent)
    assert found == pytest.approx(expected)
    assert [*distances.holds(lam, found).values()] == holds


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.floats(0, 1))
def test_the_corrected_statement_is_true(seed: int, lam: float) -> None:
    random = np.random.default_rng(seed)
    left, right = (draw(int(random.integers(1, 5)), random, random.random()) for _ in range(2))
    M = np.exp(10 ** random.uniform(-1, 1.5) * random.random((len(left), len(right))))
    pair, found = measured(left, right, M / M.sum(0), lam, 1.0)
    if not math.isnan(found):
        assert pair.holds(lam, found)["corrected"]
        assert pair.holds(lam, found)["one-sided"] or pair.identity > pair.to_aligned + 1e-9


def test_pairs_of_small_graphs_under_every_matcher_and_cost() -> None:
    graphs = load_dataset("MOTIF", num_graphs=120).graphs
    controls = {"uniform": Uniform(), "random alignment": RandomOrder()}
    mixes = [*edit_distance.measured(graphs, controls, pairs=2, ratios=(0.0, 0.5, 1.0))]
    assert len(mixes) == 2 * 2 * 2 * 3
    for mix in mixes:
        assert mix.holds["corrected"] or mix.costs == "squared node costs"
        if mix.lam == 1:
            assert mix.epsilon == pytest.approx(1.0), "the mix is G1"
        if mix.lam == 0:
            assert mix.epsilon == pytest.approx(
                mix.pair.moved / (mix.pair.to_aligned + mix.pair.moved), abs=1e-5
            )
    drawn = edit_distance.draw_pairs(graphs, 5, 0)
    assert all(graphs.labels[i] != graphs.labels[j] for i, j in drawn)
    with pytest.raises(UsageError, match="with up to 9 nodes are needed"):
        edit_distance.draw_pairs(graphs[(graphs.labels == 0).nonzero().squeeze(1)], 5, 0)


def test_tags_say_what_targets_say(make_graphs: Callable[..., Graphs]) -> None:
    originals = tagged(make_graphs([8, 9, 1, 7, 9, 5, 8, 6], num_classes=8))
    composed = Compose([SubMix(seed=0), IfMixup(1.0, 1.0, seed=0)])
    for method in (SubMix(share=1.0, seed=0), SMixup(RandomOrder(), amount=1.0, seed=0), composed):
        mixes = method.on_batch(method.fit_extend(originals))
        parents = Parents.of(mixes)
        assert parents is not None
        torch.testing.assert_close(parents.expected(originals.y), mixes.y)
        assert len(parents.pairs) > 0


def test_parents_by_hand(graphs: Graphs) -> None:
    weights = torch.tensor([[0.7, 0.0, 0.3], [0.0, 1.0, 0.0], [0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])
    parents = Parents(weights, torch.tensor([0, 1, 0, 1]))
    assert parents.right.tolist() == [2, -1, -1, 2], "none, and more than one, are no pair"
    torch.testing.assert_close(parents.lam, torch.tensor([0.7, 1.0, 0.2, 0.0]))
    values = torch.tensor([1.0, 10.0, 100.0])
    torch.testing.assert_close(parents.expected(values), torch.tensor([30.7, 10.0, 53.2, 100.0]))
    assert Parents.of(graphs) is None


def test_label_fidelity_by_hand(from_networkx: Callable[..., Graphs]) -> None:
    """A judge whose logits are `[0, h]` of the mean feature h: the total variation is the
    difference of the second class's probabilities.
    """
    judge = SimpleNamespace(
        embed=lambda graphs: row_means(graphs.x, graphs.ptr), head=lambda h: F.pad(h, (1, 0))
    )
    points = from_networkx([nx.empty_graph(1)] * 3)
    originals, made = (
        points.replace(x=torch.tensor([[x] for x in values]))
        for values in ((2.0, -3.0, 1.0), (0.5, 9.0, 9.0))
    )

    def second(h: float) -> float:
        return 1 / (1 + exp(-h))

    weights = torch.tensor([[0.75, 0.25, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    parents = Parents(weights, torch.tensor([0, 0, 1]))
    mixes = Mixes(tagged(originals), made, parents=parents)
    row = audit.label_fidelity(mixes, judge)  # type: ignore[arg-type]
    promised = 0.75 * second(2) + 0.25 * second(-3)
    of_mixes = (0.5, 2, 0.75 * 2 - 0.25 * 3)  # the second pair is of one class, the third no pair
    expected = [(0.75 + 0.5) / 2, *(abs(second(h) - promised) for h in of_mixes)]
    assert [*row.values()] == pytest.approx(expected, abs=1e-6)


def test_drift_by_hand(from_networkx: Callable[..., Graphs]) -> None:
    """A path on four nodes and a triangle, degrees 1.5 and 2: at one half 1.75 is promised. The
    first mix is a triangle, the second an edge between two nodes.
    """
    originals = tagged(from_networkx([nx.path_graph(4), nx.complete_graph(3)]))
    made = from_networkx([nx.complete_graph(3), nx.path_graph(2)])
    made = made.replace(x=torch.tensor([[1.0], [1.0], [1.0], [3.0], [3.0]]))
    parents = Parents(torch.tensor([[0.5, 0.5], [0.5, 0.5]]), torch.tensor([0, 1]))
    assert audit.drift(Mixes(originals, made, parents=parents)) == pytest.approx(
        {
            "degree": (2 + 1) / 2 / 1.75,
            "degree_error": (2 / 1.75 - 1 + 1 - 1 / 1.75) / 2,
            "features": (0 + 2) / 2,  # all features are 1, so 1 is the scale
            "outside": 2 / 5,
        }
    )


def test_an_audit() -> None:
    names = "m-mixup", "if-mixup", "s-mixup, random alignment"
    rows = audit.audit("MOTIF", names, number=16, epochs=2, options={"num_graphs": 100})
    hidden, _, ours = rows.values()
    assert (hidden["input_level"], hidden["mixes_features"]) == (False, True)
    assert 0.5 <= ours["lam"] <= 1
    assert ours["size"] < rows["if-mixup"]["size"]
    assert "-" in matchers.table(rows, ["error", "label"]).splitlines()[2]


def test_without_mixes_both_arms_are_the_same() -> None:
    """All that the drop-in adds, but for the mixes, changes nothing."""
    graphs = load_dataset("MOTIF", num_graphs=30, features="degree").graphs
    encoded = encode_features(graphs, torch.arange(20)).floating()
    train, test = harm.as_data(encoded[:20]), harm.as_data(encoded[20:])
    for name in ("batch norm", "GIN"):
        make = partial(harm.MODELS[name], encoded.num_features, encoded.num_classes)
        nothing = SMixup(Identity(), amount=0.0, seed=0).fit(train)
        scores = [harm.score(make, (train, test), arm, 1, epochs=2) for arm in (nothing, None)]
        assert scores[0] == scores[1]
    codes = harm.as_data(encoded[:3], codes=True)
    assert all(torch.equal(a.x.argmax(1), b.x) for a, b in zip(train, codes, strict=False))


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_mixing_does_no_harm() -> None:
    """A loss of many points, as of mixes in the statistics of batch norms, would show."""
    both, gains = ["none", "aligned, alpha 2, beside"], []
    for name, seed in product(("batch norm", "GIN"), (100, 101)):
        plain, mixed = harm.scores("MOTIF", name, seed, both, epochs=30, steps=40)
        gains.append(mixed[1] - plain[1])
    assert np.mean(gains) > -5


@pytest.mark.nightly
def test_ours_keeps_more_of_a_motif_than_a_random_alignment() -> None:
    found = figures.case_study(
        3, 60, ("random-order", "graph-matcher"), options={"num_graphs": 300}
    )
    random, ours = (float(shares.mean()) for shares in found.shares.values())
    assert ours > random + 0.2
    assert "<svg" in figures.style.to_svg(figures.draw_case_study(found))
    quality = matchers.measured("MOTIF", ("uniform",), pairs=20, options={"num_graphs": 60})
    assert 0 < (quality["uniform"]["motif kept"] or 0) < 0.4
