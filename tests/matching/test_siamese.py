"""The siamese matcher: no message between graphs, hence every graph embedded once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import torch
from torch import Tensor

from smixup.errors import SmixupError
from smixup.graphs import Graphs
from smixup.matching import GraphMatcher
from smixup.matching.correspondence import shuffled_copy
from smixup.matching.pairs import Pairs
from smixup.matching.quality import self_match, stable_colours
from smixup.matching.siamese import SiameseMatcher, SiameseNetwork

SMALL: dict[str, Any] = {
    "num_layers": 2,
    "hidden_channels": 8,
    "batch_size": 8,
    "max_steps": 4,
    "evaluate_every": 2,
}


@pytest.fixture
def fitted(graphs: Graphs) -> SiameseMatcher:
    return SiameseMatcher(**SMALL, random_walk=4).fit(graphs)


def test_prepared_graphs_have_the_scores_of_the_network(
    fitted: SiameseMatcher, graphs: Graphs
) -> None:
    left, right = graphs[[0, 4, 3, 1]], graphs[[5, 2, 4, 4]]
    network, inputs = fitted.ready_for(graphs)
    pairs, found = fitted.scores(fitted.prepare(left), fitted.prepare(right))
    fresh = Pairs.of(inputs(left), inputs(right))
    expected = network.pair_scores(network(fresh), fresh)
    for mine, theirs, cells in zip(found, expected, fresh.masks(), strict=True):
        torch.testing.assert_close(mine[cells], theirs[cells], atol=1e-4, rtol=1e-4)
    assert len(found) == len(pairs.groups)


def test_a_graph_is_embedded_without_its_partner(fitted: SiameseMatcher, graphs: Graphs) -> None:
    network, inputs = fitted.ready_for(graphs)
    pairs = [Pairs.of(inputs(graphs[[4]]), inputs(graphs[[other]])) for other in (0, 5)]
    one, two = (network(each)[: each.left.num_nodes] for each in pairs)
    torch.testing.assert_close(one, two, atol=1e-6, rtol=1e-6)


def test_every_graph_is_embedded_once(
    fitted: SiameseMatcher, graphs: Graphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(fitted.network, SiameseNetwork)
    embed, seen = fitted.network.embed, []

    def spy(x: Tensor, A: Any) -> Tensor:
        seen.append(x.size(0))
        return embed(x, A)

    places = [0, 0, 4, 5, 4], [4, 0, 5, 4, 3]
    pairs = [fitted(graphs[[i]], graphs[[j]]).to_dense() for i, j in zip(*places, strict=True)]
    monkeypatch.setattr(fitted.network, "embed", spy)
    prepared = fitted.prepare(graphs)
    M = fitted.assign(prepared, *map(torch.tensor, places)).to_dense()
    assert seen == [30], "all nodes, once"
    torch.testing.assert_close(M, torch.block_diag(*pairs), atol=1e-5, rtol=1e-4)


@pytest.mark.slow
def test_it_learns_to_find_nodes(from_networkx: Callable[..., Graphs]) -> None:
    graphs = from_networkx(
        [nx.gnp_random_graph(10, 0.4, seed=seed) for seed in range(24)], [0, 1] * 12
    )
    settings = SMALL | {
        "hidden_channels": 32,
        "max_steps": 60,
        "evaluate_every": 20,
        "batch_size": 16,
    }
    matcher = SiameseMatcher(**settings).fit(graphs)
    unseen = from_networkx([nx.gnp_random_graph(10, 0.4, seed=seed) for seed in range(100, 110)])[
        torch.arange(10)
    ]
    copy, origin = shuffled_copy(unseen, torch.Generator().manual_seed(0))
    assert self_match(matcher(unseen, copy), stable_colours(unseen), origin) > 0.9


def test_saved_and_loaded_it_is_still_siamese(
    fitted: SiameseMatcher, graphs: Graphs, tmp_path: Path
) -> None:
    fitted.save(tmp_path / "m")
    loaded = GraphMatcher.load(tmp_path / "m")
    assert type(loaded) is SiameseMatcher
    left, right = graphs[[0, 4]], graphs[[5, 2]]
    assert torch.equal(loaded(left, right).to_dense(), fitted(left, right).to_dense())


def test_a_checkpoint_of_the_other_network_is_refused(graphs: Graphs, tmp_path: Path) -> None:
    GraphMatcher(**SMALL).fit(graphs, checkpoint=tmp_path / "state")
    with pytest.raises(SmixupError):
        SiameseMatcher(**SMALL).fit(graphs, checkpoint=tmp_path / "state")


def test_wrong_graphs(fitted: SiameseMatcher, graphs: Graphs) -> None:
    narrow = graphs[[0]].replace(x=graphs[[0]].x[:, :2])
    with pytest.raises(SmixupError, match="the graphs have 2 node features"):
        fitted(graphs[[0]], narrow)
    with pytest.raises(SmixupError, match="has not learnt anything yet"):
        SiameseMatcher()(graphs[[0]], graphs[[0]])
