"""Both sides of the benchmark of one-to-one alignments find the same matches."""

from __future__ import annotations

import pytest
import torch

from smixup.app.bench.one_to_one import MATCHERS, AlignmentWork, compare_alignments
from smixup.app.bench.plain_matching import one_to_one, scaled_with_bins
from smixup.app.bench.settings import Settings
from smixup.datasets import Dataset
from smixup.datasets.motif import motif_dataset
from smixup.graphs import Graphs
from smixup.matching.consensus import OneToOne, partial_sinkhorn


@pytest.mark.parametrize("name", list(MATCHERS))
@pytest.mark.parametrize("way", ["one-to-one", "one-to-one(rounds=3, noise=0.2, bin=-2, steps=4)"])
def test_both_ways_find_the_same_matches(name: str, way: str) -> None:
    graphs = motif_dataset(num_graphs=40).graphs
    matcher = MATCHERS[name](max_steps=3, normalization=way).fit(graphs)
    work = AlignmentWork(graphs, matcher, count=24)
    assert torch.equal(work.ours().to_dense(), torch.block_diag(*work.plain()))


def test_scaling_with_bins_in_logarithms_or_not() -> None:
    S = 3 * torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(scaled_with_bins(S, -1.0, 5), partial_sinkhorn(S[None], -1.0, 5)[0])


def test_neighbours_decide_in_the_plain_way() -> None:
    """A path whose ends are known: the node between them is found by its neighbours alone."""
    A = torch.diag(torch.ones(2), 1)
    A = A + A.T
    S = torch.tensor([[5.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 5.0]])
    assert torch.equal(one_to_one(S, A, A, OneToOne()), torch.eye(3))


def test_the_benchmark_reports_both_matchers(
    monkeypatch: pytest.MonkeyPatch, graphs: Graphs
) -> None:
    monkeypatch.setattr(Settings, "loaded", lambda self: iter([Dataset("tiny", graphs)]))
    found = list(compare_alignments(Settings(("tiny",), 1, None, 5, pytest.fail)))
    assert [each.case for each in found] == ["network, 5 pairs", "siamese, 5 pairs"]
    assert all(each.ours > 0 and each.reference > 0 for each in found)
    assert {(each.benchmark, each.unit) for each in found} == {("one-to-one", "pairs/s")}
