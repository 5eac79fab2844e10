"""Both sides of the matching benchmarks do the same work."""

from __future__ import annotations

import pytest
import torch

from smixup.app.bench.matching import MatchingWork, compare_mixes, compare_steps
from smixup.app.bench.settings import Settings
from smixup.datasets import Dataset
from smixup.graphs import Graphs


@pytest.fixture
def work(graphs: Graphs) -> MatchingWork:
    return MatchingWork(Dataset("tiny", graphs), size=4)


def test_steps_have_the_same_loss(work: MatchingWork) -> None:
    torch.testing.assert_close(work.our_step(), work.plain_step(), rtol=1e-4, atol=1e-4)


def test_mixes_are_the_same_graphs(work: MatchingWork) -> None:
    ours, plain = work.our_mix(), work.plain_mix()
    torch.testing.assert_close(
        ours.x, torch.cat([graph.x for graph in plain]), rtol=1e-4, atol=1e-4
    )
    adjacency = torch.block_diag(*[graph.A for graph in plain])
    torch.testing.assert_close(ours.adj.to_dense(), adjacency, rtol=1e-4, atol=1e-4)


def test_the_benchmarks_report_rates_efficiency_and_memory(
    monkeypatch: pytest.MonkeyPatch, graphs: Graphs
) -> None:
    monkeypatch.setattr(Settings, "loaded", lambda self: iter([Dataset("tiny", graphs)]))
    settings = Settings(("tiny",), 1, None, 3, lambda text: None)
    (step,), (mix,) = list(compare_steps(settings)), list(compare_mixes(settings))
    assert (step.benchmark, mix.benchmark) == ("matcher-step", "align-mix")
    assert step.ours > 0
    assert mix.ours > 0
    assert step.efficiency is not None
    assert 0 < step.efficiency < 1
