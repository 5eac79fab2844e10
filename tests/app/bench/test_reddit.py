"""Both ways of a step do the same work, and rows without data are left out with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from smixup.app.bench import reddit
from smixup.app.bench.reddit import StepWork, compare_epochs, compare_steps, measure_fit
from smixup.app.bench.settings import Settings
from smixup.datasets.features import encode_features
from smixup.datasets.threads import threads_dataset
from smixup.errors import SmixupError, UsageError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher, attention


def matcher() -> GraphMatcher:
    return GraphMatcher(hidden_channels=16, num_layers=2, max_steps=2)


@pytest.fixture(scope="module")
def threads() -> Graphs:
    """Discussion threads of up to 256 nodes: beyond, our step asks for a sample of nodes."""
    graphs = threads_dataset(num_graphs=60).graphs
    graphs = encode_features(graphs, torch.arange(len(graphs)))
    return graphs[(graphs.sizes <= 256).nonzero().squeeze(1)].renumbered()


def settings(size: int | None = 2) -> Settings:
    return Settings((), 1, None, size, pytest.fail)


@pytest.mark.parametrize("table", [attention.TABLE, 1000])
def test_steps_have_the_same_loss_and_gradient(
    threads: Graphs, table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "TABLE", table)
    assert (threads.sizes > 128).any()  # some have twins merged, and walks along edges
    work = StepWork(threads, matcher(), size=6)
    for seed in range(3):
        steps = []
        for step in (work.our_step, work.plain_step):
            loss = step(seed)
            steps.append((loss, [p.grad.clone() for p in work.parts[0].layers.parameters()]))
        (ours, our_gradients), (plain, plain_gradients) = steps
        torch.testing.assert_close(ours, plain, rtol=1e-4, atol=1e-4)
        for a, b in zip(our_gradients, plain_gradients, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-2, atol=1e-3 * float(b.abs().max()))


def test_batches_differ_from_round_to_round(threads: Graphs) -> None:
    work = StepWork(threads, matcher(), size=6)
    assert work.our_step(0) != work.our_step(1)
    assert work.our_step(1) == work.our_step(1)


def test_the_default_batch_is_the_matcher_s(threads: Graphs) -> None:
    assert StepWork(threads, matcher(), None).count == GraphMatcher().batch_size


def test_rows(threads: Graphs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reddit, "training_graphs", lambda settings: iter([threads]))
    monkeypatch.setattr(reddit, "GraphMatcher", matcher)
    (step,) = compare_steps(settings())
    assert (step.benchmark, step.case) == ("reddit-step", "2 triplets, 2 copies : dense")
    in_place, beside = compare_epochs(settings(16))
    assert in_place.case == "gcn, s-mixup, mixes in place : vanilla"
    assert beside.case == "gcn, s-mixup, a mix per graph : vanilla"
    fit, partners = measure_fit(settings(16))
    assert (fit.case, fit.unit, fit.spent) == ("fit, 2 steps, 16 graphs", "s", True)
    assert partners.case == "4 partners per graph, 16 graphs"
    assert all(each.ours > 0 for each in (step, in_place, beside, fit, partners))


@pytest.mark.parametrize("rows", [compare_steps, compare_epochs, measure_fit])
def test_missing_data_is_said_once_and_leaves_the_row_out(
    rows: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str, seed: int, root: Path | None) -> None:
        raise SmixupError(f"{name} is not here.")

    monkeypatch.setattr(reddit, "open_dataset", missing)
    notes: list[str] = []
    assert list(rows(Settings((), 1, None, None, notes.append))) == []  # type: ignore[operator]
    assert notes == ["REDDIT-BINARY is left out: REDDIT-BINARY is not here."]


def test_wrong_use_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(name: str, seed: int, root: Path | None) -> None:
        raise UsageError("no such root.")

    monkeypatch.setattr(reddit, "open_dataset", wrong)
    with pytest.raises(UsageError, match="no such root"):
        list(compare_steps(settings()))
