"""Pairs of graphs, and matchers that have learnt a little."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.graphs import Graphs
from smixup.matching import RRWM, GraphMatcher, Identity, Matcher, RandomOrder, Uniform
from smixup.matching.classical import IPFP, SpectralMatching
from smixup.matching.fgw import FusedGromovWasserstein
from smixup.matching.learned import SiameseMatcher
from smixup.matching.pairs import PairBlock, Pairs

SIX_PAIRS = [9, 1, 6, 12, 1, 8], [7, 5, 1, 12, 1, 10]  # every third graph has no edges
QUICK: dict[str, Any] = {"num_layers": 2, "hidden_channels": 8, "batch_size": 8, "max_steps": 4}
QUICK |= {"evaluate_every": 2, "random_walk": 4}
PUBLISHED = {"correspondences": False, "similarity": "cosine", "random_walk": 0, "degree": False}
MATCHERS: dict[str, Callable[[], Matcher]] = {
    "uniform": Uniform,
    "identity": Identity,
    "random order": RandomOrder,
    "rrwm": RRWM,
    "spectral": SpectralMatching,
    "ipfp": IPFP,
    "fgw": FusedGromovWasserstein,
    "siamese": lambda: SiameseMatcher(normalization="columns", **QUICK),
    "learned": lambda: GraphMatcher(normalization="columns", **QUICK),
    "published": lambda: GraphMatcher(**(QUICK | PUBLISHED | {"normalization": "columns"})),
    "sinkhorn": lambda: GraphMatcher(normalization="sinkhorn", **QUICK),
    "one-to-one": lambda: GraphMatcher(normalization="one-to-one", **QUICK),
}


@pytest.fixture(scope="session")
def fitted(make_graphs: Callable[..., Graphs]) -> Callable[[str], Matcher]:
    """Fit a matcher on the seven graphs of the fixture `graphs`, once for all tests."""
    return cache(lambda name: MATCHERS[name]().fit(make_graphs([4, 1, 6, 3, 9, 5, 2])))


@pytest.fixture(params=MATCHERS)
def matcher(request: pytest.FixtureRequest, fitted: Callable[[str], Matcher]) -> Matcher:
    return fitted(request.param)


@pytest.fixture
def grouped() -> Callable[[Graphs, Graphs, str], Pairs]:
    """Make pairs in buckets of our own choice."""

    def pairs_of(left: Graphs, right: Graphs, grouping: str) -> Pairs:
        every = torch.arange(len(left))
        groups = {"one": (every,), "many": (every[3:4], every[0::2], every[1::4])}
        if grouping == "as always":
            return Pairs.of(left, right)
        return Pairs.of(left, right, groups[grouping])

    return pairs_of


@pytest.fixture
def bare() -> Callable[[Tensor], PairBlock]:
    """Make pairs without edges and features, of which only the cells `[b, N1, N2]` are known."""

    def block_of(mask: Tensor) -> PairBlock:
        b, N1, N2 = mask.shape
        x1, x2 = torch.zeros(b, N1, 0), torch.zeros(b, N2, 0)
        A1, A2 = torch.zeros(b, N1, N1), torch.zeros(b, N2, N2)
        return PairBlock(x1, A1, mask.any(2), x2, A2, mask.any(1), torch.arange(b))

    return block_of


@pytest.fixture(scope="session")
def block_of() -> Callable[[nx.Graph, nx.Graph], PairBlock]:
    """Make the block of one pair of networkx graphs without features."""

    def make(one: nx.Graph, two: nx.Graph) -> PairBlock:
        A1, A2 = (
            torch.from_numpy(nx.to_numpy_array(g, weight=None)).float()[None] for g in (one, two)
        )
        mask1, mask2 = (torch.ones(1, A.size(1), dtype=torch.bool) for A in (A1, A2))
        x1, x2 = torch.zeros(1, A1.size(1), 0), torch.zeros(1, A2.size(1), 0)
        return PairBlock(x1, A1, mask1, x2, A2, mask2, torch.zeros(1, dtype=torch.long))

    return make


@pytest.fixture(scope="session")
def exact() -> Callable[[Graphs], Graphs]:
    """Make graphs double: a root of a difference near zero magnifies rounding."""

    def double(batch: Graphs) -> Graphs:
        adj = batch.adj
        return batch.replace(x=batch.x.double(), adj=replace(adj, weight=adj.weight.double()))

    return double


@pytest.fixture(params=["undirected", "directed"])
def six_pairs(
    request: pytest.FixtureRequest,
    make_graphs: Callable[..., Graphs],
    exact: Callable[[Graphs], Graphs],
) -> tuple[Graphs, Graphs, tuple[Tensor, Tensor]]:
    """Pairs of many sizes, and their nodes' representations, all in double precision."""
    left, right = (exact(make_graphs(sizes, seed=len(sizes))) for sizes in SIX_PAIRS)
    if request.param == "directed":
        left, right = one_way(left), one_way(right)
    return left, right, (left.x, right.x)


def one_way(batch: Graphs) -> Graphs:
    """Of two edges out of three, one direction is gone."""
    adj = batch.adj
    kept = (adj.row < adj.column) | ((adj.row + adj.column) % 3 == 0)
    return batch.replace(adj=replace(adj.mask_entries(kept), symmetric=False))
