"""S-Mixup in a training loop: what it returns, and what its settings do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from smixup.augment import SMixup
from smixup.augment.adaptive import distortion
from smixup.augment.transport import Partial, arrived
from smixup.datasets.features import OneHotDegree
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Identity, Uniform
from smixup.progress import Progress, silent

DEFAULTS: dict[str, Any] = {"matcher": Uniform(), "transport": "paper", "seed": 0}
REUSE = pytest.mark.parametrize("partners", [None, 3])


def prepared(graphs: Graphs, **settings: Any) -> SMixup:
    report = settings.pop("report", silent)
    return SMixup(**(DEFAULTS | settings)).fit(graphs, report)


def same(one: Graphs, two: Graphs) -> bool:
    parts = ((batch.x, batch.adj.to_dense(), batch.y, batch.ptr, batch.ids) for batch in (one, two))
    return all(torch.equal(a, b) for a, b in zip(*parts, strict=True))


@REUSE
@pytest.mark.parametrize(
    ("amount", "expected"), [(0.5, 4), (1.0, 7), (0.1, 1), (0.0, 0), (2.5, 18)]
)
def test_originals_stay_beside_the_asked_amount_of_mixes(
    graphs: Graphs, partners: int | None, amount: float, expected: int
) -> None:
    batch = graphs[range(7)]
    found = prepared(graphs, partners=partners, amount=amount).on_batch(batch)
    assert len(found) == 7 + expected
    originals = found[torch.arange(7)]
    assert same(originals, batch)
    torch.testing.assert_close(found.y.sum(1), torch.ones(len(found)))
    mixes = found[torch.arange(7, len(found))]
    assert torch.equal(mixes.sizes, graphs.sizes[mixes.ids]), (
        "a mix has the nodes of its first graph"
    )


@REUSE
def test_mixes_in_place_of_originals(graphs: Graphs, partners: int | None) -> None:
    batch = graphs[[4, 0, 3]]
    found = prepared(graphs, partners=partners, amount=None).on_batch(batch)
    assert torch.equal(found.ids, batch.ids)
    assert torch.equal(found.ptr, batch.ptr)
    assert not torch.equal(found.x, batch.x)
    assert not found.adj.to_dense().diagonal().any()


@REUSE
def test_mixing_one_class_only_leaves_targets_alone(graphs: Graphs, partners: int | None) -> None:
    batch = graphs[range(7)]
    settings: dict[str, Any] = {"partners": partners, "amount": None, "fold_ratio": False}
    method, other = prepared(graphs, pairing="same-class", **settings), prepared(graphs, **settings)
    for _ in range(5):
        torch.testing.assert_close(method.on_batch(batch).y, batch.y)
    assert any(not torch.equal(other.on_batch(batch).y, batch.y) for _ in range(5))


@REUSE
def test_one_ratio_for_the_batch_or_one_for_every_pair(
    graphs: Graphs, partners: int | None
) -> None:
    one_hot = graphs.replace(y=torch.eye(7))
    batch = one_hot[range(7)]
    per_batch, per_pair = (
        prepared(one_hot, partners=partners, amount=None, per_pair=per_pair)
        for per_pair in (False, True)
    )
    for method, expected in ((per_batch, 1), (per_pair, 3)):
        seen = 0
        for _ in range(4):
            found = method.on_batch(batch).y
            mixed = found[found.max(1).values < 1]  # who met itself has no ratio to show
            seen = max(seen, mixed.max(1).values.mul(1e4).round().unique().numel())
        assert seen >= expected if expected > 1 else seen == 1


def test_the_first_graph_has_the_larger_part_if_folded(graphs: Graphs) -> None:
    one_hot = graphs.replace(y=torch.eye(7))
    for fold in (True, False):
        method = prepared(one_hot, amount=None, fold_ratio=fold)
        own = torch.stack([method.on_batch(one_hot[range(7)]).y.diagonal() for _ in range(20)])
        assert bool((own >= 0.5).all()) is fold


@REUSE
def test_a_pair_that_is_lost_is_mixed_less(graphs: Graphs, partners: int | None) -> None:
    """All that a uniform assignment loses is left out; nodes that keep a node of their own are
    mixed as ever.
    """
    one_hot = graphs.replace(
        y=torch.eye(7), x=torch.rand(graphs.x.shape, generator=torch.Generator().manual_seed(0))
    )
    large = one_hot[[0, 2, 4, 5]].replace(y=torch.eye(4)).renumbered()
    for matcher, mixed in ((Uniform(), False), (Identity(), True)):
        settings: dict[str, Any] = {
            "partners": partners,
            "amount": None,
            "alpha": 1.0,
            "matcher": matcher,
        }
        plain, adaptive = (
            prepared(large, adaptive=adaptive, **settings) for adaptive in (False, True)
        )
        for _ in range(4):
            usual, found = plain.on_batch(large[range(4)]), adaptive.on_batch(large[range(4)])
            assert (found.y.diagonal() >= usual.y.diagonal() - 1e-6).all()
            partner_share = 1 - found.y.diagonal()
            assert bool((partner_share > 0.01).any()) is mixed


@REUSE
def test_the_adaptive_ratio_is_the_drawn_one_moved_towards_one(
    graphs: Graphs, partners: int | None
) -> None:
    one_hot = graphs.replace(y=torch.eye(7))
    batch = one_hot[range(7)]
    settings: dict[str, Any] = {
        "partners": partners,
        "amount": None,
        "matcher": Identity(),
    }
    plain, adaptive = (
        prepared(one_hot, adaptive=adaptive, **settings) for adaptive in (False, True)
    )
    for _ in range(3):
        usual, found = plain.on_batch(batch), adaptive.on_batch(batch)
        partner = torch.where(usual.y < 1, usual.y, 0.0).fill_diagonal_(0).argmax(1)
        right = one_hot[partner]
        lost = distortion(Identity()(batch, right), batch, right)
        met = usual.y.diagonal() < 1
        expected = 1 - (1 - usual.y.diagonal()) * (1 - lost)
        torch.testing.assert_close(found.y.diagonal()[met], expected[met], rtol=1e-4, atol=1e-5)


@REUSE
def test_a_threshold_clears_small_weights(graphs: Graphs, partners: int | None) -> None:
    batch = graphs[range(7)]
    plain, cleared = (
        prepared(
            graphs, partners=partners, amount=None, alpha=1.0, per_pair=False, threshold=threshold
        )
        for threshold in (0.0, 0.6)
    )
    more, fewer = plain.on_batch(batch), cleared.on_batch(batch)
    gone = more.adj.to_dense() - fewer.adj.to_dense()
    assert gone.max() > 0.01, "something was left out"
    assert gone.min() > -1e-6, "nothing was added"
    assert fewer.adj.to_dense().sum() > graphs.adj.to_dense().sum() / 2, (
        "edges of the first graph stay"
    )
    torch.testing.assert_close(fewer.x, more.x)


@REUSE
def test_alpha_zero_trains_on_copies(graphs: Graphs, partners: int | None) -> None:
    batch = graphs[range(7)]
    found = prepared(graphs, partners=partners, alpha=0.0, amount=None).on_batch(batch)
    assert same(found, batch)


@REUSE
def test_a_batch_of_one(graphs: Graphs, partners: int | None) -> None:
    found = prepared(graphs, partners=partners, matcher=Identity()).on_batch(graphs[[4]])
    assert found.ids.tolist() == [4, 4]
    if partners is None:
        torch.testing.assert_close(found.y[1], found.y[0])


@REUSE
def test_the_state_of_a_run_can_be_taken_up_again(graphs: Graphs, partners: int | None) -> None:
    batch = graphs[range(7)]
    method, other = (
        prepared(graphs, partners=partners, seed=1),
        prepared(graphs, partners=partners, seed=1),
    )
    method.on_batch(batch)
    state = method.state_dict()
    expected = [method.on_batch(batch) for _ in range(3)]
    other.load_state_dict(state)
    assert all(same(other.on_batch(batch), each) for each in expected)


@REUSE
def test_one_seed_one_result(graphs: Graphs, partners: int | None) -> None:
    batch = graphs[range(7)]
    one, two, other = (
        prepared(graphs, partners=partners, seed=seed).on_batch(batch) for seed in (0, 0, 1)
    )
    assert same(one, two)
    assert not same(one, other)


def test_the_learned_matcher_is_fitted_and_reports(graphs: Graphs) -> None:
    seen: list[Progress] = []
    matcher = GraphMatcher(num_layers=1, hidden_channels=4, max_steps=2, batch_size=4)
    method = prepared(graphs, matcher=matcher, report=seen.append, amount=0.5)
    assert matcher.network is not None
    assert {progress.stage for progress in seen} == {"matcher", "aligning"}
    assert len(method.on_batch(graphs[range(7)])) == 11


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": -1.0}, "alpha must be 0 or more"),
        ({"amount": -0.5}, "amount must be 0 or more or None"),
        ({"until": 1.5}, "until must be between 0 and 1"),
        ({"label": "half"}, "label must be one of lambda, arrived"),
        ({"transport": "air"}, "unknown transport 'air'"),
        ({"pairing": "nobody"}, "unknown pairing 'nobody'"),
        ({"threshold": -0.1}, "threshold must be 0 or more"),
        ({"partners": 0}, "partners must be 1 or more or None"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SMixup(**settings)


def test_the_last_epochs_are_left_to_the_originals(graphs: Graphs) -> None:
    batch = graphs[range(7)]
    method = prepared(graphs, until=0.75)
    found = []
    for epoch in range(1, 9):
        method.set_epoch(epoch, 8)
        found.append(len(method.on_batch(batch)))
    assert found == [14] * 6 + [7] * 2


@REUSE
def test_the_label_counts_what_arrived(graphs: Graphs, partners: int | None) -> None:
    one_hot = graphs.replace(y=torch.eye(7))
    batch = one_hot[range(7)]
    settings: dict[str, Any] = {
        "partners": partners,
        "amount": None,
        "matcher": Identity(partial=True),
        "transport": "partial",
    }
    by_ratio, by_share = (
        prepared(one_hot, label=label, **settings) for label in ("lambda", "arrived")
    )
    fewer = False
    for _ in range(4):
        usual, found = by_ratio.on_batch(batch), by_share.on_batch(batch)
        torch.testing.assert_close(found.x, usual.x)
        partner = torch.where(usual.y < 1, usual.y, 0.0).fill_diagonal_(0).argmax(1)
        right = one_hot[partner]
        M, partial = Identity(partial=True)(batch, right), Partial()
        share = arrived(partial, M, batch, right, partial(M, batch, right))
        met = usual.y.diagonal() < 1
        expected = 1 - (1 - usual.y.diagonal()) * share
        torch.testing.assert_close(found.y.diagonal()[met], expected[met])
        fewer = fewer or bool((share[met] < 1).any())
    assert fewer, "some partner was larger"


@REUSE
def test_the_transport_is_the_one_asked_for(graphs: Graphs, partners: int | None) -> None:
    batch = graphs[range(7)]
    settings: dict[str, Any] = {
        "partners": partners,
        "amount": None,
        "matcher": Identity(partial=True),
    }
    paper, partial = (prepared(graphs, transport=t, **settings) for t in ("paper", "partial"))
    one, two = paper.on_batch(batch), partial.on_batch(batch)
    torch.testing.assert_close(one.adj.to_dense(), two.adj.to_dense())
    torch.testing.assert_close(one.y, two.y)
    assert not torch.allclose(one.x, two.x), "nodes without counterpart keep their features"


def test_a_mix_may_have_features_of_its_own_degrees(graphs: Graphs) -> None:
    encoding = OneHotDegree(6)
    by_degree = graphs.replace(
        x=encoding(graphs.adj.row_sums()), degree_encoding=encoding
    ).renumbered()
    found = prepared(by_degree, encode_degrees=True, amount=None).on_batch(by_degree[range(7)])
    torch.testing.assert_close(found.x, encoding(found.adj.row_sums()))
    assert set(found.x.unique().tolist()) == {0.0, 1.0}
    mixed = prepared(by_degree, amount=None).on_batch(by_degree[range(7)])
    assert len(mixed.x.unique()) > 2


def test_partners_that_align_best_are_stored(graphs: Graphs) -> None:
    """With every graph among its candidates, a graph is its own best partner."""
    one_hot = graphs.replace(y=torch.eye(7)).renumbered()
    similar = "similar(candidates=60, ratio=100)"
    method = prepared(one_hot, pairing=similar, partners=1, matcher=Identity(), amount=None)
    assert method.alignments is not None
    torch.testing.assert_close(method.alignments.stored.graphs.y, one_hot.y)


def test_an_unusable_class_of_one_graph(make_graphs: Callable[..., Graphs]) -> None:
    graphs = make_graphs([3, 4, 5, 2, 6], num_classes=5)
    found = prepared(graphs, pairing="same-class", partners=None, matcher=Identity()).on_batch(
        graphs[range(5)]
    )
    torch.testing.assert_close(found.y.sum(1), torch.ones(len(found)))


def test_a_matcher_that_is_fitted_is_not_fitted_again(graphs: Graphs, tmp_path: Path) -> None:
    small = {"num_layers": 1, "hidden_channels": 4, "max_steps": 2, "batch_size": 4}
    GraphMatcher(**small).fit(graphs).save(tmp_path / "m")
    loaded = GraphMatcher.load(tmp_path / "m")
    assert loaded.network is not None
    weights = {name: tensor.clone() for name, tensor in loaded.network.state_dict().items()}
    prepared(graphs, matcher=loaded, seed=5)
    torch.testing.assert_close(dict(loaded.network.state_dict()), weights, rtol=0, atol=0)


def test_alignments_are_used_for_the_graphs_they_were_made_of_alone(graphs: Graphs) -> None:
    """Number 1 of another set is another graph."""
    method = prepared(graphs.renumbered(), matcher=Identity(), amount=None)
    other = graphs[[4, 2]].renumbered()
    found = method.on_batch(other)
    assert found.sizes.tolist() == [9, 6]


@REUSE
def test_edges_of_mixes_may_be_sampled(graphs: Graphs, partners: int | None) -> None:
    weighted = graphs.map_edges(lambda edges: torch.full((30,), 0.6) * edges)
    found = prepared(weighted, partners=partners, edges="sampled").on_batch(weighted[:7])
    assert same(found[:7], weighted[:7]), "originals keep their weights"
    assert set(found[7:].adj.to_dense().unique().tolist()) == {0.0, 1.0}


@pytest.mark.slow
def test_sampled_mixes_are_on_average_the_weighted_ones(graphs: Graphs) -> None:
    """One partner, one ratio: only edges are drawn, and weighted ones hardly differ."""
    pair = graphs.map_edges(lambda edges: torch.full((30,), 0.6) * edges)[[0, 3]]
    settings = {"matcher": Identity(), "amount": None, "partners": None, "threshold": 0.0}
    totals = {}
    for edges, draws in {"weighted": 20, "sampled": 1500}.items():
        mix = prepared(pair, **settings, alpha=1e6, edges=edges)
        each = [mix.on_batch(pair).adj.to_dense() for _ in range(draws)]
        totals[edges] = torch.stack(each).mean(0)
    assert totals["weighted"].max() < 1
    torch.testing.assert_close(totals["sampled"], totals["weighted"], atol=0.07, rtol=0)


@REUSE
def test_light_edges_are_cut_as_in_the_public_code(graphs: Graphs, partners: int | None) -> None:
    """`adj[adj < least] = 0` after lambda, and all others whole to a model without weights."""
    least = 0.3
    settings = {"partners": partners, "amount": None, "alpha": 1.0, "per_pair": False}
    for edges in ("weighted", "binary"):
        mix = prepared(graphs, least_weight=least, threshold=0.0, edges=edges, **settings)
        found = mix.on_batch(graphs[:7]).adj.to_dense()
        (made,) = mix.made or ()
        A1, A2 = made.left.adj.to_dense(), made.drawn.aligned.graphs.adj.to_dense()
        whole = made.lam[0] * A1 + (1 - made.lam[0]) * A2
        expected = torch.where(whole < least, 0.0, whole)
        assert 0 < (expected != 0).sum() < (whole != 0).sum(), "some go, some stay"
        if edges == "binary":
            expected = (expected != 0).float()
        torch.testing.assert_close(found, expected)


def test_for_a_deaf_model_nothing_is_mixed_unless_weights_are_insisted_on(graphs: Graphs) -> None:
    batch = graphs[:7]
    for edges, mixes in (("auto", False), ("weighted", True), ("binary", True)):
        mix = prepared(graphs, amount=None, edges=edges)
        assert mix.on_batch(batch) is not batch
        assert mix.on_deaf_model() is not mixes
        assert (mix.on_batch(batch) is not batch) is mixes


def test_a_part_of_a_set_is_numbered_anew_before_it_is_aligned(graphs: Graphs) -> None:
    with pytest.raises(SmixupError, match=r"number them anew, graphs\.renumbered\(\)"):
        SMixup(Identity()).fit(graphs[3:], silent)
    SMixup(Identity()).fit(graphs[3:].renumbered(), silent)
