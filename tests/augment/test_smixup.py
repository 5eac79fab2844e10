"""S-Mixup in a training loop: what it returns, and what its settings do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_methods import matcher

from smixup.augment import SMixup
from smixup.augment.smixup import PUBLISHED_METHOD
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, Uniform
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
@pytest.mark.parametrize(("amount", "expected"), [(0.5, 4), (0.1, 1), (0.0, 0), (2.5, 18)])
def test_originals_stay_beside_the_asked_amount_of_mixes(
    graphs: Graphs, partners: int | None, amount: float, expected: int
) -> None:
    batch = graphs[range(7)]
    found = prepared(graphs, partners=partners, amount=amount).on_batch(batch)
    assert len(found) == 7 + expected
    assert same(found[torch.arange(7)], batch)
    torch.testing.assert_close(found.y.sum(1), torch.ones(len(found)))
    mixes = found[torch.arange(7, len(found))]
    assert torch.equal(mixes.sizes, graphs.sizes[mixes.ids]), "nodes of its first graph"


@REUSE
def test_mixes_in_place_of_originals(graphs: Graphs, partners: int | None) -> None:
    batch = graphs[[4, 0, 3]]
    found = prepared(graphs, partners=partners, amount=None).on_batch(batch)
    assert torch.equal(found.ids, batch.ids)
    assert torch.equal(found.ptr, batch.ptr)
    assert not torch.equal(found.x, batch.x)
    assert not found.adj.to_dense().diagonal().any()
    whole = prepared(graphs, partners=partners, alpha=0.0, amount=None)
    assert same(whole.on_batch(graphs[range(7)]), graphs[range(7)]), "alpha 0 trains on copies"


@REUSE
def test_one_ratio_for_the_batch_or_one_for_every_pair(
    graphs: Graphs, partners: int | None
) -> None:
    one_hot = graphs.replace(y=torch.eye(7))
    for ratio in ("per-batch", "per-pair"):
        method = prepared(one_hot, partners=partners, amount=None, ratio=ratio)
        seen = 0
        for _ in range(4):
            found = method.on_batch(one_hot[range(7)]).y
            mixed = found[found.max(1).values < 1]  # who met itself has no ratio to show
            seen = max(seen, mixed.max(1).values.mul(1e4).round().unique().numel())
        assert seen >= 3 if ratio == "per-pair" else seen == 1


def test_the_first_graph_has_the_larger_part_if_folded(graphs: Graphs) -> None:
    one_hot = graphs.replace(y=torch.eye(7))
    for ratio in ("per-pair", "unfolded"):
        method = prepared(one_hot, amount=None, ratio=ratio)
        own = torch.stack([method.on_batch(one_hot[range(7)]).y.diagonal() for _ in range(20)])
        assert bool((own >= 0.5).all()) is (ratio == "per-pair")


def test_the_learned_matcher_is_fitted_once_and_reports(graphs: Graphs, tmp_path: Path) -> None:
    seen: list[Progress] = []
    method = prepared(graphs, matcher=matcher(), report=seen.append, amount=0.5)
    assert {progress.stage for progress in seen} == {"matcher", "aligning"}
    assert len(method.on_batch(graphs[range(7)])) == 11
    method.matcher.save(tmp_path / "m")
    loaded = GraphMatcher.load(tmp_path / "m")
    weights = {name: tensor.clone() for name, tensor in loaded.network.state_dict().items()}
    prepared(graphs, matcher=loaded, seed=5)
    torch.testing.assert_close(dict(loaded.network.state_dict()), weights, rtol=0, atol=0)


def test_the_paper_s_method_is_one_word_away(graphs: Graphs) -> None:
    method = SMixup.as_published(alpha=0.5, seed=3)
    assert isinstance(method.matcher, GraphMatcher)
    assert (method.matcher.similarity, str(method.matcher.normalization)) == ("cosine", "columns")
    assert (str(method.transport), method.amount, method.partners) == ("paper", None, None)
    assert (method.alpha, method.ratio) == (0.5, "per-batch")
    ours = SMixup(Uniform())
    equal = [name for name, value in PUBLISHED_METHOD.items() if getattr(ours, name) == value]
    assert equal == ["alpha"], "all else differs from our defaults"
    one_hot = graphs.replace(y=torch.eye(7)).renumbered()
    batch = one_hot[[0, 2, 3, 4]]
    method = SMixup.as_published(Uniform(), alpha=1.0, seed=0).fit(one_hot)
    found = method.on_batch(batch)
    assert torch.equal(found.ids, batch.ids), "a mix in the place of every graph"
    assert set((found.y.sum(0) > 0).nonzero().flatten().tolist()) <= {0, 2, 3, 4}
    shares = found.y.max(1).values
    mixed = shares[shares < 1]
    assert len(mixed) > 1
    torch.testing.assert_close(mixed, mixed[:1].expand_as(mixed))
